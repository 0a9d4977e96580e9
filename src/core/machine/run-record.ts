/*
 * The record of a run: its log, the transcript that follows from the log, and its bill. It decides nothing.
 *
 * R1. The log only grows, and only here. The transcript is always the fold of the log.
 * R2. `usage` is the sum of the usage of all calls. The `callIndex` of a call is its place.
 */
import type { NewEntry } from '../../protocol/log';
import type { CompletionCall, Usage } from '../../protocol/message';
import { defined, plainJson } from '../../base';
import type { CompletionCallHead } from './steps';
import { Transcript } from '../transcript/transcript';
import { addUsage, sumUsage, toUsage } from '../budget/usage';

/** The log that a run writes its events to. The machine does not use ids: it only passes them on. */
export interface EventLog {
  readonly entries: readonly NewEntry[];
  add(event: NewEntry): void;
}

export class RunRecord {
  readonly #log: EventLog;
  readonly #calls: CompletionCall[];
  readonly #transcript = new Transcript();
  #usage: Usage;

  constructor(log: EventLog, calls: readonly CompletionCall[] = []) {
    this.#log = log;
    this.#calls = calls.slice();
    this.#usage = sumUsage(calls);
    for (const event of log.entries) this.#transcript.apply(event);
  }

  get log(): readonly NewEntry[] {
    return this.#log.entries;
  }

  get calls(): readonly CompletionCall[] {
    return this.#calls;
  }

  get usage(): Usage {
    return this.#usage;
  }

  get transcript(): Transcript {
    return this.#transcript;
  }

  append(...events: readonly NewEntry[]): void {
    for (const event of events) {
      this.#log.add(event);
      this.#transcript.apply(event);
    }
  }

  bill(turn: number, head: CompletionCallHead): CompletionCall {
    const { usage, finishReason, ids } = head;
    const call = plainJson({
      callIndex: this.#calls.length,
      turn,
      usage: toUsage(usage),
      ...(finishReason && { finishReason }),
      ...defined({ ids }),
    });
    this.#calls.push(call);
    this.#usage = addUsage(this.#usage, call.usage);
    return call;
  }
}
