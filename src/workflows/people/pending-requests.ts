// The requests of a run: its status, open inputs, taken answers and refused signals. Knows no Temporal.
//
// 1. Each input has one answer. The first answer counts: the same update again gets the same reply, another one gets AlreadyAnswered.
// 2. A refused answer changes nothing.
// 3. An approval that does not decide alone is a vote: the input stays open, and each actor counts once.
// 4. `pauseSeq` grows with every pause, so that all who wait for one pause can share one update.

import { listInputs, severalOpen } from '../../core/machine/answer';
import { checkRight } from '../../core/people/rights';
import { checkVerdict, missingApprovals } from '../../core/people/verdicts';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { Vote } from '../../protocol/people';
import {
  hasEnded,
  type AgentRunResult,
  type InputAnswer,
  type PendingInput,
  type RejectedSignal,
  type RunStatus,
} from '../../protocol/run';
import { stored } from '../../core/stored-format';
import { type Answer, checkFits } from './answers';
import { checkInTime } from './due';
import { type CarriedTokens, ResultTokens } from './result-tokens';

/** What survives continue-as-new. */
export type CarriedRequests = {
  readonly pauseSeq: number;
  readonly pending: readonly PendingInput[];
  readonly answered: readonly CarriedAnswer[];
  readonly rejected: readonly RejectedSignal[];
  readonly tokens?: CarriedTokens;
};

export const carriedRequestsShape = stored({
  pauseSeq: 'number',
  pending: 'array',
  answered: 'array',
  rejected: 'array',
});

/** `by`: the id of the actor who answered. */
type CarriedAnswer = readonly [
  inputId: string,
  updateId: string,
  nonce?: string | null,
  by?: string,
];

/** Asks in the name of the run itself, and takes the answers. */
export interface Asker {
  feed(answer: InputAnswer, asked: PendingInput): void;
}

/** How a run ends. */
export type EndStatus = Exclude<RunStatus, 'loading' | 'running' | 'needs-input'>;

type Answered = {
  readonly updateId: string;
  readonly nonce: string | undefined;
  /** The child that asked. Undefined if this run asked. */
  readonly child?: string | undefined;
  readonly by?: string | undefined;
};

const keptRejections = 20;

/** In the place of an update id: the time of the input was over. */
const inputTimeout = 'input-timeout';

export class PendingRequests {
  readonly tokens = new ResultTokens();
  #status: RunStatus = 'loading';
  #result: AgentRunResult | undefined;
  #asker: Asker | undefined;
  #isLoaded = false;
  #isMoving = false;
  #isDetached = false;
  #updates = 0;
  #answers = 0;
  #pauseSeq = 0;
  #own: readonly PendingInput[] = [];
  /** What runs below wait for, by their workflow id. `branch` is this run's own child: the asking run itself, or one above it. */
  readonly #children = new Map<
    string,
    { readonly branch: string; readonly inputs: readonly PendingInput[] }
  >();
  #answered = new Map<string, Answered>();
  #rejected: RejectedSignal[] = [];

