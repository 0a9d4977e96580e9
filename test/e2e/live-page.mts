// What every page of the live tests has: its settings, its report, and an eye on the words that it shows.
import type { CuttingProxy } from './live-proxy.mts';

export type PageSettings = {
  readonly backends: readonly string[];
  readonly name: string;
  readonly seed: number;
  /** Of each part of the conversation: until it waits for the first time, and so on. */
  readonly cuts: readonly number[];
};

/** The page shows words of this attempt at this turn, such as `h1.1`, for the first time. */
export type Seen = { readonly seen: string };

/** What the page shows when the run waits, and what a reload shows then. */
type Pause = { readonly shown: unknown; readonly reloaded: unknown };

export type PageReport = {
  readonly pauses: readonly Pause[];
  /** The two answers, each as the page shows it when its turn has ended. */
  readonly answers: readonly unknown[];
  /** Texts that a person must never see. */
  readonly wrongs: readonly string[];
  /** How many events of the protocol reached the page whole. */
  readonly events: number;
  readonly cutsMade: number;
  readonly resumes: number;
  /** How often the page changed. */
  readonly changes: number;
};

/** What the log says of the first turn, as events of the protocol: the page folds them, and answers with a `Folded`. */
export type FoldRequest = readonly object[];
export type Folded = { readonly folded: unknown };

/** Each turn shows the words of one attempt, from the first one on, without a gap. */
export class PageEye {
  readonly wrongs = new Set<string>();
  changes = 0;
  readonly #seen = new Set<string>();

  /** `text`: all that agents say on the page. */
  look(text: string): void {
    this.changes += 1;
    const turns = new Map<string, { attempt: string; words: number }>();
    for (const [, turn = '', attempt = '', word] of text.matchAll(/([hct]\d+)\.(\d+)\.(\d+)→ /g)) {
      const before = turns.get(turn) ?? { attempt, words: 0 };
      if (before.attempt !== attempt || before.words !== Number(word)) this.wrongs.add(text);
      turns.set(turn, { attempt, words: before.words + 1 });
      if (before.words === 9) this.#tellSeen(`${turn}.${attempt}`);
    }
  }

  #tellSeen(attempt: string): void {
    if (this.#seen.has(attempt)) return;
    this.#seen.add(attempt);
    process.send?.({ seen: attempt } satisfies Seen);
  }
}

/** Counts the resumed streams of a page. */
export class Resumes {
  made = 0;

  count(shown: unknown): void {
    this.made += 1;
    if (this.made > 200) throw new Error(`resumed in vain: ${JSON.stringify(shown)}`);
  }
}

/** What `fetch` says when the proxy cuts its connection. */
export function isCut(error: unknown): boolean {
  return error instanceof TypeError && /terminated|fetch failed/.test(error.message);
}

/** The events of all streams that came whole. A stream that was cut may end in the middle of one. */
export function eventsOf({ streams }: CuttingProxy): readonly unknown[] {
  return streams.flatMap((bytes) =>
    Buffer.concat(bytes)
      .toString()
      .split('\n\n')
      .slice(0, -1)
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice('data: '.length)) as unknown),
  );
}
