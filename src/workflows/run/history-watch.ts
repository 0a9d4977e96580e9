// Watches one execution of a run grow: `history-room` says what that means.

import { workflowInfo } from '@temporalio/workflow';
import { TranscriptTooLarge } from '../../protocol/error-classes';
import type { LonghaulError } from '../../protocol/errors';
import { historySize, isDue, isFull, isOver, noHistory, type HistorySize } from './history-room';
import type { RunLog } from './run-log';

const namedEntries = 5;

export class HistoryWatch {
  #loaded = noHistory;
  #steps = 0;
  readonly #updates: () => number;

  /** `updates` taken by this execution. */
  constructor(updates: () => number) {
    this.#updates = updates;
  }

  /** What the execution was given is here: it grows from now on. */
  loaded(): void {
    this.#loaded = this.#now();
  }

  stepped(): void {
    this.#steps += 1;
  }

  get isDue(): boolean {
    return isDue({ now: this.#now(), loaded: this.#loaded, steps: this.#steps });
  }

  get isOver(): boolean {
    return isOver(this.#now());
  }

  isFull(open: number): boolean {
    return isFull(this.#now(), open);
  }

  /** Why the run ends, with what takes the most room. */
  tooLarge(log: Pick<RunLog, 'largest'>): LonghaulError {
    const { bytes, events } = this.#now();
    const largest = log.largest(namedEntries);
    const named = largest.map(({ kind, tool, turn, bytes: size }) => {
      const what = tool === undefined ? kind : `${kind} of '${tool}'`;
      return `${what}${turn === undefined ? '' : ` in turn ${turn}`} (${size} bytes)`;
    });
    const what = named.length > 0 ? ` The largest entries: ${named.join(', ')}.` : '';
    return new TranscriptTooLarge(
      `the run's history has ${bytes} bytes and ${events} events, the server would soon terminate it.${what} Return less from tools, or split the work into several runs`,
      { details: { bytes, events, largest } },
    );
  }

  #now(): HistorySize {
    return historySize(workflowInfo(), this.#updates());
  }
}
