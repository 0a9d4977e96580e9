import type { LogEntry, LogEvent, LogRef } from '../../../../src/protocol/log';
import type { ReadPage } from '../../../../src/activities/log/log-cache';
import { RunLog } from '../../../../src/workflows/log/run-log';
import { noUsage, text } from '../../core/builders';

type Execution = { readonly id: string; readonly log: RunLog };

export const turnEvent = (value: string): LogEvent => ({
  kind: 'model-turn',
  content: [text(value)],
  usage: noUsage,
});

export const resultEvent = (turn: number, value: string, index = 0): LogEvent => ({
  kind: 'tool-result',
  result: {
    type: 'tool_result',
    callId: 'c',
    name: 'add',
    isError: false,
    content: [text(value)],
    turn,
    index,
  },
});

/** A run as its workflow holds it: the truth a cache is measured by. A reset gives it another execution; the old one answers on. */
export class ReferenceRun {
  readonly workflowId: string;
  readonly #executions: Execution[] = [];

  constructor(workflowId = 'run-1') {
    this.workflowId = workflowId;
    this.#begin([]);
  }

  get length(): number {
    return this.#current.log.length;
  }

  /** Adds an event; `producedId` is what the activity attempt that made it called it. */
  add(event: LogEvent, producedId?: string): LogEntry {
    const { log } = this.#current;
    log.add({ ...event, ...(producedId !== undefined && { id: producedId }) });
    return log.entries.at(-1) as LogEntry;
  }

  nextRef(): LogRef {
    return this.#current.log.nextRef();
  }

  ref(): LogRef {
    return this.#current.log.ref();
  }

  resetTo(length: number): void {
    this.#begin(this.#current.log.entries.slice(0, length));
  }

  truth(ref: LogRef): readonly LogEntry[] {
    return this.#executionOf(ref).log.entries.slice(0, ref.length);
  }

  /** Answers as the `log` query does, in pages of `pageBytes`. */
  pages(ref: LogRef, pageBytes?: number): ReadPage {
    const { log } = this.#executionOf(ref);
    return (from) => Promise.resolve(log.page(from, pageBytes));
  }

  get #current(): Execution {
    return this.#executions.at(-1) as Execution;
  }

  #executionOf({ runId }: LogRef): Execution {
    const found = this.#executions.find(({ id }) => id === runId);
    if (found === undefined) throw new Error(`no execution ${runId}`);
    return found;
  }

  #begin(entries: readonly LogEntry[]): void {
    const id = `${this.workflowId}-execution-${this.#executions.length + 1}`;
    const log = new RunLog({ workflowId: this.workflowId, runId: id, entries });
    this.#executions.push({ id, log });
  }
}
