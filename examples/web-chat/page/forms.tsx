import { type SubmitEvent, useState } from 'react';
import type { Verdict } from './backend';

type Args = Readonly<Record<string, unknown>>;

type ApprovalProps = {
  readonly args: Args;
  readonly seen: string | undefined;
  readonly onJudge: (verdict: Verdict) => Promise<void>;
};

/** A call that waits for approval: each argument may be changed. */
export function ApprovalForm({ args, seen, onJudge }: ApprovalProps) {
  const [problem, setProblem] = useState<string>();
  const [isSent, setIsSent] = useState(false);
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as unknown as { submitter: HTMLButtonElement };
    const approved = submitter.value === 'approve';
    const changed = approved ? changedArgs(args, new FormData(event.currentTarget)) : undefined;
    setIsSent(true);
    try {
      await onJudge({ approved, ...(seen && { seen }), ...(changed && { args: changed }) });
      setProblem(undefined);
    } catch (error) {
      setProblem((error as Error).message);
    }
    setIsSent(false);
  };
  return (
    <form className="approval" onSubmit={(event) => void submit(event)}>
      {Object.entries(args).map(([name, value]) => (
        <label key={name}>
          {name}
          <input name={name} defaultValue={typeof value === 'string' ? value : json(value)} />
        </label>
      ))}
      {problem && <p className="error">{problem}</p>}
      <button value="approve" disabled={isSent}>
        Approve
      </button>
      <button value="reject" disabled={isSent}>
        Reject
      </button>
    </form>
  );
}

/** Undefined if nothing changed. What was a text stays a text. */
function changedArgs(args: Args, form: FormData): Args | undefined {
  const edited = Object.entries(args).map(([name, value]) => {
    const text = form.get(name) as string;
    return [name, typeof value === 'string' ? text : parsed(text)] as const;
  });
  const isChanged = edited.some(([name, value]) => json(value) !== json(args[name]));
  return isChanged ? Object.fromEntries(edited) : undefined;
}

/** The schema of the tool refuses what is no value of it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function json(value: unknown): string {
  return JSON.stringify(value);
}

type QuestionProps = {
  readonly question: string;
  readonly options?: readonly string[];
  readonly onAnswer: (text: string) => void;
};

export function QuestionForm({ question, options = [], onAnswer }: QuestionProps) {
  const [text, setText] = useState('');
  return (
    <form
      className="question"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onAnswer(text);
      }}
    >
      <p>{question}</p>
      {options.map((option) => (
        <button type="button" key={option} onClick={() => onAnswer(option)}>
          {option}
        </button>
      ))}
      <input
        value={text}
        placeholder="Something else"
        onChange={({ target }) => setText(target.value)}
      />
      <button>Answer</button>
    </form>
  );
}
