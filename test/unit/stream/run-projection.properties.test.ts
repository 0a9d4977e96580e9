// Pure: no server. Random logs of the machine, cut into random reads, with random live events; with a fixed seed.
import fc from 'fast-check';
import { AgentRun } from '../../../src/agent-run';
import { allMessages } from '../../../src/core/transcript/fold-log';
import { argumentsText } from '../../../src/core/machine/working-turn';
import { LonghaulError } from '../../../src/protocol/errors';
import type { LogEntry, LogEvent } from '../../../src/protocol/log';
import type { LiveEvent, ModelDelta } from '../../../src/protocol/live';
import type { AssistantPart } from '../../../src/protocol/message';
import { RunProjection } from '../../../src/stream/run-projection';
import { act, runOptions, script } from '../core/machine/scripts.ts';
import { StreamReader } from './reader';

const seed = 20_261_123;
const numRuns = 300;
const place = { root: 'r', workflowId: 'r', path: 'agent', agent: 'agent' };

const log: fc.Arbitrary<readonly LogEntry[]> = fc
  .tuple(runOptions, script)
  .map(([options, events]) => {
    const run = new AgentRun('go', options);
    for (const event of events) {
      try {
        act(run, event);
      } catch (error) {
        if (!LonghaulError.is(error)) throw error;
      }
    }
    return run.log.map((event, index): LogEntry => ({ ...event, id: `${index}` }));
  });

/** What happens to one streamed attempt on its way. */
type Way = {
  readonly attempts: number;
  /** The size of the pieces. */
  readonly piece: number;
  /** The attempt streams something else than the log has. */
  readonly differs: boolean;
  readonly lost: readonly number[];
  readonly repeated: readonly number[];
  readonly swapped: number;
};

const way: fc.Arbitrary<Way> = fc.record({
  attempts: fc.constantFrom(0, 1, 1, 1, 2, 3),
  piece: fc.integer({ min: 1, max: 4 }),
  differs: fc.constantFrom(false, false, false, true),
  lost: fc.oneof(fc.constant([]), fc.array(fc.nat(12), { maxLength: 2 })),
  repeated: fc.array(fc.nat(12), { maxLength: 2 }),
  swapped: fc.nat(60),
});

/** When the log is read, when a stream begins late, and how each model call streams. */
type Course = {
  readonly reads: readonly number[];
  readonly ways: readonly Way[];
  readonly order: readonly number[];
};

const course: fc.Arbitrary<Course> = fc.record({
  reads: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 }),
  ways: fc.array(way, { minLength: 1, maxLength: 8 }),
  order: fc.array(fc.nat(2), { minLength: 1, maxLength: 40 }),
});

function cut(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
}

/** The deltas of a turn, as a provider streams them. */
function deltasOf(content: readonly AssistantPart[], piece: number): ModelDelta[] {
  let calls = 0;
  return content.flatMap((part): ModelDelta[] => {
    if (part.type === 'media' || part.type === 'opaque') return [];
    if (part.type !== 'tool_call') {
      const kind = part.type === 'reasoning' ? 'reasoning' : 'text';
      return cut(part.text, piece).map((text) => ({ kind, text }));
    }
    const index = calls;
    calls += 1;
    const { callId, name } = part;
    return [
      { kind: 'tool-call', index, name, ...(callId !== '' && { callId }) },
      ...cut(argumentsText(part), piece).map((args): ModelDelta => ({
        kind: 'tool-call',
        index,
        args,
      })),
    ];
  });
}

/** The live events of one turn: some attempts, of which the last one made the turn. */
function liveOf(turn: number, content: readonly AssistantPart[], given: Way): LiveEvent[] {
  const events = Array.from({ length: given.attempts }, (_, nth): LiveEvent[] => {
    const isLast = nth === given.attempts - 1;
    // A cut call begins again with attempt 1.
    const call = { ...place, turn, calledAt: nth, attempt: nth % 2 === 0 ? 1 : nth };
    const said: readonly AssistantPart[] =
      isLast && !given.differs ? content : [{ type: 'text', text: `lost ${turn}.${nth}` }];
    const deltas = deltasOf(said, given.piece);
    return [
      { ...call, kind: 'begin' },
      ...deltas.map((delta, seq): LiveEvent => ({ ...call, kind: 'delta', seq, delta })),
    ];
  }).flat();
  const arrived = events.flatMap((event, at) => {
    if (given.lost.includes(at)) return [];
    return given.repeated.includes(at) ? [event, event] : [event];
  });
  const [first, second] = arrived.slice(given.swapped, given.swapped + 2);
  if (first && second) arrived.splice(given.swapped, 2, second, first);
  return arrived;
}

function contentsOf(entries: readonly LogEvent[]): (readonly AssistantPart[])[] {
  return entries.flatMap((entry) => (entry.kind === 'model-turn' ? [entry.content] : []));
}

type Told = { readonly projection: RunProjection; readonly read: number };

/** Plays a course, and calls `check` with the events of each step of it. */
function play(
  entries: readonly LogEntry[],
  { reads, ways, order }: Course,
  check: (events: ReturnType<RunProjection['log']>, told: Told) => void,
): void {
  const projection = new RunProjection(place);
  const live = contentsOf(entries).flatMap((content, nth) => {
    const given = ways[nth % ways.length];
    return given === undefined ? [] : liveOf(nth + 1, content, given);
  });
  let read = 0;
  for (let step = 0; read < entries.length; step += 1) {
    const isRead = order[step % order.length] === 0;
    const event = isRead ? undefined : live.shift();
    if (event !== undefined) check(projection.live(event), { projection, read });
    if (event !== undefined && !isRead) continue;
    const size = reads[step % reads.length] ?? 1;
    const page = entries.slice(read, read + size);
    check(projection.log(read, page), { projection, read: read + page.length });
    read += page.length;
  }
  for (const event of live) check(projection.live(event), { projection, read });
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

describe(`RunProjection, by random logs (seed ${seed})`, () => {
  it('tells the messages of the log', () => {
    fc.assert(
      fc.property(log, course, (entries, given) => {
        const reader = new StreamReader();
        play(entries, given, (events, { read }) => {
          reader.take(events);
          if (read === entries.length) expectSame(reader.messages, ownMessages(entries));
        });
      }),
      { seed, numRuns },
    );
  });
});
