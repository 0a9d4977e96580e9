// Keeps the messages of people to an agent that works. It knows the unread ones, and the model call that a message may cut.
//
// 1. A message counts once, by its id. It is unread until the loop gives it to the machine.
// 2. The unread messages have a limit. A message that does not fit is refused and changes nothing.
// 3. `now` cuts the model call in progress, and nothing else. Only some calls of a turn are cut, so that every turn ends.
// 4. Unread messages, known ids and counted cuts survive continue-as-new.

import { CancellationScope } from '@temporalio/workflow';
import { defined, utf8Length } from '../../base';
import { limits, LonghaulError, type SteerInput, type UserEvent } from '../../protocol';
import { textMessage } from '../../core/transcript/transcript';
import { hintAtCancelledCalls } from '../lifecycle/cancellation';

/** `at`: when the run took it. */
type UnreadMessage = SteerInput & { readonly at: string };

export type CarriedSteering = {
  readonly unread: readonly UnreadMessage[];
  /** The newest ids, unread ones included. */
  readonly known: readonly string[];
  readonly cuts: number;
};

export class Steering {
  #unread: UnreadMessage[] = [];
  #bytes = 0;
  readonly #known: Set<string>;
  /** How many model calls of this turn were cut. */
  #cuts: number;
  #isCalling = false;
  #cuttable: CancellationScope | undefined;

  constructor({ unread, known, cuts }: CarriedSteering = { unread: [], known: [], cuts: 0 }) {
    this.#cuts = cuts;
    this.#known = new Set(known);
    for (const message of unread) this.#add(message);
  }

  carry(): { readonly steering?: CarriedSteering } {
    if (this.#known.size === 0) return {};
    const known = [...this.#known].slice(-limits.knownMessages);
    return { steering: { unread: this.#unread, known, cuts: this.#cuts } };
  }

  get hasUnread(): boolean {
    return this.#unread.length > 0;
  }

  get unread(): readonly SteerInput[] {
    return this.#unread;
  }

  /** Ids of the newest messages that the model got. */
  get read(): readonly string[] {
    const unread = new Set(this.#unread.map(({ messageId }) => messageId));
    return [...this.#known].filter((id) => !unread.has(id)).slice(-limits.knownMessages);
  }

  isKnown(messageId: string): boolean {
    return this.#known.has(messageId);
  }

  /** Throws if too much waits. */
  checkRoom(message: SteerInput): void {
    const isFull =
      this.#unread.length >= limits.unreadMessages ||
      this.#bytes + bytesOf(message) > limits.unreadBytes;
    if (isFull)
      throw new LonghaulError(
        'RunFull',
        `the run has ${this.#unread.length} messages that its model has not read; it takes ${limits.unreadMessages} messages and ${limits.unreadBytes} bytes. Send it again later`,
        { retryable: true },
      );
  }

  take(message: SteerInput): void {
    this.checkRoom(message);
    this.#add({ ...message, at: new Date().toISOString() });
    const mayCut = this.#isCalling && this.#cuts < limits.cutCalls;
    if (message.when !== 'now' || !mayCut || this.#cuttable === undefined) return;
    this.#cuttable.cancel();
    hintAtCancelledCalls();
  }

  #add(message: UnreadMessage): void {
    this.#known.add(message.messageId);
    this.#unread.push(message);
    this.#bytes += bytesOf(message);
  }

  /** The unread messages, for the log. */
  get unreadEvents(): readonly Omit<UserEvent, 'kind'>[] {
    return this.#unread.map(({ messageId, text, by, at }) => ({
      message: textMessage(text),
      messageId,
      ...defined({ by }),
      at,
    }));
  }

  /** Call it when the model gets the unread messages. */
  given(): void {
    this.#unread = [];
    this.#bytes = 0;
  }

  /** Makes a model call that a message may cut until `ended`. */
  call<Result>(make: () => Promise<Result>): Promise<Result> {
    this.#isCalling = true;
    return this.#scope.run(make);
  }

  /** One scope serves all calls until it is cut, because each scope takes memory for as long as the run. */
  get #scope(): CancellationScope {
    this.#cuttable ??= new CancellationScope();
    return this.#cuttable;
  }

  /** True if the call failed because a message cut it. */
  get wasCut(): boolean {
    const isCut = this.#cuttable?.consideredCancelled === true;
    return isCut && !CancellationScope.current().consideredCancelled;
  }

  /** Call it when the model call is over. An answer begins another turn. */
  ended(isAnswered: boolean): void {
    this.#isCalling = false;
    const isCut = this.#cuttable?.consideredCancelled === true;
    if (isAnswered) this.#cuts = 0;
    else if (isCut) this.#cuts += 1;
    if (isCut) this.#cuttable = undefined;
  }
}

const bytesOf = (message: SteerInput): number => utf8Length(JSON.stringify(message));
