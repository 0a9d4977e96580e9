// Keeps the turns of a thread: which came, which is next, and how each ended. Knows no Temporal.
//
// 1. A message id is one turn: the same id again gets the same turn.
// 2. Turns run one at a time, in order of arrival. No two have the same time of arrival, because a store sorts by it.
// 3. Waiting turns have a limit in number and in bytes, so that they can always travel.

import { clipText, defined, textOfParts, utf8Length } from '../../base';
import {
  aList,
  limits,
  type LogEntry,
  number,
  type RunInput,
  type SendInput,
  type SendReply,
  type Shape,
  stored,
  type TurnView,
} from '../../protocol';
import { promptOf } from '../run/machine-options';
import { type DoneTurn, DoneTurns } from './done-turns';

/** A turn that is not done. It still holds what its run needs. */
export type QueuedTurn = SendInput &
  SendReply & { readonly createdAt: string; readonly id: string };

type TurnEnd = Pick<DoneTurn, 'status' | 'failure' | 'isRemembered'> & {
  /** Ids of messages that the turn's model got while it worked. */
  readonly steered?: readonly string[];
};

/** Messages that were given to a turn: those that its model got, and those that become turns. */
type GivenMessages = { readonly read: readonly SendInput[]; readonly unread: readonly SendInput[] };

export const carriedTurnsShape = stored({
  count: number,
  lastTime: number,
  queue: aList<QueuedTurn>(),
  done: aList<DoneTurn>(),
  /** Turns up to this one came before a `clear`. */
  cleared: number,
});

export type CarriedTurns = Shape<typeof carriedTurnsShape>;

/** For the text of a failed turn, and for its failure. */
const shortLength = 400;

export class ThreadTurns {
  readonly #done: DoneTurns;
  /** How many turns have come. */
  count: number;
  #lastTime: number;
  waiting: readonly QueuedTurn[];
  running: QueuedTurn | undefined;
  /** Messages for the running turn, in the order of their arrival. */
  #given: SendInput[] = [];
  /** Messages that were taken, but have no turn yet. They keep the thread as busy as the others. */
  readonly #arriving = new Set<SendInput>();
  /** The size of the waiting messages as JSON. */
  queuedBytes: number;

  constructor(carried?: CarriedTurns) {
    const { count = 0, lastTime = 0, queue = [], done, cleared } = carried ?? {};
    this.count = count;
    this.#lastTime = lastTime;
    this.waiting = queue;
    this.queuedBytes = bytesOf(...queue);
    this.#done = new DoneTurns(done, cleared);
  }

  carry(): CarriedTurns {
    const { done, cleared } = this.#done.carry();
    return { count: this.count, lastTime: this.#lastTime, queue: this.waiting, done, cleared };
  }

  get isIdle(): boolean {
    return this.#isQuiet && this.#arriving.size === 0;
  }

  get #isQuiet(): boolean {
    return this.running === undefined && this.waiting.length === 0;
  }

