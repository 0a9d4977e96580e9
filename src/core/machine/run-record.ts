/*
 * What a run has accumulated: its log with the transcript that follows from it, and its bill. It decides nothing.
 *
 * R1. The log only grows; the transcript is always the fold of it.
 * R2. `usage` is the sum of the calls'; a call's `callIndex` is its place.
 */
import type { LogEvent } from '../../protocol/log';
import type { CompletionCall, Usage } from '../../protocol/message';
import { plainJson } from '../../base/plain-json';
import type { CompletionCallHead } from './steps';
import { Transcript } from '../transcript/transcript';
import { addUsage, sumUsage, toUsage } from '../budget/usage';

export class RunRecord {
  readonly #log: LogEvent[];
  readonly #calls: CompletionCall[];
  readonly #transcript: Transcript;
  #usage: Usage;

  private constructor(log: LogEvent[], calls: CompletionCall[], transcript: Transcript) {
    this.#log = log;
    this.#calls = calls;
    this.#transcript = transcript;
    this.#usage = sumUsage(calls);
  }

  static of(log: readonly LogEvent[], calls: readonly CompletionCall[]): RunRecord {
    const transcript = new Transcript();
    for (const event of log) transcript.apply(event);
    return new RunRecord(log.slice(), calls.slice(), transcript);
  }

  get log(): readonly LogEvent[] {
    return this.#log;
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

  append(...events: readonly LogEvent[]): void {
    for (const event of events) {
      this.#log.push(event);
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
      ...(ids && { ids }),
    });
    this.#calls.push(call);
    this.#usage = addUsage(this.#usage, call.usage);
    return call;
  }

  clone(): RunRecord {
    return new RunRecord(this.#log.slice(), this.#calls.slice(), this.#transcript.clone());
  }
}
