// Messages between runs: a child's open inputs, its result, its spending, and the answers on their way down.
//
// 1. Anybody may send such a message. The run reads it whole or refuses it, before anything changes. A run of a newer version may send
//    members that this version does not know. These are ignored, because nobody sends the message again.
// 2. A run reports what it waits for as the whole list, in order.
// 3. A list that fits into a message travels unchanged. A longer list leaves things out. The log of the asking run has the calls, the
//    previews and the whole questions; it checks answers against the schemas. The last inputs follow in a new list after an answer.

import {
  CancellationScope,
  getExternalWorkflowHandle,
  patched,
  workflowInfo,
} from '@temporalio/workflow';
import { clipText, formatProblem, knownPart, quote, shapeProblem, utf8Length } from '../../base';
import { answerSchemaProblem } from '../../core/schema/schema-problem';
import { checkJson } from '../../core/session';
import {
  type ChildInputs,
  childInputsShape,
  type ChildOutcome,
  type ChildResult,
  childResultMessage,
  childSpendMessage,
  type InputAnswer,
  limits,
  type Lineage,
  LonghaulError,
  type PendingInput,
  type RunSpend,
  type Shaped,
  signalNames,
} from '../../protocol';
import { withinBytes } from '../../core/machine/questions';

/** Whether a message may have members that this version does not know. A run that has refused one refuses it again when it is replayed. */
export const mayGrow = (): boolean => patched('longhaul:messages-grow');

export function childInputs(payload: unknown, isTolerant: () => boolean): ChildInputs {
  const message = read(payload, childInputsShape, isTolerant);
  const known = new Set<string>();
  for (const { inputId, schema } of message.inputs) {
    if (known.has(inputId))
      throw new LonghaulError('InvalidInput', `inputs lists ${quote(inputId)} a second time`);
    known.add(inputId);
    const problem = schema && answerSchemaProblem(schema);
    if (problem !== undefined)
      throw new LonghaulError(
        'InvalidInput',
        `the schema of input ${quote(inputId)} cannot be used: ${formatProblem(problem)}`,
      );
  }
  return message;
}

export function childOutcome(payload: unknown, isTolerant: () => boolean): ChildOutcome {
  const tellsSpend = typeof payload === 'object' && payload !== null && 'spend' in payload;
  return read<ChildOutcome>(
    payload,
    tellsSpend ? childSpendMessage : childResultMessage,
    isTolerant,
  );
}

function read<Value>(payload: unknown, shape: Shaped<Value>, isTolerant: () => boolean): Value {
  const violation = checkJson(payload);
  if (violation !== undefined) {
    throw new LonghaulError('InvalidInput', `${violation.path} is not JSON: ${violation.problem}`);
  }
  const problem = shapeProblem(shape, payload);
  if (problem === undefined) return payload as Value;
  const known = knownPart(shape, payload);
  if (shapeProblem(shape, known) === undefined && isTolerant()) return known as Value;
  throw new LonghaulError('InvalidInput', formatProblem(problem));
}

/** The place of the reporting run in its tree. */
type Position = {
  readonly workflowId: string;
  readonly isRoot: boolean;
  readonly lineage: Pick<Lineage, 'branch'>;
  readonly reportsTo: string | undefined;
};

export class InputReporter {
  readonly #root: string;
  readonly #position: Position;
  #sent: string | undefined;
  #sending = Promise.resolve();
  /** Called when the server has a report. */
  onSent: () => void = () => undefined;

  constructor(root: string, position: Position, isContinued: boolean) {
    this.#root = root;
    this.#position = position;
    this.#sent = isContinued ? undefined : '';
  }

  /**
   * Undefined if nothing else lists the run's questions. A continued run does not know what the execution before it sent last, so it
   * reports even an empty list.
   */
  static of(position: Position, isContinued: boolean): InputReporter | undefined {
    const { reportsTo } = position;
    return reportsTo === undefined
      ? undefined
      : new InputReporter(reportsTo, position, isContinued);
  }

