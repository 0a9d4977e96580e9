// Something that waits for a person: an approval, a question, the result of a client tool, or a budget. In the chat and in the inbox.

import { type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import type { PendingInput } from 'longhaul/client';
import { call, me, type Refusal } from './backend';
import { Fields, json, readFields, type Schema, type Values, ValueView, words } from './fields';

export type Input = Omit<PendingInput, 'schema'> & { readonly schema?: Schema };

type CardProps = {
  readonly input: Input;
  readonly workflowId: string;
  /** What else to say in the head. */
  readonly about?: string;
  readonly onDone: () => void | Promise<void>;
};

export function InputCard({ input, workflowId, about, onDone }: CardProps) {
  const id = useId();
  const [problem, setProblem] = useState<Refusal>();
  const [isSent, setIsSent] = useState(false);
  const { kind, preview, question, digest } = input;
  const isMine = mayDecide(input);
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as unknown as { submitter: HTMLButtonElement };
    const { verb, body } = answerOf(input, submitter, new FormData(event.currentTarget));
    const path = `/runs/${encodeURIComponent(workflowId)}/inputs/${encodeURIComponent(input.inputId)}`;
    setIsSent(true);
    try {
      // `seen`: if something else is open by now, the run refuses the answer.
      await call(`${path}/${verb}`, { ...body, ...(digest !== undefined && { seen: digest }) });
      setProblem(undefined);
      await onDone();
    } catch (error) {
      setProblem(error as Refusal);
    }
    setIsSent(false);
  };
  return (
    <form
      className="card"
      data-waits={input.call?.name ?? kind}
      aria-labelledby={`${id}-title`}
      onSubmit={(event) => void submit(event)}
    >
      <h2 id={`${id}-title`} tabIndex={-1}>
        {titleOf(input)} {about && <small>{about}</small>}
      </h2>
      <p>{preview ?? (kind === 'approval' ? undefined : question)}</p>
      {problem && <Problem problem={problem} />}
      {isMine ? (
        <fieldset disabled={isSent}>
          {kind === 'approval' ? (
            <Approval {...{ input, id, problem }} />
          ) : (
            <Question {...{ input, id, problem }} />
          )}
        </fieldset>
      ) : (
        <>
          <ValueView value={input.call?.args ?? {}} />
          <p className="who">{whoDecides(input)}</p>
        </>
      )}
    </form>
  );
}

type FormProps = {
  readonly input: Input;
  readonly id: string;
  readonly problem: Refusal | undefined;
};

/** Each argument may be changed. */
function Approval({ input: { schema = {}, call }, id, problem }: FormProps) {
  return (
    <>
      <Fields schema={schema} values={call?.args ?? {}} errors={errorsIn(problem)} id={id} />
      <div className="field">
        <label htmlFor={`${id}--reason`}>Reason</label>
        <input id={`${id}--reason`} name="#reason" placeholder="If you reject it" />
      </div>
      <div className="buttons">
        <button className="approve" value="approve">
          Approve
        </button>
        <button className="reject" value="reject" formNoValidate>
          Reject
        </button>
      </div>
    </>
  );
}

function Question({ input: { kind, options = [], schema }, id, problem }: FormProps) {
  return (
    <>
      <div className="buttons">
        {options.map((option) => (
          <button key={option} value="option" data-option={option} formNoValidate>
            {option}
          </button>
        ))}
      </div>
      <Fields schema={membersOf(schema)} values={{}} errors={errorsIn(problem)} id={id} />
      <div className="buttons">
        <button className="approve" value="answer">
          Answer
        </button>
        {kind === 'tool' && (
          <button className="reject" value="fail" formNoValidate>
            I cannot
          </button>
        )}
      </div>
    </>
  );
}

/** The errors of fields stand beside them. */
function Problem({ problem }: { readonly problem: Refusal }) {
  const isMarked = Object.keys(errorsIn(problem)).some(
    (field) => field !== 'args' && field !== 'value',
  );
  const ref = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    ref.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    ref.current?.scrollIntoView({ block: 'nearest' });
  }, [problem]);
  return (
    <p className="error" role="alert" ref={ref}>
      {isMarked ? 'Please look at the marked fields.' : problem.message}
    </p>
  );
}

/** `/args/seat` is about the field `seat`, `/answer` about the only one. */
function errorsIn(problem: Refusal | undefined): Readonly<Record<string, string>> {
  const named = problem?.errors.map(({ pointer, detail }) => {
    const [, member = '', field = member] = pointer.split('/');
    return [field, detail] as const;
  });
  return Object.fromEntries(named ?? []);
}

/** A schema of a single value is a form of one field. */
function membersOf(schema: Schema = { type: 'string' }): Schema {
  if (schema.type === 'object') return schema;
  return { properties: { answer: schema }, required: ['answer'] };
}

type Answer = {
  readonly verb: 'approve' | 'reject' | 'answer' | 'complete' | 'fail';
  readonly body: object;
};

function answerOf(input: Input, submitter: HTMLButtonElement, form: FormData): Answer {
  switch (submitter.value) {
    case 'approve':
      return { verb: 'approve', body: changesIn(input, form) };
    case 'reject':
      return { verb: 'reject', body: { reason: form.get('#reason') || 'Not approved.' } };
    case 'fail':
      return { verb: 'fail', body: { reason: `${me.name} could not do it.` } };
    case 'option':
      return { verb: 'answer', body: { answer: submitter.dataset['option'] } };
    default:
      return given(input, form);
  }
}

function changesIn({ schema = {}, call }: Input, form: FormData): object {
  const args = call?.args ?? {};
  const edited = readFields(form, schema, args);
  return isSame(args, edited) ? {} : { args: edited };
}

function given({ kind, schema }: Input, form: FormData): Answer {
  const read = readFields(form, membersOf(schema), {});
  const value = schema?.type === 'object' ? read : read['answer'];
  if (kind === 'tool') return { verb: 'complete', body: { value } };
  return { verb: 'answer', body: { answer: value } };
}

function isSame(args: Values, edited: Values): boolean {
  return Object.keys(edited).every((name) => json(edited[name]) === json(args[name]));
}

const titles: Readonly<Record<Input['kind'], string>> = {
  approval: 'needs approval',
  question: 'A question for you',
  tool: 'needs a result',
  budget: 'The budget is used up',
};

function titleOf({ kind, call }: Input): string {
  const isCall = call !== undefined && (kind === 'approval' || kind === 'tool');
  return isCall ? `${words(call.name)} ${titles[kind]}` : titles[kind];
}

/** The server decides. This only tells people before they try. */
function mayDecide(input: Input): boolean {
  const { by } = input;
  if (by === undefined) return true;
  const { roles, ids } = by;
  const isNamed =
    (roles === undefined && ids === undefined) ||
    ids?.includes(me.user) === true ||
    me.roles?.some((role) => roles?.includes(role)) === true;
  return isNamed && !isExcluded(input);
}

function isExcluded({ by, requester, speakers = [] }: Input): boolean {
  const { not = [] } = by ?? {};
  const hasAsked = not.includes('requester') && requester === me.user;
  return hasAsked || (not.includes('speakers') && speakers.includes(me.user));
}

function whoDecides({ by }: Input): string {
  const named = [...(by?.roles ?? []).map((role) => `a ${role}`), ...(by?.ids ?? [])];
  const who = named.length > 0 ? named.join(' or ') : 'somebody else';
  return `Only ${who} may decide this. You can go on writing meanwhile.`;
}
