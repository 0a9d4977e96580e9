// What a run shows and what it is asked: status, open inputs, answers taken, signals refused. Knows no Temporal.
//
// 1. An input is answered once: the first answer wins; the same update again is told the same, another is AlreadyAnswered.
// 2. A refused answer changes nothing.
// 3. `pauseSeq` grows with every pause, so that all who wait for one pause can share one update.

import { answerText } from '../../core/machine/answer';
import { budgetAmount } from '../../core/budget/budget';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type {
  AgentRunResult,
  PendingInput,
  RejectedSignal,
  ResumeInput,
  RunStatus,
} from '../../protocol/run';

/** What survives continue-as-new. */
export type CarriedRequests = {
  readonly pauseSeq: number;
  readonly pending: readonly PendingInput[];
  readonly answered: readonly (readonly [inputId: string, updateId: string, nonce?: string])[];
  readonly rejected: readonly RejectedSignal[];
};

type Answered = { readonly updateId: string; readonly nonce: string | undefined };

const keptRejections = 20;

export class PendingRequests {
  status: RunStatus = 'loading';
  result: AgentRunResult | undefined;
  isLoaded = false;
  /** The run is about to continue as new: who waits must ask again. */
  moving = false;
  /** Taken by this execution: the server bounds them. */
  updates = 0;
  /** Grows with every answer taken, so that the loop wakes. */
  answers = 0;
  #pauseSeq = 0;
  #own: readonly PendingInput[] = [];
  /** What children below wait for, by their workflow id; `branch` is this run's own child that the one who asks hangs below. */
  readonly #children = new Map<
    string,
    { readonly branch: string; readonly inputs: readonly PendingInput[] }
  >();
  #answered = new Map<string, Answered>();
  #rejected: RejectedSignal[] = [];

