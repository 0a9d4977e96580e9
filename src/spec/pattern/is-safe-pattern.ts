import { overlaps } from './char-set';
import { parsePattern, UnknownSyntax } from './parse-pattern';
import { buildAutomaton, PatternTooLarge, type PatternAutomaton } from './pattern-automaton';
import { loopsOf } from './pattern-loops';

const longestPattern = 2000;
const mostSteps = 20_000;

/**
 * False for a pattern that may need time exponential in the length of a text, such as `^(a+)+$`, and for one too large to tell.
 * Exactly those can run through a loop in two ways that match the same text, so that a failing match tries all combinations.
 */
export function isSafePattern(pattern: string): boolean {
  if (pattern.length > longestPattern) return false;
  try {
    return !isAmbiguous(buildAutomaton(parsePattern(pattern)));
  } catch (error) {
    if (error instanceof UnknownSyntax || error instanceof PatternTooLarge) return false;
    throw error;
  }
}

function isAmbiguous(automaton: PatternAutomaton): boolean {
  const loops = loopsOf(automaton.edges);
  const isInLoop = (from: number, to: number) =>
    loops[from] !== undefined && loops[from] === loops[to];
  if (automaton.doubled.some(([from, to]) => isInLoop(from, to))) return true;
  return splitPathsMeet(automaton, (from) =>
    [...(automaton.edges[from] ?? [])].filter((to) => isInLoop(from, to)),
  );
}

/** Whether two paths can part from one state of a loop, match the same text, and meet in one state of that loop again. */
function splitPathsMeet(automaton: PatternAutomaton, next: (state: number) => number[]): boolean {
  const size = automaton.sets.length;
  const seen = new Set<number>();
  const open: (readonly [number, number])[] = automaton.sets.map((_, state) => [state, state]);
  let steps = 0;
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [left, right] = pair;
    for (const [nextLeft, nextRight] of pairs(next(left), next(right))) {
      steps += 1;
      if (steps > mostSteps) throw new PatternTooLarge();
      if (!overlaps(automaton.sets[nextLeft] ?? [], automaton.sets[nextRight] ?? [])) continue;
      if (nextLeft === nextRight) {
        if (left !== right) return true;
        continue;
      }
      const key = nextLeft * size + nextRight;
      if (!seen.has(key)) open.push([nextLeft, nextRight]);
      seen.add(key);
    }
  }
  return false;
}

function pairs(left: readonly number[], right: readonly number[]): (readonly [number, number])[] {
  return left.flatMap((one) => right.map((other) => [one, other] as const));
}
