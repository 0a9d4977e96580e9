// The turns of a thread: which came, which is next, what became of each. Knows no Temporal.
//
// 1. A message id is one turn: the same id again is told of the same turn.
// 2. Turns are taken in order of arrival, one at a time.
// 3. Older turns' texts stand in the log; here only what tells them apart is kept, the last so many.

import type { RunInput } from '../protocol/run';
import type { SendInput, SendReply, TurnView } from '../protocol/thread';

/** A turn that is not done: what its run needs is still here. */
export type OpenTurn = SendInput & SendReply & { readonly createdAt: string; readonly id: string };

export type CarriedTurns = {
  readonly count: number;
  readonly queue: readonly OpenTurn[];
  readonly done: readonly TurnView[];
};

/** Turns a thread can tell of. */
const kept = 1_000;

export class ThreadTurns {
  #count = 0;
  #queue: OpenTurn[] = [];
  #running: OpenTurn | undefined;
  #done: TurnView[] = [];
  /** Where a done turn stands, by its message id. */
  readonly #byMessage = new Map<string, TurnView>();

  restore({ count, queue, done }: CarriedTurns): void {
    this.#count = count;
    this.#queue = [...queue];
    done.forEach((turn) => this.#remember(turn));
  }

  carry(): CarriedTurns {
    return { count: this.#count, queue: this.#queue, done: this.#done };
  }

  get running(): OpenTurn | undefined {
    return this.#running;
  }

  get isIdle(): boolean {
    return this.#running === undefined && this.#queue.length === 0;
  }

  get hasNext(): boolean {
    return this.#queue.length > 0;
  }

  /** The number the next turn will have. */
  get nextTurn(): number {
    return this.#count + 1;
  }

  /** The turn this message became before; undefined for a new one. */
  known(messageId: string): SendReply | undefined {
    const open = [this.#running, ...this.#queue].find((turn) => turn?.messageId === messageId);
    const found = open ?? this.#byMessage.get(messageId);
    return found && { messageId, turn: found.turn, runId: found.runId };
  }

  add(turn: OpenTurn): void {
    this.#count = turn.turn;
    this.#queue.push(turn);
  }

  /** A turn that a store kept. */
  addDone(turn: TurnView): void {
    this.#count = turn.turn;
    this.#remember(turn);
  }

  next(): OpenTurn | undefined {
    this.#running = this.#queue.shift();
    return this.#running;
  }

  finish(end: Pick<TurnView, 'status' | 'assistant' | 'failure'>): void {
    const turn = this.#running;
    this.#running = undefined;
    if (turn !== undefined) this.#remember({ ...viewOf(turn), ...end });
  }

  /** All turns that are done are forgotten; those that wait are not. */
  clear(): void {
    this.#done = [];
    this.#byMessage.clear();
  }

  /** The oldest first. */
  views(): readonly TurnView[] {
    const running = this.#running ? [{ ...viewOf(this.#running), status: 'running' as const }] : [];
    const queued = this.#queue.map((turn) => ({ ...viewOf(turn), status: 'queued' as const }));
    return [...this.#done, ...running, ...queued];
  }

  #remember(turn: TurnView): void {
    this.#done.push(turn);
    this.#byMessage.set(turn.messageId, turn);
    if (this.#done.length <= kept) return;
    const dropped = this.#done.shift();
    if (dropped !== undefined) this.#byMessage.delete(dropped.messageId);
  }
}

function viewOf({ messageId, turn, runId, createdAt, input }: OpenTurn): Omit<TurnView, 'status'> {
  return { messageId, turn, runId, createdAt, user: shown(input) };
}

/** What was said stands in the log; a media part is not kept twice. */
function shown(input: RunInput['input']): RunInput['input'] {
  if (typeof input === 'string') return input;
  return input.map((part) =>
    part.type === 'text' ? part : { type: 'text' as const, text: `[${part.mediaType}]` },
  );
}
