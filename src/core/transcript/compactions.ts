/*
 * Describes for people what each compaction of a log leaves out of later prompts. The log still has all of it. Pure.
 */
import { plural, toKiB, utf8Length } from '../../base';
import type { Clearing, LogEvent, SummaryEvent } from '../../protocol/log';
import type { ToolResult } from '../../protocol/message';
import { clears, resultBytes } from './prompt-view';

export type ShownCompaction = {
  /** The place of the entry in the log. */
  readonly index: number;
  /** How many model turns the log had then. */
  readonly turn: number;
  /** Such as `3 results cleared, 41 KiB`. */
  readonly text: string;
};

/** A log from its first entry on. */
export function compactionsOf(events: readonly LogEvent[]): readonly ShownCompaction[] {
  return new Compactions().of(events);
}

/** The compactions of a log that grows. It measures each entry once. */
export class Compactions {
  readonly #prompt = new ShownPrompt();
  readonly #found: ShownCompaction[] = [];
  #taken = 0;

  /** The compactions of the log. `events` is the whole log. It reads only the new entries. */
  of(events: readonly LogEvent[]): readonly ShownCompaction[] {
    for (const event of events.slice(this.#taken)) {
      const text = this.#prompt.take(event);
      if (text !== undefined) {
        this.#found.push({ index: this.#taken, turn: this.#prompt.turn, text });
      }
      this.#taken += 1;
    }
    return this.#found;
  }
}

type ShownResult = { readonly turn: number; readonly result: ToolResult; bytes: number };

class ShownPrompt {
  turn = 0;
  /** The first turn that no summary stands for. */
  #first = 1;
  #results: ShownResult[] = [];
  /** The bytes of the turns themselves, by their numbers. */
  readonly #said: number[] = [];

  /** Returns what a compaction did, and undefined for any other entry. */
  take(event: LogEvent): string | undefined {
    switch (event.kind) {
      case 'model-turn':
        this.turn += 1;
        this.#said[this.turn] = utf8Length(JSON.stringify(event.content));
        return undefined;
      case 'tool-result':
        this.#results.push({ ...event, turn: this.turn, bytes: resultBytes(event.result) });
        return undefined;
      case 'summary':
        return this.#summarise(event);
      case 'decision':
        return event.decision.kind === 'clear-results' ? this.#clear(event.decision) : undefined;
      case 'user':
        return undefined;
    }
  }

  #clear(clearing: Clearing): string {
    const cleared = this.#results.filter(
      ({ turn, result, bytes }) => turn <= clearing.through && clears(clearing, result, bytes),
    );
    const bytes = sum(cleared.map((each) => each.bytes));
    for (const each of cleared) each.bytes = 0;
    return `${plural(cleared.length, 'result')} cleared, ${toKiB(bytes)}`;
  }

  #summarise({ text, through }: SummaryEvent): string {
    const turns = through <= 1 ? 'turn 1' : `turns 1 to ${through}`;
    const gone = this.#results.filter(({ turn }) => turn <= through);
    const said = this.#said.slice(this.#first, through + 1);
    const bytes = sum([...said, ...gone.map((each) => each.bytes)]) - utf8Length(text);
    this.#results = this.#results.filter(({ turn }) => turn > through);
    this.#first = through + 1;
    return `summary of ${turns}${bytes > 0 ? `, ${toKiB(bytes)} less` : ''}: ${text}`;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