  /** Continues where the execution before this one stopped. */
  restore(carried: CarriedRequests): void {
    this.#pauseSeq = carried.pauseSeq;
    this.#own = carried.pending;
    this.#answered = new Map(
      carried.answered.map(([inputId, updateId, nonce, by]) => [
        inputId,
        { updateId, nonce: nonce ?? undefined, by },
      ]),
    );
    this.#rejected = [...carried.rejected, ...this.#rejected].slice(-keptRejections);
    this.tokens.restore(carried.tokens ?? []);
    this.#status = this.pending.length > 0 ? 'needs-input' : 'running';
  }

  /** The definition is known, so the run takes answers. A continued run knows its old questions even earlier. */
  loaded(): void {
    this.#isLoaded = true;
    if (this.#status === 'loading') this.#status = 'running';
  }

  /** Answers to this run's own inputs go to `asker`. */
  answersTo(asker: Asker): void {
    this.#asker = asker;
  }

  /** The run is about to continue as new, so everyone who waits must ask again. */
  move(): void {
    this.#isMoving = true;
  }

  /** Nobody needs the result any more, so nobody answers. */
  detach(): void {
    this.#isDetached = true;
  }

  /** The run is over, so nothing is open any more. */
  end(status: EndStatus, result?: AgentRunResult): void {
    this.#status = status;
    this.#result = result;
    this.#own = [];
    this.#children.clear();
  }

  /** This execution has taken an update. The server limits their number. */
  countUpdate(): void {
    this.#updates += 1;
  }

  get status(): RunStatus {
    return this.#status;
  }

  get result(): AgentRunResult | undefined {
    return this.#result;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  get updates(): number {
    return this.#updates;
  }

  /** Grows with every taken answer, so that the loop wakes. A vote gives it nothing to do. */
  get answers(): number {
    return this.#answers;
  }

  get pauseSeq(): number {
    return this.#pauseSeq;
  }

  get pending(): readonly PendingInput[] {
    const all = [...this.#own, ...[...this.#children.values()].flatMap(({ inputs }) => inputs)];
    return all.filter((input) => !this.#answered.has(input.inputId));
  }

  /** The open inputs that this run itself asked. */
  get ownPending(): readonly PendingInput[] {
    return this.#own.filter((input) => !this.#answered.has(input.inputId));
  }

  /** True if the run itself has asked this. */
  isOwn(inputId: string): boolean {
    return this.#own.some((input) => input.inputId === inputId);
  }

  get rejected(): readonly RejectedSignal[] {
    return this.#rejected;
  }

  get ended(): boolean {
    return hasEnded(this.#status);
  }

  carry(): CarriedRequests {
    const answered = [...this.#answered].slice(-limits.answeredInputs);
    const known = new Set([...answered.map(([id]) => id), ...this.#own.map((own) => own.inputId)]);
    const tokens = this.tokens.carry((inputId) => known.has(inputId));
    return {
      pauseSeq: this.#pauseSeq,
      pending: this.#own,
      answered: answered.map(([inputId, answer]) => carriedAnswer(inputId, answer)),
      rejected: this.#rejected,
      ...(tokens.length > 0 && { tokens }),
    };
  }

  /** Lists what this run itself waits for now. A new input is a new pause. */
  publish(inputs: readonly PendingInput[]): void {
    this.#change(() => void (this.#own = inputs));
  }

  /** The root run or the thread may believe open inputs answered, so all of them, or one, get new nonces. */
  renew(nonce: () => string, only?: string): void {
    this.#own = this.#own.map((input) => {
      const { inputId } = input;
      const isMeant = only === undefined || only === inputId;
      return this.#answered.has(inputId) || !isMeant ? input : { ...input, nonce: nonce() };
    });
  }

  /** Lists what a child waits for now. It may not list another run's inputs, because their answers would go astray. */
  publishChild(child: string, inputs: readonly PendingInput[], branch = child): void {
    const stolen = inputs.find(({ inputId }) => this.#isAskedByAnother(child, inputId));
    if (stolen !== undefined)
      throw new LonghaulError(
        'InvalidInput',
        `input '${stolen.inputId}' was not asked by '${child}'`,
      );
    this.#listChild(child, inputs, branch);
  }

  #isAskedByAnother(child: string, inputId: string): boolean {
    const asker = this.askerOf(inputId);
    return this.isOwn(inputId) || (asker !== undefined && asker !== child);
  }

  #listChild(child: string, inputs: readonly PendingInput[], branch: string): void {
    if (this.ended) return;
    this.#change(() => {
      for (const { inputId, nonce } of inputs) {
        const earlier = this.#answered.get(inputId);
        // A child that was reset asks again under the same id. It has lost its earlier answer.
        if (earlier?.child === child && nonce !== undefined && earlier.nonce !== nonce)
          this.#answered.delete(inputId);
      }
      if (inputs.length > 0) this.#children.set(child, { branch, inputs });
      else this.#children.delete(child);
    });
  }

  /** Nobody waits for this input any more. */
  drop(child: string, inputId: string): void {
    const { branch = child, inputs = [] } = this.#children.get(child) ?? {};
    this.#listChild(
      child,
      inputs.filter((input) => input.inputId !== inputId),
      branch,
    );
  }

  /** A child of this run is gone, with all runs below it. */
  forgetBranch(gone: string): void {
    this.#change(() => {
      for (const [child, { branch }] of this.#children) {
        if (branch === gone) this.#children.delete(child);
      }
    });
  }

  /** The child that asked, or undefined if this run asked. */
  askerOf(inputId: string): string | undefined {
    if (this.isOwn(inputId)) return undefined;
    for (const [child, { inputs }] of this.#children) {
      if (inputs.some((input) => input.inputId === inputId)) return child;
    }
    return undefined;
  }

  #change(change: () => void): void {
    const known = new Set(this.pending.map((input) => input.inputId));
    change();
    const { pending } = this;
    if (pending.some((input) => !known.has(input.inputId))) this.#pauseSeq += 1;
    if (!this.ended) this.#status = pending.length > 0 ? 'needs-input' : 'running';
  }

  /**
   * The open input that an answer is for. Undefined if this very update was taken before; a signal has no update id. Throws everything else
   * that the sender must know.
   */
  pendingFor(answer: Answer, updateId: string | undefined): PendingInput | undefined {
    const { inputId } = answer;
    if ('proof' in answer) this.tokens.check(answer.inputId, answer.proof);
    const earlier = inputId === undefined ? undefined : this.#answered.get(inputId);
    if (earlier?.updateId === inputTimeout)
      throw new LonghaulError('NotWaiting', `nobody answered '${inputId}' in time`);
    if (earlier !== undefined) {
      if (updateId !== undefined && earlier.updateId === updateId) return undefined;
      const who = earlier.by === undefined ? '' : ` by '${earlier.by}'`;
      throw new LonghaulError(
        'AlreadyAnswered',
        `input '${inputId}' was already answered${who}; the first answer counts`,
        { details: { ...(earlier.by !== undefined && { by: earlier.by }) } },
      );
    }
    const found = this.#find(inputId);
    checkFits(found, answer);
    checkRight(found, answer);
    checkInTime(found, Date.now());
    checkVerdict(found, answer);
    return found;
  }

  #find(inputId: string | undefined): PendingInput {
    const { pending } = this;
    const [first] = pending;
    if (first === undefined) {
      const now = this.#status === 'loading' ? 'it is still loading' : `it is ${this.#status}`;
      throw new LonghaulError('NotWaiting', `the run is not waiting for an answer: ${now}`);
    }
    if (inputId === undefined) {
      if (pending.length === 1) return first;
      throw severalOpen(pending);
    }
    const found = pending.find((input) => input.inputId === inputId);
    if (found !== undefined) return found;
    const open = listInputs(pending);
    throw new LonghaulError('NotWaiting', `no open input '${inputId}'; open: ${open}`);
  }

  /** Gives the answer to the asker of this run. */
  answerOwn(answer: InputAnswer, asked: PendingInput, updateId: string | undefined): void {
    if (this.#asker === undefined)
      throw new LonghaulError('InternalError', `nothing here asked '${answer.inputId}'`);
    this.#asker.feed(answer, asked);
    this.count(answer, asked, updateId);
  }

  /** An answer closes its input, or is a vote. */
  count(answer: InputAnswer, asked: PendingInput, updateId: string | undefined): void {
    const { by } = answer;
    if (missingApprovals(asked, answer) === 0 || by === undefined)
      return this.take(answer.inputId, updateId, by?.id);
    const { roles: _roles, ...voter } = by;
    this.#vote(answer.inputId, { by: voter, at: new Date().toISOString() });
  }

  /** Nobody has answered in time. */
  expire(inputId: string): void {
    this.take(inputId, inputTimeout);
  }

  /** No update id means a signal. */
  take(inputId: string, updateId = 'signal', by?: string): void {
    const [nonce, child] = [this.nonceOf(inputId), this.askerOf(inputId)];
    this.#change(() => this.#answered.set(inputId, { updateId, nonce, child, by }));
    this.#answers += 1;
  }

  #vote(inputId: string, vote: Vote): void {
    const counted = (inputs: readonly PendingInput[]): readonly PendingInput[] =>
      inputs.map((input) =>
        input.inputId === inputId ? { ...input, votes: [...(input.votes ?? []), vote] } : input,
      );
    this.#change(() => {
      this.#own = counted(this.#own);
      for (const [child, { branch, inputs }] of this.#children)
        this.#children.set(child, { branch, inputs: counted(inputs) });
    });
  }

  wasAnswered(inputId: string): boolean {
    return this.#answered.has(inputId);
  }

  /** The nonce of an open or answered input. It goes into the ids of its answers. */
  nonceOf(inputId: string): string | undefined {
    const open = this.pending.find((input) => input.inputId === inputId);
    return (open ?? this.#answered.get(inputId))?.nonce;
  }

  /** The answer did not reach the asker. */
  reopen(inputId: string): void {
    this.#answered.delete(inputId);
  }

  refuse(rejection: RejectedSignal): void {
    this.#rejected.push(rejection);
    if (this.#rejected.length > keptRejections) this.#rejected.shift();
  }
}

function carriedAnswer(inputId: string, { updateId, nonce, by }: Answered): CarriedAnswer {
  if (by !== undefined) return [inputId, updateId, nonce ?? null, by];
  return nonce === undefined ? [inputId, updateId] : [inputId, updateId, nonce];
}
