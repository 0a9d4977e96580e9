import type { RunnerSpec } from '../protocol/spec';
import { parseAgentSpec } from './parse-agent-spec';

/** A runner's spec that came from outside: a start with an inline spec, the Web UI, a file. `SpecError` lists all that is wrong. */
export function parseRunnerSpec(value: unknown): RunnerSpec {
  return parseAgentSpec(value);
}
