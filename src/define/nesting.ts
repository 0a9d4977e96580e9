import { refId, runnerRefs } from '../core/runner-refs';
import { limits, LonghaulError, type RunnerRef, type RunnerSpec } from '../protocol';
import { runnerName } from './runner';

/**
 * Refuses a new runner that can reach itself, or that nests runs too deeply. It looks only at the objects that the runner is made of. These
 * were checked when they were made, so a circle can only lead through the new id. Ids of runners registered elsewhere are followed when a
 * definition is closed.
 */
export function checkNesting(spec: RunnerSpec): void {
  const way = wayTo(spec.id, runnerRefs(spec), new Set());
  if (way !== undefined) throw circularCall([spec.id, ...way]);
  if (levelsBelow(spec, new Map()) > limits.depth) throw nestedTooDeep(spec);
}

export function circularCall(path: readonly string[]): LonghaulError {
  const message = `Runners call each other in a circle: ${path.join(' → ')}.`;
  return new LonghaulError('CircularAgentCall', message, { details: { id: path.at(-1) } });
}

export function nestedTooDeep(spec: RunnerSpec): LonghaulError {
  const message = `${runnerName(spec)} nests runners more than ${limits.depth} levels deep: make fewer levels.`;
  return new LonghaulError('DepthExceeded', message, {
    details: { id: spec.id, limit: limits.depth },
  });
}

function wayTo(
  id: string,
  refs: readonly RunnerRef[],
  seen: Set<RunnerRef>,
): readonly string[] | undefined {
  for (const ref of refs) {
    if (refId(ref) === id) return [id];
    if (typeof ref === 'string' || seen.has(ref)) continue;
    seen.add(ref);
    const rest = wayTo(id, runnerRefs(ref), seen);
    if (rest !== undefined) return [ref.id, ...rest];
  }
  return undefined;
}

/** The longest way down, in calls. It reads a runner in many places once, and looks ids up if that is possible. */
export function levelsBelow(
  spec: RunnerSpec,
  known: Map<RunnerSpec, number>,
  specOf: (id: string) => RunnerSpec | undefined = () => undefined,
): number {
  const levels = runnerRefs(spec).map((ref) => {
    const callee = typeof ref === 'string' ? specOf(ref) : ref;
    if (callee === undefined) return 1;
    const below = known.get(callee) ?? levelsBelow(callee, known, specOf);
    known.set(callee, below);
    return below + 1;
  });
  return Math.max(0, ...levels);
}
