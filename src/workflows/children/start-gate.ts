// Starts children only as fast as the server takes them. All starts of one workflow task travel in one message. If that message is too
// large, the server terminates the run, and no code can catch it.

import { CancellationScope } from '@temporalio/workflow';
import { limits } from '../../protocol';

type WaitingStart = { readonly bytes: number; readonly enter: () => void };

export class StartGate {
  #starts = 0;
  #bytes = 0;
  #waiting: WaitingStart[] = [];

  /** Resolves when the child may start. Rejects if its scope is cancelled first. */
  async enter(bytes: number): Promise<void> {
    if (this.#waiting.length === 0 && this.#fits(bytes)) return this.#reserve(bytes);
    let waiting: WaitingStart | undefined;
    const entered = new Promise<void>((resolve) => {
      waiting = { bytes, enter: resolve };
      this.#waiting.push(waiting);
    });
    try {
      await Promise.race([entered, CancellationScope.current().cancelRequested]);
    } catch (error) {
      if (this.#waiting.some((one) => one === waiting)) {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
      } else {
        this.leave(bytes);
      }
      throw error;
    }
  }

  /** Call it when the server has the start, or when the start is given up. */
  leave(bytes: number): void {
    this.#starts -= 1;
    this.#bytes -= bytes;
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#reserve(next.bytes);
      next.enter();
    }
  }

  /** A single start always fits, because nothing can make it smaller. */
  #fits(bytes: number): boolean {
    if (this.#starts === 0) return true;
    return this.#starts < limits.childStarts && this.#bytes + bytes <= limits.childStartBytes;
  }

  #reserve(bytes: number): void {
    this.#starts += 1;
    this.#bytes += bytes;
  }
}
