// What a client of AG-UI answers, as answers to open inputs.

import { defined, isJsonObject, type Json } from '../../base';
import type { PendingInput } from '../../protocol';
import { HttpProblem } from '../problems';
import { type Reply, replyWith, replyWithout } from '../segment';
import { argumentsOf } from './conversation';
import { waitingCall } from './names';
import type { ClientOutput, ResumeEntry } from './run-input';

const gaveUp = 'The user gave no answer.';

/** `turn`: the workflow id. Results count only for calls that wait for the client. */
export function repliesOf(
  turn: string,
  open: readonly PendingInput[],
  given: {
    readonly entries: readonly ResumeEntry[];
    readonly outputs: readonly ClientOutput[];
  },
): readonly Reply[] {
  const answered = given.entries.map((entry) => {
    const { interruptId: inputId } = entry;
    const input = open.find((each) => each.inputId === inputId);
    return replyTo(input ?? { inputId, kind: kindOf(inputId) }, entry);
  });
  const done = given.outputs.flatMap((output) => {
    const { toolCallId, error } = output;
    const input = open.find(
      (each) => each.kind === 'tool' && waitingCall(turn, each) === toolCallId,
    );
    if (input === undefined || answered.some(({ inputId }) => inputId === input.inputId)) return [];
    return [
      error === undefined ? replyWith(input, valueOf(output, input)) : replyWithout(input, error),
    ];
  });
  return [...answered, ...done];
}

type Asked = Pick<PendingInput, 'inputId' | 'kind'>;

function replyTo(input: Asked, { isCancelled, payload, seen }: ResumeEntry): Reply {
  if (isCancelled) return { ...replyWithout(input, gaveUp), isOptional: true };
  if (input.kind === 'approval') return verdictOf(input.inputId, payload, seen);
  if (payload === undefined || (payload === null && input.kind !== 'tool'))
    throw invalid('an answer must have a payload');
  return replyWith(input, payload);
}

function verdictOf(inputId: string, payload: Json | undefined, seen: string | undefined): Reply {
  const said = { inputId, ...defined({ seen }) };
  const { approved, editedArgs: args, reason } = isJsonObject(payload) ? payload : {};
  const why = typeof reason === 'string' && { reason };
  if (approved === true && (args === undefined || isJsonObject(args)))
    return { kind: 'approve', ...said, ...why, ...defined({ args }) };
  if (approved === false && (reason === undefined || typeof reason === 'string'))
    return { kind: 'reject', ...said, ...why };
  throw invalid(
    'the payload for an approval must be {approved: true, editedArgs?} or {approved: false, reason?}',
  );
}

/** A result travels as text. It is JSON, unless its tool wants a text. */
function valueOf({ content }: ClientOutput, { schema }: PendingInput): Json {
  return schema?.['type'] === 'string' ? content : (argumentsOf(content) as Json);
}

/** Of an input that is not open now. */
function kindOf(inputId: string): PendingInput['kind'] {
  if (/^a\d/.test(inputId)) return 'approval';
  if (/^budget-/.test(inputId)) return 'budget';
  return /^t\d/.test(inputId) ? 'tool' : 'question';
}

function invalid(detail: string): HttpProblem {
  return new HttpProblem('InvalidAnswer', { detail });
}
