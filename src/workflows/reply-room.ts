// Bounds what one workflow task tells those who wait: the replies travel in one message, and one that is too large terminates the run,
// uncatchably.
//
// 1. The first reply of a task always goes, so that whoever asks again is served in the end.

import { workflowInfo } from '@temporalio/workflow';
import { utf8Length } from '../core/text';
import { limits } from '../protocol/limits';

export class ReplyRoom {
  #task = -1;
  #bytes = 0;
  #isFull = false;

  /** Whether `reply` goes with this workflow task. Once one does not, none is measured any more. */
  takes(reply: unknown): boolean {
    this.#enterTask(workflowInfo().historyLength);
    if (this.#isFull) return false;
    const bytes = utf8Length(JSON.stringify(reply));
    if (this.#bytes > 0 && this.#bytes + bytes > limits.replies) {
      this.#isFull = true;
      return false;
    }
    this.#bytes += bytes;
    return true;
  }

  #enterTask(task: number): void {
    if (task === this.#task) return;
    this.#task = task;
    this.#bytes = 0;
    this.#isFull = false;
  }
}
