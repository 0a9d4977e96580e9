import { z } from 'zod';
import { deepFreeze, describeValue, quote } from '../base';
import type { SubAgentSpec } from '../protocol';
import { parseOptions, refuseProblems, saidBy } from './options';
import { isRunner, runnerMakers, type Runner, type SubAgentTool } from './runner';
import { subAgentFields } from './schema/agent';
import type { Immutable } from './schema/parts';

const subAgentOptions = z.strictObject(subAgentFields);

/** The options of `subAgent`. */
export type SubAgentOptions = Immutable<z.input<typeof subAgentOptions>>;

/**
 * Offers an agent or an orchestration to an agent as a tool that takes `{input: string}`. Each call starts a run, as a child workflow. The
 * run's final text is the tool's result. The run shares the caller's session, and the root run lists its questions.
 *
 * @example
 * const manager = defineAgent({
 *   id: 'manager',
 *   model: 'openai/gpt-6.1-terra',
 *   tools: [subAgent(researcher, { name: 'research', description: 'Researches a topic' })],
 * });
 */
export function subAgent(runner: Runner, options: SubAgentOptions): SubAgentTool {
  const subject = `Sub-agent ${quote(String(saidBy(options, 'name')))}`;
  const fields = parseOptions(subAgentOptions, options, { subject });
  const message = `must come from ${runnerMakers}, not be ${describeValue(runner)}`;
  refuseProblems(subject, isRunner(runner) ? [] : [{ path: 'runner', message }]);
  return subAgentOf(runner, fields);
}

/** The sub-agent of options that a schema parsed. */
export function subAgentOf(runner: Runner, fields: SubAgentOptions): SubAgentTool {
  const spec: SubAgentSpec = { ...fields, runner: runner.spec };
  return Object.freeze({ kind: 'sub-agent', name: spec.name, runner, spec: deepFreeze(spec) });
}
