import { isJsonObject } from '../protocol/json';
import type { AgentSpec } from '../protocol/spec';
import { agentSpecProblems } from './agent-spec-problems';
import { parseModel } from './model-ref';
import { deepFreeze, toPlainJson } from './plain-json';
import { describeValue, specError, type Problem } from './problem';

export type ParsedAgentSpec =
  | { readonly ok: true; readonly spec: AgentSpec }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** An agent's spec that came from outside: a start with an inline spec, the Web UI, a file. `SpecError` lists all that is wrong. */
export function parseAgentSpec(value: unknown): AgentSpec {
  const parsed = tryParseAgentSpec(value);
  if (parsed.ok) return parsed.spec;
  const id = isJsonObject(value) ? value.id : undefined;
  throw specError(
    typeof id === 'string' ? `Agent ${describeValue(id)}` : 'An agent',
    parsed.problems,
  );
}

/** `model` may be text here, too: people write specs by hand. */
export function tryParseAgentSpec(value: unknown): ParsedAgentSpec {
  const plain = toPlainJson(value);
  if (!plain.ok) return { ok: false, problems: [plain.problem] };
  const spec = plain.value;
  if (isJsonObject(spec) && typeof spec.model === 'string') {
    const parsed = parseModel(spec.model);
    if (!parsed.ok) return { ok: false, problems: [{ path: 'model', message: parsed.message }] };
    spec.model = { ...parsed.model };
  }
  const problems = agentSpecProblems(spec);
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, spec: deepFreeze(spec as unknown as AgentSpec) };
}
