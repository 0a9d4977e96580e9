import { isJsonObject, type JsonObject } from '../base/json';
import type { RunnerSpec } from '../protocol/spec';
import { graphParams } from './graph-problems';
import { inlineSpecs } from './inline-specs';
import { completeModel } from './model-ref';
import { deepFreeze } from '../base/plain-json';
import { toPlainJson } from '../define/plain-json';
import { joinPath, specError, type Problem } from './problem';
import { runnerSubject } from '../define/runner';
import { runnerSpecProblems } from './runner-spec-problems';

export type ParsedRunnerSpec =
  | { readonly ok: true; readonly spec: RunnerSpec }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A runner's spec that came from outside: a start with an inline spec, the Web UI, a file. `SpecError` lists all that is wrong. */
export function parseRunnerSpec(value: unknown): RunnerSpec {
  const parsed = tryParseRunnerSpec(value);
  if (parsed.ok) return parsed.spec;
  throw specError(subjectOf(value), parsed.problems);
}

export function tryParseRunnerSpec(value: unknown): ParsedRunnerSpec {
  const plain = toPlainJson(value);
  if (!plain.ok) return { ok: false, problems: [plain.problem] };
  const unreadable = isJsonObject(plain.value) ? complete(plain.value) : [];
  const reported = new Set(unreadable.map(({ path }) => path));
  const found = runnerSpecProblems(plain.value).filter(({ path }) => !reported.has(path));
  const problems = [...unreadable, ...found];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, spec: deepFreeze(plain.value as unknown as RunnerSpec) };
}

/** Writes out, at every depth, what may be left out or be shorter in a spec by hand: models as text, a graph's params. */
function complete(spec: JsonObject): Problem[] {
  const inside = inlineSpecs(spec).flatMap(({ path, spec: inline }) =>
    complete(inline).map((problem) => ({ ...problem, path: joinPath(path, problem.path) })),
  );
  if (spec.kind === 'graph') completeParams(spec);
  return spec.kind === 'agent' ? [...completeModels(spec), ...inside] : inside;
}

function completeModels(spec: JsonObject): Problem[] {
  const compact = isJsonObject(spec.memory) ? spec.memory.compact : undefined;
  return [
    ...completeModel(spec, 'model'),
    ...(isJsonObject(compact) ? completeModel(compact, 'memory.compact.model') : []),
  ];
}

function completeParams(spec: JsonObject): void {
  const params = graphParams(spec.tasks);
  if (spec.params === undefined && params.length > 0) spec.params = params;
}

function subjectOf(value: unknown): string {
  const { id, kind } = isJsonObject(value) ? value : {};
  return runnerSubject(kind, id);
}
