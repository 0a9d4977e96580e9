// Pure: no server. Random logs of the machine, cut into random reads, with random live events; with a fixed seed.
import fc from 'fast-check';
import { allMessages } from '../../../../src/core/transcript/fold-log';
import type { LogEntry } from '../../../../src/protocol/log';
import type { LiveEvent } from '../../../../src/protocol/live';
import type { UnplacedEvent } from '../../../../src/core/stream/events';
import { RunProjection } from '../../../../src/core/stream/run-projection';
import { attemptsOf, logged, place, underWay, type Way, way, type Logged } from './random-logs';
import { StreamReader } from './reader';

const seed = 20_261_123;
const numRuns = 150;

/** How the model calls stream, how late live events come, when the log is read, and how much of it. */
type Course = {
  readonly ways: readonly Way[];
  readonly delay: number;
  /** After each event and entry: how many entries are read. */
  readonly reads: readonly number[];
};

const course: fc.Arbitrary<Course> = fc.record({
  ways: fc.array(way, { minLength: 1, maxLength: 8 }),
  delay: fc.constantFrom(0, 0, 0, 1, 3, 30),
  reads: fc.array(fc.constantFrom(0, 0, 0, 1, 2, 9, 9), { minLength: 1, maxLength: 40 }),
});

/** Plays a course, and calls `check` after each read and each live event. `isWhole`: all of the log was read. */
function play(
  all: Logged,
  { ways, delay, reads }: Course,
  check: (events: readonly UnplacedEvent[], isWhole: boolean) => void,
): void {
  const { entries } = all;
  const projection = new RunProjection(place);
  const attempts = attemptsOf(all, ways);
  const timeline = entries.flatMap((entry): (LogEntry | LiveEvent)[] => {
    const [given, events = []] = (entry.kind === 'model-turn' && attempts.shift()) || [];
    return given ? [...underWay(events.flat(), given), entry] : [entry];
  });
  let [written, read] = [0, 0];
  const readOn = (most: number): void => {
    const page = entries.slice(read, Math.min(written, read + most));
    read += page.length;
    if (page.length > 0) check(projection.log(read - page.length, page), read === entries.length);
  };
  for (let time = 0; time < timeline.length + delay; time += 1) {
    const [now, late] = [timeline[time], timeline[time - delay]];
    if (now && 'id' in now) written += 1;
    if (late && 'root' in late) check(projection.live(late), read === entries.length);
    readOn(reads[time % reads.length] ?? 0);
  }
  readOn(entries.length);
}

/** What an attempt says, part by part, as `StreamReader` shows it. */
function partsOf(attempt: readonly LiveEvent[]): string[] {
  const parts: string[] = [];
  let last: string | undefined;
  for (const event of attempt) {
    if (event.kind !== 'delta') continue;
    const { delta } = event;
    const isCall = delta.kind === 'tool-call';
    const key = isCall ? `call ${delta.index}` : delta.kind;
    if (key !== last) parts.push(isCall ? `${delta.name}: ` : `${delta.kind}: `);
    parts[parts.length - 1] += isCall ? (delta.args ?? '') : delta.text;
    last = key;
  }
  return parts;
}

function isHeadOf(shown: readonly string[], parts: readonly string[]): boolean {
  return shown.every((part, index) =>
    index === shown.length - 1 ? parts[index]?.startsWith(part) === true : parts[index] === part,
  );
}

/** The messages without those of the caller's history. */
function ownMessages(entries: readonly LogEntry[]): unknown {
  const history = entries.flatMap((entry) =>
    entry.kind === 'decision' && entry.decision.kind === 'history' ? entry.decision.messages : [],
  );
  return allMessages(entries).slice(history.length);
}

/** Equal as JSON text, which is quick; the matcher is only asked for the difference. */
function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toStrictEqual(expected);
}

const rewrites: readonly string[] = ['replace-turn', 'repair-call', 'ignore-call'];

describe(`RunProjection, by random logs (seed ${seed})`, () => {
  it('tells the messages of the log', () => {
    fc.assert(
      fc.property(logged, course, (all, given) => {
        const reader = new StreamReader();
        play(all, given, (events, isWhole) => {
          reader.take(events);
          if (isWhole) expectSame(reader.messages, ownMessages(all.entries));
        });
      }),
      { seed, numRuns },
    );
  });

  it('never shows what two attempts said', () => {
    let shown = 0;
    let retried = 0;
    fc.assert(
      fc.property(logged, course, (all, given) => {
        const attempts = attemptsOf(all, given.ways).flatMap(([, each]) => each.map(partsOf));
        const reader = new StreamReader();
        play(all, given, (events) => {
          reader.take(events);
          const parts = reader.inProgress ?? [];
          if (parts.length > 0) shown += 1;
          if (events.some((event) => event.type === 'step-begin' && event.attempt > 1))
            retried += 1;
          if (parts.length > 0 && !attempts.some((attempt) => isHeadOf(parts, attempt)))
            expect(parts).toEqual('what one attempt said');
        });
      }),
      { seed, numRuns },
    );
    expect(shown).toBeGreaterThan(10 * numRuns);
    expect(retried).toBeGreaterThan(numRuns / 3);
  });

  it('tells a step once if all that streamed came in time and is right', () => {
    let streamed = 0;
    const clean = { attempts: 1, differs: false, lost: [], repeated: [], swapped: 999 };
    fc.assert(
      fc.property(logged, fc.integer({ min: 1, max: 4 }), (all, piece) => {
        const { entries, turns } = all;
        if (turns.some((turn, nth) => turn !== nth + 1)) return;
        const projection = new RunProjection(place);
        const attempts = attemptsOf(all, [{ ...clean, piece }]).flatMap(([, each]) => each);
        const starts = entries.flatMap(({ kind }, index) => (kind === 'model-turn' ? [index] : []));
        let read = 0;
        for (const [nth, start] of [...starts, entries.length].entries()) {
          const group = entries.slice(read, start);
          const kinds = group.map((entry) => entry.kind === 'decision' && entry.decision.kind);
          const events = projection.log(read, group);
          const isRewritten = kinds.some((kind) => kind && rewrites.includes(kind));
          if (!isRewritten) expect(events.filter(({ type }) => type === 'step-begin')).toEqual([]);
          const live = attempts[nth]?.flatMap((event) => projection.live(event)) ?? [];
          streamed += live.filter((event) => 'delta' in event).length;
          read = start;
        }
      }),
      { seed, numRuns },
    );
    expect(streamed).toBeGreaterThan(10 * numRuns);
  });
});
