import type { LiveAttempt, LiveEvent } from '../../../protocol';
import { isSameAttempt, nextSeq } from '../merge-deltas';

type Heard = LiveAttempt & { readonly nextSeq: number };

/** How many runs of a root are remembered. */
const maxRuns = 1_000;

/** Finds what is new: rows may come twice, because one read finds them by their root, another by their id, and a write may be repeated. */
export function newEvents(root: string): (event: LiveEvent) => boolean {
  const heard = new Map<string, Heard>();
  return (event) => {
    // Rows are found by a hash.
    if (event.root !== root) return false;
    if (event.kind === 'moved') return true;
    const next = after(heard.get(event.workflowId), event);
    if (next !== undefined) remember(heard, event.workflowId, next);
    return next !== undefined;
  };
}

/** Undefined if the event is old. */
function after(
  last: Heard | undefined,
  event: Exclude<LiveEvent, { kind: 'moved' }>,
): Heard | undefined {
  const { turn, calledAt, attempt } = event;
  const isSame = last !== undefined && isSameAttempt(last, event);
  if (last !== undefined && !isSame && !isLater(event, last)) return undefined;
  if (event.kind === 'begin') return isSame ? undefined : { turn, calledAt, attempt, nextSeq: 0 };
  if (isSame && event.seq < last.nextSeq) return undefined;
  return { turn, calledAt, attempt, nextSeq: nextSeq(event) };
}

function isLater(one: LiveAttempt, other: LiveAttempt): boolean {
  if (one.calledAt !== other.calledAt) return one.calledAt > other.calledAt;
  return one.attempt > other.attempt;
}

function remember(heard: Map<string, Heard>, workflowId: string, next: Heard): void {
  heard.delete(workflowId);
  heard.set(workflowId, next);
  const [oldest] = heard.keys();
  if (heard.size > maxRuns && oldest !== undefined) heard.delete(oldest);
}