  /** Goes on where the execution before this one stopped. */
  restore(carried: CarriedRequests): void {
    this.#pauseSeq = carried.pauseSeq;
    this.#own = carried.pending;
    this.#answered = new Map(
      carried.answered.map(([inputId, updateId, nonce]) => [inputId, { updateId, nonce }]),
    );
    this.#rejected = [...carried.rejected, ...this.#rejected].slice(-keptRejections);
    this.status = this.pending.length > 0 ? 'needs-input' : 'running';
  }

  /** What runs is known, and takes answers. What an execution before this one asked is known earlier. */
  loaded(): void {
    this.isLoaded = true;
    if (this.status === 'loading') this.status = 'running';
  }

  get pauseSeq(): number {
    return this.#pauseSeq;
  }

  get pending(): readonly PendingInput[] {
    const all = [...this.#own, ...[...this.#children.values()].flatMap(({ inputs }) => inputs)];
    return all.filter((input) => !this.#answered.has(input.inputId));
  }

  /** Of those, what this run itself asked. */
  get ownPending(): readonly PendingInput[] {
    return this.#own.filter((input) => !this.#answered.has(input.inputId));
  }

  get rejected(): readonly RejectedSignal[] {
    return this.#rejected;
  }

  get ended(): boolean {
    return this.status === 'completed' || this.status === 'failed' || this.status === 'cancelled';
  }

  carry(): CarriedRequests {
    return {
      pauseSeq: this.#pauseSeq,
      pending: this.#own,
      answered: [...this.#answered]
        .slice(-limits.answeredInputs)
        .map(([inputId, { updateId, nonce }]) =>
          nonce === undefined ? [inputId, updateId] : [inputId, updateId, nonce],
        ),
      rejected: this.#rejected,
    };
  }

  /** Lists what this run itself waits for now; what was not listed before is a new pause. */
  publish(inputs: readonly PendingInput[]): void {
    this.#change(() => {
      this.#own = inputs;
    });
  }

  /** Lists what a child waits for now. What another one asked it may not list: the answer would go astray. */
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
    if (this.#own.some((input) => input.inputId === inputId)) return true;
    const asker = this.askerOf(inputId);
    return asker !== undefined && asker !== child;
  }

  #listChild(child: string, inputs: readonly PendingInput[], branch: string): void {
    if (this.ended) return;
    this.#change(() => {
      if (inputs.length > 0) this.#children.set(child, { branch, inputs });
      else this.#children.delete(child);
    });
  }

  /** Nobody waits for this one any more. */
  drop(child: string, inputId: string): void {
    const { branch = child, inputs = [] } = this.#children.get(child) ?? {};
    this.#listChild(
      child,
      inputs.filter((input) => input.inputId !== inputId),
      branch,
    );
  }

  /** A child of this run is gone, and all below it. */
  forgetBranch(gone: string): void {
    this.#change(() => {
      for (const [child, { branch }] of this.#children) {
        if (branch === gone) this.#children.delete(child);
      }
    });
  }

  /** The child that asked; undefined when this run did. */
  askerOf(inputId: string): string | undefined {
    if (this.#own.some((input) => input.inputId === inputId)) return undefined;
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
    if (!this.ended) this.status = pending.length > 0 ? 'needs-input' : 'running';
  }

  /** The pending input an answer is for; throws what the asker is told otherwise. Undefined: this very update was taken before. */
  pendingFor(input: { inputId?: string }, updateId: string | undefined): PendingInput | undefined {
    const { inputId } = input;
    if (inputId !== undefined && this.#answered.has(inputId)) {
      if (updateId !== undefined && this.#answered.get(inputId)?.updateId === updateId)
        return undefined;
      throw new LonghaulError(
        'AlreadyAnswered',
        `input '${inputId}' was already answered; the first answer counts`,
      );
    }
    if (this.pending.length === 0) {
      const now = this.status === 'loading' ? 'it is still loading' : `it is ${this.status}`;
      throw new LonghaulError('NotWaiting', `the run is not waiting for an answer: ${now}`);
    }
    if (inputId === undefined) {
      if (this.pending.length === 1) return this.pending[0];
      throw new LonghaulError(
        'AmbiguousInput',
        `several inputs are open, pass one as inputId: ${this.#list()}`,
      );
    }
    const found = this.pending.find((pending) => pending.inputId === inputId);
    if (found === undefined) {
      throw new LonghaulError('NotWaiting', `no open input '${inputId}'; open: ${this.#list()}`);
    }
    return found;
  }

  /** As `addressed`, for a text answer; also refuses what is no answer. */
  question(input: ResumeInput, updateId: string | undefined): PendingInput | undefined {
    answerText(input);
    const found = this.pendingFor(input, updateId);
    if (found?.kind === 'approval') {
      throw new LonghaulError(
        'InvalidAnswer',
        `input '${found.inputId}' is an approval: approve or reject it`,
      );
    }
    if (found?.kind === 'budget') budgetAmount(input.answer);
    return found;
  }

  approval(input: { inputId?: string }, updateId: string | undefined): PendingInput | undefined {
    const found = this.pendingFor(input, updateId);
    if (found !== undefined && found.kind !== 'approval') {
      throw new LonghaulError(
        'InvalidAnswer',
        `input '${found.inputId}' is no approval: answer it with resume`,
      );
    }
    return found;
  }

  /** The run is over: nothing is open any more. */
  close(): void {
    this.#own = [];
    this.#children.clear();
  }

  /** Without an update id it was a signal. */
  take(inputId: string, updateId = 'signal'): void {
    const nonce = this.nonceOf(inputId);
    this.#change(() => this.#answered.set(inputId, { updateId, nonce }));
    this.answers += 1;
  }

  wasAnswered(inputId: string): boolean {
    return this.#answered.has(inputId);
  }

  /** Of an input that is open, or was answered: what the ids of its answers are made of. */
  nonceOf(inputId: string): string | undefined {
    const open = this.pending.find((input) => input.inputId === inputId);
    return (open ?? this.#answered.get(inputId))?.nonce;
  }

  /** The answer did not reach who asked. */
  reopen(inputId: string): void {
    this.#answered.delete(inputId);
  }

  refuse(rejection: RejectedSignal): void {
    this.#rejected.push(rejection);
    if (this.#rejected.length > keptRejections) this.#rejected.shift();
  }

  #list(): string {
    return this.pending.map((pending) => `'${pending.inputId}' (${pending.path})`).join(', ');
  }
}