  /** Messages that no turn has begun to answer. */
  get unanswered(): readonly SendInput[] {
    return [...this.waiting, ...this.#given, ...this.#arriving];
  }

  get hasNext(): boolean {
    return this.waiting.length > 0;
  }

  /** True while a turn from before the last clear runs or waits. */
  get hasCleared(): boolean {
    const first = this.running ?? this.waiting[0];
    return first !== undefined && this.isCleared(first);
  }

  /** True if every done turn was cleared, and no turn waits or runs. */
  get isBlank(): boolean {
    return this.#isQuiet && this.#done.isBlank;
  }

  /** True if the message may wait, too. */
  hasRoom(message: SendInput): boolean {
    if (this.isIdle) return true;
    if (this.unanswered.length >= limits.queuedMessages) return false;
    const others = bytesOf(...this.#given, ...this.#arriving, message);
    return this.queuedBytes + others <= limits.queuedBytes;
  }

  /** Counts the message until `take` has made it a turn. */
  async arriving(message: SendInput, take: () => Promise<SendReply>): Promise<SendReply> {
    this.#arriving.add(message);
    try {
      return await take();
    } finally {
      this.#arriving.delete(message);
    }
  }

  isArriving(messageId: string): boolean {
    return [...this.#arriving].some((message) => message.messageId === messageId);
  }

  /** The arrival time of a message that arrives now. It is later than every earlier one. */
  nextTime(now: number): number {
    return Math.max(now, this.#lastTime + 1);
  }

  /** The turn that this message became before, or undefined for a new message. */
  known(messageId: string): SendReply | undefined {
    const open = [this.running, ...this.waiting].find((turn) => turn?.messageId === messageId);
    const isGiven = this.#given.some((given) => given.messageId === messageId);
    const found = open ?? (isGiven ? this.running : undefined) ?? this.#done.find(messageId);
    return found && { messageId, turn: found.turn, workflowId: found.workflowId };
  }

  add(turn: QueuedTurn): void {
    this.count = turn.turn;
    this.#lastTime = Date.parse(turn.createdAt);
    this.waiting = [...this.waiting, turn];
    this.queuedBytes += bytesOf(turn);
  }

  /** Adds a turn from the store. */
  addDone(turn: DoneTurn): void {
    this.count = turn.turn;
    this.#lastTime = Math.max(this.#lastTime, Date.parse(turn.createdAt));
    this.#done.add(turn);
  }

  next(): QueuedTurn | undefined {
    [this.running, ...this.waiting] = this.waiting;
    if (this.running !== undefined) this.queuedBytes -= bytesOf(this.running);
    return this.running;
  }

  /** Gives the message to the running turn. Undefined if no turn is running that the thread will remember. */
  give(message: SendInput): SendReply | undefined {
    const turn = this.running;
    if (turn === undefined || this.isCleared(turn)) return undefined;
    this.#given.push(message);
    return this.known(message.messageId);
  }

  /** Takes back a message that did not reach the turn. Undefined if the turn was not given this message. */
  takeBack(messageId: string): SendInput | undefined {
    const message = this.#given.find((given) => given.messageId === messageId);
    this.#given = this.#given.filter((given) => given !== message);
    return message;
  }

  finish({ steered: got = [], ...end }: TurnEnd): GivenMessages {
    const [turn, given] = [this.running, this.#given];
    [this.running, this.#given] = [undefined, []];
    const isRead = ({ messageId }: SendInput): boolean => got.includes(messageId);
    // A clear also forgets the messages to this turn. A cancellation of the turn also means its messages.
    const isOver = end.status === 'cancelled' || (turn !== undefined && this.isCleared(turn));
    const messages = {
      read: given.filter((message) => isOver || isRead(message)),
      unread: isOver ? [] : given.filter((message) => !isRead(message)),
    };
    if (turn === undefined) return messages;
    const steered = messages.read.map(({ messageId }) => messageId);
    const steeredParts = messages.read.flatMap((message) => promptOf(message.input).parts).length;
    const { messageId, workflowId, createdAt, input } = turn;
    const user = end.isRemembered ? {} : { user: shortText(input) };
    const { failure } = end;
    this.#done.add({
      messageId,
      turn: turn.turn,
      workflowId,
      createdAt,
      ...user,
      ...end,
      ...(failure && { failure: { ...failure, message: clipText(failure.message, shortLength) } }),
      ...(steered.length > 0 && { steered }),
      ...(end.isRemembered && steeredParts > 0 && { steeredParts }),
    });
    return messages;
  }

  /** Keeps only the message ids of all turns so far. Done turns lose the rest at once, waiting turns when they are done. */
  clear(): void {
    this.#done.clear(this.count);
  }

  isCleared(turn: Pick<QueuedTurn, 'turn'>): boolean {
    return this.#done.isCleared(turn);
  }

  /** The oldest first. The log may have dropped the text of older turns; the list leaves those turns out. */
  views(entries: readonly LogEntry[]): readonly TurnView[] {
    const running = this.running ? [{ ...openView(this.running), status: 'running' as const }] : [];
    const front = this.running?.workflowId;
    const queued = this.waiting.map((turn) => ({
      ...openView(turn),
      status: 'queued' as const,
      ...defined({ behind: front }),
    }));
    return [...this.#done.views(entries), ...running, ...queued];
  }
}

/** The newest `last` views, or as many of them as one answer may hold. */
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

function openView({
  messageId,
  turn,
  workflowId,
  createdAt,
  input,
}: QueuedTurn): Omit<TurnView, 'status'> {
  return { messageId, turn, workflowId, createdAt, user: shownInput(input) };
}

/** Names a media part instead of repeating it. */
function shownInput(input: RunInput['input']): RunInput['input'] {
  if (typeof input === 'string') return input;
  return input.map((part) =>
    part.type === 'text' ? part : { type: 'text' as const, text: `[${part.mediaType}]` },
  );
}

function shortText(input: RunInput['input']): string {
  const shown = shownInput(input);
  const text = typeof shown === 'string' ? shown : textOfParts(shown, '\n');
  return clipText(text, shortLength);
}

function bytesOf(...values: readonly object[]): number {
  return values.reduce((sum, value) => sum + utf8Length(JSON.stringify(value)), 0);
}
