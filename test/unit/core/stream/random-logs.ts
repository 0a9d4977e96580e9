// Random logs of the machine, and what live events of their model calls bring.
import fc from 'fast-check';
import { AgentRun } from '../../../../src/agent-run';
import { argumentsText } from '../../../../src/core/machine/working-turn';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { LiveEvent, ModelDelta } from '../../../../src/protocol/live';
import type { LogEntry, LogEvent } from '../../../../src/protocol/log';
import type { AssistantPart } from '../../../../src/protocol/message';
import { act, runOptions, script } from '../machine/scripts.ts';

export const place = { root: 'r', workflowId: 'r', path: 'agent', agent: 'agent' };

/** A log, and the turn in which its run made each model turn. The run counts calls that left nothing in the log, too. */
export type Logged = { readonly entries: readonly LogEntry[]; readonly turns: readonly number[] };

export const logged: fc.Arbitrary<Logged> = fc
  .tuple(runOptions, script)
  .map(([options, events]) => {
    const run = new AgentRun('go', options);
    const turns: number[] = [];
    for (const event of events) {
      const [known, turn] = [run.log.length, run.turn];
      try {
        act(run, event);
      } catch (error) {
        if (!LonghaulError.is(error)) throw error;
      }
      turns.push(...contentsOf(run.log.slice(known)).map(() => turn));
    }
    return { entries: run.log.map((event, index) => ({ ...event, id: `${index}` })), turns };
  });

/** What happens to one streamed attempt on its way. */
export type Way = {
  readonly attempts: number;
  /** The size of the pieces. */
  readonly piece: number;
  /** The attempt streams something else than the log has. */
  readonly differs: boolean;
  readonly lost: readonly number[];
  readonly repeated: readonly number[];
  readonly swapped: number;
};

export const way: fc.Arbitrary<Way> = fc.record({
  attempts: fc.constantFrom(0, 1, 1, 2, 2, 3),
  piece: fc.integer({ min: 1, max: 4 }),
  differs: fc.constantFrom(false, false, false, true),
  lost: fc.oneof(fc.constant([]), fc.array(fc.nat(12), { maxLength: 2 })),
  repeated: fc.array(fc.nat(12), { maxLength: 2 }),
  swapped: fc.nat(60),
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

/** The attempts at one turn, of which the last one made it. */
function attemptsAt(turn: number, content: readonly AssistantPart[], given: Way): LiveEvent[][] {
  return Array.from({ length: given.attempts }, (_, nth): LiveEvent[] => {
    const isLast = nth === given.attempts - 1;
    // The third is of a call after one that was cut.
    const call = { ...place, turn, calledAt: nth >> 1, attempt: (nth & 1) + 1 };
    const said: readonly AssistantPart[] =
      isLast && !given.differs ? content : [{ type: 'text', text: `${turn}.${nth} is lost` }];
    const deltas = deltasOf(said, given.piece);
    return [
      { ...call, kind: 'begin' },
      ...deltas.map((delta, seq): LiveEvent => ({ ...call, kind: 'delta', seq, delta })),
    ];
  });
}

export function underWay(events: readonly LiveEvent[], given: Way): LiveEvent[] {
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

export function attemptsOf(
  { entries, turns }: Logged,
  ways: readonly Way[],
): [Way, LiveEvent[][]][] {
  return contentsOf(entries).flatMap((content, nth) => {
    const given = ways[nth % ways.length];
    return given ? [[given, attemptsAt(turns[nth] ?? 0, content, given)]] : [];
  });
}
