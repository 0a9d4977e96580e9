import type { InboxItem } from 'longhaul/client';
import { usePolled } from './backend';
import { InputCard } from './input-card';

/** What all runs wait for that this person may see. */
export function Inbox() {
  const [inbox, refresh] = usePolled<{ readonly items: readonly InboxItem[] }>('/inbox?whole=1');
  const items = inbox?.items.filter(({ byToken }) => byToken !== true);
  return (
    <div className="inbox">
      <h2>Inbox</h2>
      {items?.length === 0 && (
        <p className="empty">
          <strong>Nothing waits for you.</strong>
          When an agent needs a decision or an answer, it appears here by itself.
        </p>
      )}
      {items?.map((item) => (
        <InputCard
          key={`${item.workflowId} ${item.inputId} ${item.digest}`}
          input={item}
          workflowId={item.workflowId}
          about={aboutOf(item)}
          onDone={refresh}
        />
      ))}
    </div>
  );
}

function aboutOf({ path, requester, since }: InboxItem): string {
  return [path, requester, new Date(since).toLocaleTimeString()].filter(Boolean).join(', ');
}
