import {
  deepFreeze,
  describeValue,
  isJsonObject,
  joinPath,
  type JsonObject,
  type Problem,
} from '../base';
import { limits, type RunnerSpec } from '../protocol';
import { toPlainJson } from './plain-json';
import { parse, type Parsed } from './problems/from-zod';
import { specError } from './problems/problem';
import { runnerSubject } from './runner';
import { runnerSpec } from './schema/orchestration';

/**
 * Reads a runner's spec from outside: a start with an inline spec, the Web UI, a file. Throws a `SpecError` that lists everything that is
 * wrong.
 */
export function parseRunnerSpec(value: unknown): RunnerSpec {
  const parsed = tryParseRunnerSpec(value);
  if (parsed.ok) return parsed.value;
  const { id, kind } = isJsonObject(value) ? value : {};
  throw specError(runnerSubject(kind, id), parsed.problems);
}

export function tryParseRunnerSpec(value: unknown): Parsed<RunnerSpec> {
  const plain = toPlainJson(value);
  if (!plain.ok) return { ok: false, problems: [plain.problem] };
  if (!isJsonObject(plain.value)) {
    const message = `must be an object, not ${describeValue(plain.value)}`;
    return { ok: false, problems: [{ path: '', message }] };
  }
  const deep = tooDeep(plain.value, 0);
  if (deep !== undefined) return { ok: false, problems: [deep] };
  const parsed = parse(runnerSpec, plain.value);
  return parsed.ok ? { ok: true, value: deepFreeze(parsed.value) } : parsed;
}

/** The member with the runners, by kind. */
const runnersIn: Readonly<Record<string, string>> = {
  agent: 'subAgents',
  sequential: 'steps',
  parallel: 'branches',
  graph: 'tasks',
};

/** The problem of the first runner that is nested too deep. The data may be wrong in every way. */
function tooDeep(spec: JsonObject, depth: number): Problem | undefined {
  if (depth > limits.depth) {
    return { path: '', message: `is nested deeper than the ${limits.depth} levels runs may have` };
  }
  const member = typeof spec.kind === 'string' ? (runnersIn[spec.kind] ?? '') : '';
  const items = spec[member];
  if (!Array.isArray(items)) return undefined;
  for (const [index, item] of items.entries()) {
    if (!isJsonObject(item)) continue;
    const inside = isJsonObject(item.runner) ? item.runner : item;
    const path = `${member}[${index}]${inside === item ? '' : '.runner'}`;
    const problem = tooDeep(inside, depth + 1);
    if (problem !== undefined) return { ...problem, path: joinPath(path, problem.path) };
  }
  return undefined;
}
