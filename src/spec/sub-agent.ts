import type { AgentToolPolicy, SubAgentSpec } from '../protocol/spec';
import { toolNamePattern, toolNameRule } from './names';
import { OptionReader } from './option-reader';
import { deepFreeze } from '../base/plain-json';
import { describeValue, quote, specError } from './problem';
import { isRunner, runnerMakers, type Runner } from '../define/runner';

export type SubAgentOptions = {
  /** What the calling model sees it as. */
  readonly name: string;
  readonly description: string;
  /** Binds the callee and everything below it. */
  readonly policy?: AgentToolPolicy;
  /** Default `return`: the calling model sees the failure. Circular and disallowed calls, budget and cancellation always end the run. */
  readonly onError?: 'return' | 'fail';
};

/** A runner that an agent calls as a tool. Made by `subAgent`. */
export type SubAgentTool = {
  readonly kind: 'sub-agent';
  readonly name: string;
  readonly runner: Runner;
  readonly spec: SubAgentSpec;
};

/**
 * Offers an agent, or an orchestration, to an agent as a tool that takes `{input: string}`. Each call is a run of its own, a child workflow; its final
 * text is the tool's result. It shares the caller's session and may ask the user: its questions show on the topmost run.
 *
 * @example
 * const manager = defineAgent({
 *   id: 'manager',
 *   model: 'openai/gpt-6.1-terra',
 *   tools: [subAgent(researcher, { name: 'research', description: 'Researches a topic' })],
 * });
 */
export function subAgent(runner: Runner, options: SubAgentOptions): SubAgentTool {
  const reader = new OptionReader(options, ['name', 'description', 'policy', 'onError']);
  const { name, description, policy, onError } = options;
  if (typeof name !== 'string' || !new RegExp(toolNamePattern).test(name)) {
    reader.refuse('name', `must be ${toolNameRule}, not ${describeValue(name)}`);
  }
  if (typeof description !== 'string' || description === '') {
    reader.refuse('description', 'must say what the runner does: the calling model chooses by it');
  }
  if (!isRunner(runner)) {
    reader.refuse('runner', `must come from ${runnerMakers}, not be ${describeValue(runner)}`);
  }
  if (reader.problems.length > 0)
    throw specError(`Sub-agent ${quote(String(name))}`, reader.problems);
  const spec: SubAgentSpec = {
    name,
    description,
    runner: runner.spec,
    ...(policy !== undefined && { policy: structuredClone(policy) }),
    ...(onError !== undefined && { onError }),
  };
  return Object.freeze({
    kind: 'sub-agent',
    name,
    runner,
    spec: deepFreeze(spec),
  });
}
