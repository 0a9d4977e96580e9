// The turns of a thread: which came, which is next, what became of each. Knows no Temporal.
//
// 1. A message id is one turn: the same id again is told of the same turn.
// 2. Turns are taken in order of arrival, one at a time, and no two came at the same time: a store orders them by it.
// 3. What was said in a turn that is remembered stands in the log, and nowhere else.

import { saidTurns, type SaidTurn } from '../core/memory';
import { clipText, utf8Length } from '../core/text';
import { limits } from '../protocol/limits';
import type { LogEntry } from '../protocol/log';
import type { RunInput } from '../protocol/run';
import type { SendInput, SendReply, TurnView } from '../protocol/thread';

/** A turn that is not done: what its run needs is still here. */
export type OpenTurn = SendInput & SendReply & { readonly createdAt: string; readonly id: string };

/** A turn that is done; without its texts where the log has them. */
export type DoneTurn = Omit<TurnView, 'user' | 'assistant' | 'behind'> & {
  readonly isRemembered: boolean;
  readonly user?: string;
};

export type CarriedTurns = {
  readonly count: number;
  readonly lastTime: number;
  readonly queue: readonly OpenTurn[];
  readonly done: readonly DoneTurn[];
};

/** Turns a thread can tell of. */
const kept = 1_000;

export class ThreadTurns {
  #count = 0;
  #lastTime = 0;
  #queue: OpenTurn[] = [];
  #running: OpenTurn | undefined;
  #done: DoneTurn[] = [];
  readonly #byMessage = new Map<string, SendReply>();

  restore({ count, lastTime, queue, done }: CarriedTurns): void {
    this.#count = count;
    this.#lastTime = lastTime;
    this.#queue = [...queue];
    done.forEach((turn) => this.#remember(turn));
  }

  carry(): CarriedTurns {
    return { count: this.#count, lastTime: this.#lastTime, queue: this.#queue, done: this.#done };
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

  /** Turns that came so far. */
  get count(): number {
    return this.#count;
  }

  /** Turns before the first that is told of here: those a store has. */
  startAfter(count: number): void {
    this.#count = count;
  }

  /** When a message that comes now came: later than any before it. */
  arrival(now: number): number {
    return Math.max(now, this.#lastTime + 1);
  }

  /** The turn this message became before; undefined for a new one. */
  known(messageId: string): SendReply | undefined {
    const open = [this.#running, ...this.#queue].find((turn) => turn?.messageId === messageId);
    const found = open ?? this.#byMessage.get(messageId);
    return found && { messageId, turn: found.turn, runId: found.runId };
  }

  add(turn: OpenTurn): void {
    this.#count = turn.turn;
    this.#lastTime = Date.parse(turn.createdAt);
    this.#queue.push(turn);
  }

  /** A turn that a store kept. */
  addDone(turn: DoneTurn): void {
    this.#count = turn.turn;
    this.#lastTime = Math.max(this.#lastTime, Date.parse(turn.createdAt));
    this.#remember(turn);
  }

  next(): OpenTurn | undefined {
    this.#running = this.#queue.shift();
    return this.#running;
  }

  finish(end: Pick<DoneTurn, 'status' | 'failure' | 'isRemembered'>): void {
    const turn = this.#running;
    this.#running = undefined;
    if (turn === undefined) return;
    const { messageId, runId, createdAt, input } = turn;
    const user = end.isRemembered ? {} : { user: shortText(input) };
    this.#remember({ messageId, turn: turn.turn, runId, createdAt, ...user, ...end });
  }

  /** All turns that are done are forgotten; those that wait are not. */
  clear(): void {
    this.#done = [];
    this.#byMessage.clear();
  }

  /** The oldest first; of older ones the log may have dropped what was said, and they are left out. */
  views(entries: readonly LogEntry[]): readonly TurnView[] {
    const running = this.#running
      ? [{ ...openView(this.#running), status: 'running' as const }]
      : [];
    const front = this.#running?.runId;
    const queued = this.#queue.map((turn) => ({
      ...openView(turn),
      status: 'queued' as const,
      ...(front !== undefined && { behind: front }),
    }));
    return [...doneViews(this.#done, saidTurns(entries)), ...running, ...queued];
  }

  #remember(turn: DoneTurn): void {
    this.#done.push(turn);
    this.#byMessage.set(turn.messageId, turn);
    if (this.#done.length <= kept) return;
    const dropped = this.#done.shift();
    if (dropped !== undefined) this.#byMessage.delete(dropped.messageId);
  }
}

/** The newest `last` of the views, and of these as many as one answer may hold. */
export function newestViews(
  views: readonly TurnView[],
  last: number = limits.turnsPage,
): readonly TurnView[] {
  let bytes = 0;
  let first = views.length;
  while (first > 0 && views.length - first < Math.min(last, limits.turnsPage)) {
    bytes += utf8Length(JSON.stringify(views[first - 1]));
    if (bytes > limits.logPage && first < views.length) break;
    first -= 1;
  }
  return views.slice(first);
}

/** The turns that are remembered are the log's, in order: the newest of both are the same. */
function doneViews(done: readonly DoneTurn[], said: readonly SaidTurn[]): TurnView[] {
  let left = said.length;
  const views: TurnView[] = [];
  for (const { isRemembered, user = '', ...turn } of [...done].reverse()) {
    if (!isRemembered) views.push({ ...turn, user });
    else if (left > 0) {
      left -= 1;
      views.push({ ...turn, ...(said[left] as SaidTurn) });
    }
  }
  return views.reverse();
}

function openView({
  messageId,
  turn,
  runId,
  createdAt,
  input,
}: OpenTurn): Omit<TurnView, 'status'> {
  return { messageId, turn, runId, createdAt, user: shownInput(input) };
}

/** A media part is named, not repeated. */
function shownInput(input: RunInput['input']): RunInput['input'] {
  if (typeof input === 'string') return input;
  return input.map((part) =>
    part.type === 'text' ? part : { type: 'text' as const, text: `[${part.mediaType}]` },
  );
}

function shortText(input: RunInput['input']): string {
  const shown = shownInput(input);
  const text =
    typeof shown === 'string'
      ? shown
      : shown.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  return clipText(text, limits.failureMessage);
}
