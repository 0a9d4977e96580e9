// Keeps the list of open inputs: the questions and calls that this run, and the runs below it, wait for. Runs publish their inputs here,
// answers close them, and status, memo and queries read `pending`. Knows no Temporal.
//
// 1. An input is open while it is in a list and `taken` has no answer for it.
// 2. An approval that does not decide alone is a vote: the input stays open, and each actor counts once.
// 3. `pauseSeq` grows when new inputs open, so that all who wait for one pause can share one update.
// 4. `answers` grows with every answer that decides. The loops wait for it to change.

import { type InputAnswer, LonghaulError, type PendingInput, type Vote } from '../../protocol';
import { TakenAnswers } from './taken-answers';

/** An answer that may be taken, with the open input that it is for. */
export type AdmittedAnswer = {
  readonly answer: InputAnswer;
  readonly asked: PendingInput;
  /** How many more approvals the input needs after this one. 0: the answer decides. */
  readonly missing: number;
};

/** The loop of the run. It asks, and gets the answers. */
export interface Asker {
  feed?(admitted: AdmittedAnswer): void;
}

/** Stands in place of an update id if nobody answered in time. */
export const inputTimeout = 'input-timeout';

type Inputs = readonly PendingInput[];

export class OpenInputs {
  readonly taken: TakenAnswers;
  /** Grows with every answer that decides, so that the loop wakes. A vote gives it nothing to do. */
  answers = 0;
  pauseSeq: number;
  #own: Inputs;
  /**
   * The inputs of runs below, by the workflow id of the asking run. `branch` is this run's own child: the asking run itself, or one above
   * it.
   */
  readonly #below = new Map<string, { readonly branch: string; readonly inputs: Inputs }>();
  #isClosed = false;

  constructor(taken = new TakenAnswers(), own: Inputs = [], pauseSeq = 0) {
    this.taken = taken;
    this.#own = own;
    this.pauseSeq = pauseSeq;
  }

  get pending(): Inputs {
    const below = [...this.#below.values()].flatMap(({ inputs }) => inputs);
    return [...this.#own, ...below].filter(this.#isOpen);
  }

  /** The open inputs that this run itself asked. */
  get ownPending(): Inputs {
    return this.#own.filter(this.#isOpen);
  }

  readonly #isOpen = ({ inputId }: PendingInput): boolean => this.taken.of(inputId) === undefined;

  /** The inputs that the run itself published last, answered or not. */
  get own(): Inputs {
    return this.#own;
  }

  /** True if the run itself has asked this. */
  isOwn(inputId: string): boolean {
    return this.#own.some((input) => input.inputId === inputId);
  }

  /** The child that asked. Undefined if this run asked. */
  childThatAsked(inputId: string): string | undefined {
    if (this.isOwn(inputId)) return undefined;
    for (const [child, { inputs }] of this.#below) {
      if (inputs.some((input) => input.inputId === inputId)) return child;
    }
    return undefined;
  }

  /** The nonce of an open or answered input. It goes into the ids of its answers. */
  nonceOf(inputId: string): string | undefined {
    const open = this.pending.find((input) => input.inputId === inputId);
    return (open ?? this.taken.of(inputId))?.nonce;
  }

  /** Lists what this run itself waits for now. A new input is a new pause. */
  publish(inputs: Inputs): void {
    this.#counting(() => {
      this.#own = inputs;
    });
  }

  /** Lists what a child waits for now. It may not list another run's inputs, because their answers would go astray. */
  publishChild(child: string, inputs: Inputs, branch = child): void {
    const stolen = inputs.find(({ inputId }) => {
      const asker = this.childThatAsked(inputId);
      return this.isOwn(inputId) || (asker !== undefined && asker !== child);
    });
    if (stolen !== undefined)
      throw new LonghaulError(
        'InvalidInput',
        `input '${stolen.inputId}' was not asked by '${child}'`,
      );
    if (this.#isClosed) return;
    this.#counting(() => {
      for (const { inputId, nonce } of inputs) {
        const earlier = this.taken.of(inputId);
        // A child that was reset asks again under the same id. It has lost its earlier answer.
        if (earlier?.child === child && nonce !== undefined && earlier.nonce !== nonce)
          this.taken.forget(inputId);
      }
      if (inputs.length > 0) this.#below.set(child, { branch, inputs });
      else this.#below.delete(child);
    });
  }

  /** A child of this run is gone, with all runs below it. */
  forgetBranch(gone: string): void {
    for (const [child, { branch }] of this.#below) {
      if (branch === gone) this.#below.delete(child);
    }
  }

  /** Gives all open inputs of this run, or one, a new nonce. With the old nonce, the root run or the thread may take them for answered. */
  renew(nonce: () => string, only?: string): void {
    this.#own = this.#own.map((input) => {
      const isMeant = only === undefined || only === input.inputId;
      return isMeant && this.#isOpen(input) ? { ...input, nonce: nonce() } : input;
    });
  }

  /** An answer closes its input, or is a vote. No update id means a signal. */
  take({ answer: { inputId, by }, missing }: AdmittedAnswer, updateId: string | undefined): void {
    if (missing === 0 || by === undefined) return this.close(inputId, updateId, by?.id);
    const { roles: _roles, ...voter } = by;
    this.#addVote(inputId, { by: voter, at: new Date().toISOString() });
  }

  /** Gives the answer to `asker`. If that throws, the input stays open. */
  takeOwn(admitted: AdmittedAnswer, updateId: string | undefined, asker: Asker | undefined): void {
    if (asker?.feed === undefined)
      throw new LonghaulError('InternalError', `nothing here asked '${admitted.asked.inputId}'`);
    asker.feed(admitted);
    this.take(admitted, updateId);
  }

  close(inputId: string, updateId = 'signal', by?: string): void {
    const [nonce, child] = [this.nonceOf(inputId), this.childThatAsked(inputId)];
    this.taken.take(inputId, { updateId, nonce, child, by });
    this.answers += 1;
  }

  #addVote(inputId: string, vote: Vote): void {
    const voted = (inputs: Inputs): Inputs =>
      inputs.map((input) =>
        input.inputId === inputId ? { ...input, votes: [...(input.votes ?? []), vote] } : input,
      );
    this.#own = voted(this.#own);
    for (const [child, { branch, inputs }] of this.#below)
      this.#below.set(child, { branch, inputs: voted(inputs) });
  }

  /** The answer did not reach the child, so nobody waits for the input any more. */
  withdraw(child: string, inputId: string): void {
    this.taken.forget(inputId);
    const { branch = child, inputs = [] } = this.#below.get(child) ?? {};
    const others = inputs.filter((input) => input.inputId !== inputId);
    this.publishChild(child, others, branch);
  }

  /** The run is over, so nothing is open any more. */
  end(): void {
    this.#isClosed = true;
    this.#own = [];
    this.#below.clear();
  }

  /** Runs a change, and counts a pause if there is a new input after it. */
  #counting(change: () => void): void {
    const known = new Set(this.pending.map(({ inputId }) => inputId));
    change();
    if (this.pending.some(({ inputId }) => !known.has(inputId))) this.pauseSeq += 1;
  }
}
