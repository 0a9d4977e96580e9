import { isJsonObject } from '../base/json';
import { limits } from '../protocol/limits';
import type { GraphSpec, ParallelSpec, RunnerSpec, SequentialSpec } from '../protocol/spec';
import { agentSpecProblems } from './agent-spec-problems';
import { budgetProblems } from './budget-problems';
import { shapeProblems } from '../base/check-shape';
import { graphProblems } from './graph-problems';
import { inlineSpecs } from './inline-specs';
import { didYouMean } from '../base/nearest';
import { describeValue, joinPath, quote, type Problem } from '../base/problem';
import { specSchemas } from './runner-spec-schema';

type Kind = RunnerSpec['kind'];

const kinds = Object.keys(specSchemas);

/** Everything that is wrong with a runner's data by itself, inline specs in it included. */
export function runnerSpecProblems(candidate: unknown, depth = 0): Problem[] {
  if (!isJsonObject(candidate)) {
    return [{ path: '', message: `must be an object, not ${describeValue(candidate)}` }];
  }
  if (!isKind(candidate.kind)) return [{ path: 'kind', message: kindMessage(candidate.kind) }];
  if (depth > limits.depth) {
    return [
      { path: '', message: `is nested deeper than the ${limits.depth} levels runs may have` },
    ];
  }
  const inside = inlineSpecs(candidate).flatMap(({ path, spec }) =>
    runnerSpecProblems(spec, depth + 1).map((problem) => ({
      ...problem,
      path: joinPath(path, problem.path),
    })),
  );
  return [...ownSpecProblems(candidate.kind, candidate), ...inside];
}

/** The same but for the inline specs in it. */
export function ownSpecProblems(kind: Kind, candidate: unknown): Problem[] {
  if (kind === 'agent') return agentSpecProblems(candidate);
  const problems = shapeProblems(specSchemas[kind], candidate);
  if (problems.length > 0) return problems;
  const spec = candidate as SequentialSpec | ParallelSpec | GraphSpec;
  return [...budgetProblems(spec.budget), ...ruleProblems(spec)];
}

function ruleProblems(spec: SequentialSpec | ParallelSpec | GraphSpec): Problem[] {
  switch (spec.kind) {
    case 'sequential':
      return [];
    case 'parallel':
      return cancelRestProblems(spec);
    case 'graph':
      return graphProblems(spec);
  }
}

function cancelRestProblems({ merge, cancelRest }: ParallelSpec): Problem[] {
  if (cancelRest !== true || merge === 'first') return [];
  return [{ path: 'cancelRest', message: `never happens without merge: 'first'` }];
}

function isKind(kind: unknown): kind is Kind {
  return typeof kind === 'string' && Object.hasOwn(specSchemas, kind);
}

function kindMessage(kind: unknown): string {
  const choices = `one of ${kinds.map(quote).join(', ')}`;
  if (kind === undefined) return `is required: ${choices}`;
  const meant = typeof kind === 'string' ? didYouMean(kind, kinds) : '';
  return `must be ${choices}, not ${describeValue(kind)}${meant}`;
}
