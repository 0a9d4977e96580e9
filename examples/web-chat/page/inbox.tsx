import type { InboxItem } from 'longhaul/client';
import { call, inputPath, sendVerdict, usePolled, type Verdict } from './backend';
import { ApprovalForm, QuestionForm } from './forms';

/** What all runs wait for that this person may see. */
export function Inbox() {
  const [inbox, refresh] = usePolled<{ readonly items: readonly InboxItem[] }>('/inbox?whole=1');
  if (inbox === undefined) return null;
  return (
    <div className="inbox">
      <h2>Inbox</h2>
      {inbox.items.length === 0 && <p>Nobody waits for you.</p>}
      {inbox.items.map((item) => (
        <Item key={`${item.workflowId} ${item.inputId} ${item.digest}`} {...{ item, refresh }} />
      ))}
    </div>
  );
}

function Item({ item, refresh }: { readonly item: InboxItem; readonly refresh: () => void }) {
  const { workflowId, inputId, kind, question, options, preview, digest } = item;
  const judge = async (verdict: Verdict): Promise<void> => {
    await sendVerdict(workflowId, inputId, verdict);
    refresh();
  };
  const answer = async (text: string): Promise<void> => {
    await call(`${inputPath(workflowId, inputId)}/answer`, { answer: text });
    refresh();
  };
  const about = [item.path, item.requester, new Date(item.since).toLocaleTimeString()];
  return (
    <section className="tool" data-state="approval-requested">
      <header>
        {item.call?.name ?? kind} <small>{about.filter(Boolean).join(', ')}</small>
      </header>
      {preview && <p>{preview}</p>}
      {kind === 'approval' ? (
        <ApprovalForm args={item.call?.args ?? {}} seen={digest} onJudge={judge} />
      ) : (
        <QuestionForm
          question={question}
          {...(options && { options })}
          onAnswer={(text) => void answer(text)}
        />
      )}
    </section>
  );
}
