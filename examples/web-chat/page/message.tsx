import { getToolName, isToolUIPart, type UIMessage } from 'ai';
import type { Verdict } from './backend';
import { ApprovalForm, QuestionForm } from './forms';

export type Answers = {
  readonly answer: (toolCallId: string, tool: string, output: string) => void;
  readonly judge: (inputId: string, verdict: Verdict) => Promise<void>;
};

type Part = UIMessage['parts'][number];
type ToolPart = Extract<Part, { readonly toolCallId: string }>;

export function MessageView(props: { readonly message: UIMessage; readonly answers: Answers }) {
  const { message, answers } = props;
  return (
    <article className={message.role}>
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} answers={answers} />
      ))}
    </article>
  );
}

function PartView({ part, answers }: { readonly part: Part; readonly answers: Answers }) {
  if (part.type === 'text') return <p>{part.text}</p>;
  if (part.type === 'reasoning') return <p className="reasoning">{part.text}</p>;
  return isToolUIPart(part) ? <ToolView part={part} answers={answers} /> : null;
}

const labels: Readonly<Record<ToolPart['state'], string>> = {
  'input-streaming': 'is being written',
  'input-available': 'runs',
  'approval-requested': 'needs approval',
  'approval-responded': 'was decided',
  'output-available': 'done',
  'output-error': 'failed',
  'output-denied': 'rejected',
};

function ToolView({ part, answers }: { readonly part: ToolPart; readonly answers: Answers }) {
  const name = getToolName(part);
  const { state, toolCallId } = part;
  const asked = state === 'input-available' ? questionIn(part.input) : undefined;
  return (
    <section className="tool" data-tool={name} data-state={state}>
      <header>
        {name} <small>{asked ? 'asks' : labels[state]}</small>
      </header>
      {asked && (
        <QuestionForm {...asked} onAnswer={(text) => answers.answer(toolCallId, name, text)} />
      )}
      {state === 'approval-requested' && (
        <ApprovalForm
          args={part.input as Record<string, unknown>}
          seen={digestIn(part.approval.descriptor)}
          onJudge={(verdict) => answers.judge(part.approval.id, verdict)}
        />
      )}
      {!asked && state !== 'approval-requested' && <code>{JSON.stringify(part.input)}</code>}
      {state === 'output-available' && <code>→ {JSON.stringify(part.output)}</code>}
      {state === 'output-error' && <p className="error">{part.errorText}</p>}
      {state === 'output-denied' && <p className="error">{part.approval.reason}</p>}
    </section>
  );
}

type Question = { readonly question: string; readonly options?: readonly string[] };

/** What `ask_user` and questions of runs below have in common. */
function questionIn(input: unknown): Question | undefined {
  const { question, options } = (input ?? {}) as Partial<Question>;
  if (question === undefined) return undefined;
  return { question, ...(options && { options }) };
}

function digestIn(descriptor: unknown): string | undefined {
  return (descriptor as { digest?: string } | undefined)?.digest;
}