  /** Reports what this child waits for now, unless the last report was the same. */
  report(inputs: readonly PendingInput[]): void {
    const ids = inputs.map(reportKey).join(' ');
    if (ids === this.#sent) return;
    this.#sent = ids;
    this.#send(this.#position.workflowId, inputsThatTravel(inputs, limits.sentInputsBytes));
  }

  /** A child of this run is gone. A thread does not list the questions of runs below its turn. */
  forget(child: string): void {
    if (!this.#position.isRoot) this.#send(child, []);
  }

  /** Resolves when the server has everything sent, also what was sent meanwhile. */
  async flush(): Promise<void> {
    let sending: Promise<void>;
    do {
      sending = this.#sending;
      await sending;
    } while (sending !== this.#sending && patched('longhaul:sends-all'));
  }

  /** Ignores a failed send: if the root run is gone, the server ends this run, too. */
  #send(child: string, inputs: readonly PendingInput[]): void {
    const { branch = this.#position.workflowId } = this.#position.lineage;
    const message: ChildInputs = { child, ...(branch !== child && { branch }), inputs };
    const root = getExternalWorkflowHandle(this.#root);
    this.#sending = this.#sending
      .then(() => root.signal(signalNames.childInputs, message))
      .catch(() => undefined)
      .then(() => this.onSent());
  }
}

/** A text that changes when an open input changes. */
const reportKey = ({ inputId, nonce, votes, by }: PendingInput): string =>
  [inputId, nonce, votes?.length, by && JSON.stringify(by)].join(' ');

/** Sends an answer down. It uses the workflow id only, because a reset gave the child another execution. */
export async function sendAnswer(child: string, answer: InputAnswer): Promise<void> {
  await getExternalWorkflowHandle(child).signal(signalNames.answer, answer);
}

/** Sends this run's result or spend to the run that called it. A caller that is gone needs neither. */
export async function reportToCaller(
  came: { readonly result: ChildResult } | { readonly spend: RunSpend },
): Promise<void> {
  const { parent, workflowId } = workflowInfo();
  if (parent === undefined) return;
  const outcome: ChildOutcome = { child: workflowId, ...came };
  await getExternalWorkflowHandle(parent.workflowId)
    .signal(signalNames.childResult, outcome)
    .catch(() => undefined);
}

/** Gives a message back to the thread that passed it on. The run does not close before the thread has it. */
export async function giveBack(messageId: string): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) return;
  await CancellationScope.nonCancellable(() =>
    getExternalWorkflowHandle(parent.workflowId).signal(signalNames.giveBack, { messageId }),
  ).catch(() => undefined);
}

/** A question that is cut to less is of no use. */
const shortestQuestion = 128;

/** Cuts the list to `most` bytes of JSON. It leaves out calls, previews and schemas, then shortens the questions, then drops the last inputs. */
export function inputsThatTravel(
  inputs: readonly PendingInput[],
  most: number = limits.replies,
): readonly PendingInput[] {
  if (countWithin(inputs, most) === inputs.length) return inputs;
  const bare = inputs.map(
    ({ call: _call, preview: _preview, schema: _schema, ...input }): PendingInput => input,
  );
  for (let bytes: number = limits.question; bytes >= shortestQuestion; bytes /= 4) {
    const cut = bare.map((input) => shortened(input, bytes));
    if (countWithin(cut, most) === cut.length) return cut;
  }
  const shortest = bare.map((input) => shortened(input, shortestQuestion));
  return shortest.slice(0, countWithin(shortest, most));
}

function shortened(input: PendingInput, bytes: number): PendingInput {
  const { question, options } = input;
  return {
    ...input,
    question: clipText(question, bytes),
    ...(options && { options: withinBytes(options, bytes) }),
  };
}

/** An input for a hook of a worker, without what history has elsewhere: at most `limits.hookInput`. */
export function inputForHook({ schema: _schema, ...input }: PendingInput): PendingInput {
  const [whole] = inputsThatTravel([input], limits.hookInput);
  if (whole !== undefined) return whole;
  const { call: _call, preview: _preview, votes: _votes, by: _by, ...small } = input;
  return shortened(small, shortestQuestion);
}

/** How many of the first inputs fit. It measures one by one, because all of them together may be too long for a string. */
function countWithin(inputs: readonly PendingInput[], most: number): number {
  let bytes = 2;
  for (const [index, input] of inputs.entries()) {
    bytes += utf8Length(JSON.stringify(input)) + 1;
    if (bytes > most) return index;
  }
  return inputs.length;
}
