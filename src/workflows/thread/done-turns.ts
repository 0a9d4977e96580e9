// Keeps the turns of a thread that are done: it lists them, and recognises a repeated message by its id. Pure.
//
// 1. The text of a remembered turn is only in the log.
// 2. The list has a limit in number and in bytes, so that it can always travel.
// 3. A cleared turn keeps its message ids. The thread lists nothing else of the turn.

import { saidTurns, type SaidTurn } from '../../core/transcript/memory';
import { utf8Length } from '../../base';
import { limits, type LogEntry, type SendReply, type TurnView } from '../../protocol';

/** A turn that is done. It has no texts if the log has them. */
export type DoneTurn = Omit<TurnView, 'user' | 'assistant' | 'behind'> & {
  readonly isRemembered: boolean;
  readonly user?: string;
  readonly isCleared?: boolean;
  /** Ids of the messages that its run took while it worked. */
  readonly steered?: readonly string[];
};

export class DoneTurns {
  #turns: DoneTurn[] = [];
  #bytes = 0;
  /** Turns up to this one came before a `clear`. */
  #cleared: number;
  readonly #byMessage = new Map<string, SendReply>();

  constructor(turns: readonly DoneTurn[] = [], cleared = 0) {
    this.#cleared = cleared;
    turns.forEach((turn) => this.add(turn));
  }

  carry(): { readonly done: readonly DoneTurn[]; readonly cleared: number } {
    return { done: this.#turns, cleared: this.#cleared };
  }

  /** The turn that this message belonged to. */
  find(messageId: string): SendReply | undefined {
    return this.#byMessage.get(messageId);
  }

  /** True if every listed turn was cleared. */
  get isBlank(): boolean {
    return this.#turns.every(({ isCleared }) => isCleared === true);
  }

  isCleared({ turn }: { readonly turn: number }): boolean {
    return turn <= this.#cleared;
  }

  /** Keeps only the message ids of all turns up to `count`. A turn that is not done yet loses the rest when it is done. */
  clear(count: number): void {
    this.#cleared = count;
    const done = this.#turns;
    this.#turns = [];
    this.#bytes = 0;
    done.forEach((turn) => this.add(turn));
  }

  add(done: DoneTurn): void {
    const { messageId, turn: number, workflowId, createdAt, status, steered = [] } = done;
    const turn = !this.isCleared(done)
      ? done
      : {
          messageId,
          turn: number,
          workflowId,
          createdAt,
          status,
          ...(steered.length > 0 && { steered }),
          isRemembered: false,
          isCleared: true,
        };
    this.#turns.push(turn);
    this.#bytes += bytesOf(turn);
    for (const id of [messageId, ...steered]) this.#byMessage.set(id, turn);
    while (this.#turns.length > limits.listedTurns || this.#bytes > limits.listedTurnsBytes) {
      const dropped = this.#turns.shift();
      if (dropped === undefined) return;
      this.#bytes -= bytesOf(dropped);
      for (const id of [dropped.messageId, ...(dropped.steered ?? [])]) this.#byMessage.delete(id);
    }
  }

  /** The log holds the remembered turns in the same order, so both lists match from the newest back. It may have dropped older ones. */
  views(entries: readonly LogEntry[]): TurnView[] {
    const said = saidTurns(entries);
    let left = said.length;
    const views: TurnView[] = [];
    for (const done of this.#turns.toReversed()) {
      const { isRemembered, isCleared, steered: _steered, user = '', ...turn } = done;
      if (isCleared === true) continue;
      if (!isRemembered) views.push({ ...turn, user });
      else if (left > 0) {
        left -= 1;
        views.push({ ...turn, ...(said[left] as SaidTurn) });
      }
    }
    return views.reverse();
  }
}

const bytesOf = (turn: DoneTurn): number => utf8Length(JSON.stringify(turn));
