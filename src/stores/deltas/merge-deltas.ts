import { utf8Length } from '../../base';
import type { LiveAttempt, LiveEvent, ModelDelta } from '../../protocol';

/** The bytes of an event, without its text. */
const overhead = 400;

export type DeltaLiveEvent = Extract<LiveEvent, { kind: 'delta' }>;

/** The `seq` of the delta after this one. */
export function nextSeq({ seq, count = 1 }: DeltaLiveEvent): number {
  return seq + count;
}

/** Both deltas as one, if the later one goes on where the earlier one ends. */
function mergeDeltas(earlier: DeltaLiveEvent, later: DeltaLiveEvent): DeltaLiveEvent | undefined {
  const isNext =
    earlier.workflowId === later.workflowId &&
    isSameAttempt(earlier, later) &&
    nextSeq(earlier) === later.seq;
  const delta = isNext ? joined(earlier.delta, later.delta) : undefined;
  return delta && { ...earlier, delta, count: nextSeq(later) - earlier.seq };
}

function joined(earlier: ModelDelta, later: ModelDelta): ModelDelta | undefined {
  if (earlier.kind === 'tool-call') {
    if (later.kind !== 'tool-call' || later.index !== earlier.index) return undefined;
    if (earlier.complete || later.name !== undefined || later.callId !== undefined)
      return undefined;
    const args = (earlier.args ?? '') + (later.args ?? '');
    return { ...earlier, ...(args !== '' && { args }), ...(later.complete && { complete: true }) };
  }
  if (later.kind !== earlier.kind) return undefined;
  return { ...earlier, text: earlier.text + later.text };
}

export function isSameAttempt(one: LiveAttempt, other: LiveAttempt): boolean {
  return (
    one.turn === other.turn && one.calledAt === other.calledAt && one.attempt === other.attempt
  );
}

/** The approximate memory of an event. */
function eventBytes(event: LiveEvent): number {
  return overhead + (event.kind === 'delta' ? utf8Length(textOf(event.delta)) : 0);
}

/** Appends the event, or merges it into the last one. Returns the bytes that the events grew by, about. */
export function addMerged(events: LiveEvent[], event: LiveEvent): number {
  const last = events.at(-1);
  const both =
    last?.kind === 'delta' && event.kind === 'delta' ? mergeDeltas(last, event) : undefined;
  if (both === undefined) {
    events.push(event);
    return eventBytes(event);
  }
  events[events.length - 1] = both;
  return eventBytes(event) - overhead;
}

function textOf(delta: ModelDelta): string {
  return delta.kind === 'tool-call' ? (delta.args ?? '') : delta.text;
}
