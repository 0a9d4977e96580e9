// Decides whether a waiting run of an agent can go on under another definition of this agent. Pure.
//
// 1. An open call goes on only if its tool is still there, takes the arguments of the call, and gets its result from the same place.
// 2. What cannot be checked does not fit. The run then stays as it is.

import { canonicalJson, defined, formatProblem, joinPath, quote } from '../base';
import type { AgentConfig, ToolConfig } from '../protocol/activities';
import type { MachineInput } from '../protocol/agent-run';
import { type MigrateInput, migrateInputShape } from '../protocol/run';
import type { Definition } from '../protocol/spec';
import { toolSpecOf } from './loop-config';
import { checkNote } from './machine/answer';
import { checkRunner, readMembers } from './run-input';
import { checkAgainst, forAnswers } from './schema/check-schema';
import { answerSchemaProblem } from './schema/schema-problem';

/** Takes the request whole or not at all: anybody may send one. */
export function readMigration(value: unknown): MigrateInput {
  const request = readMembers(migrateInputShape, value, 'a migration');
  checkRunner(request.runner);
  if (request.note !== undefined) checkNote(request.note);
  return request;
}

/** What the run waits for, and how many model calls it has made. */
export type Waiting = { readonly inputs: readonly MachineInput[]; readonly turn: number };

/** The agent and everything that its tools have. `maxTurns`: with the default. */
export type NewAgent = {
  readonly config: AgentConfig;
  readonly definition: Definition;
  readonly maxTurns: number;
};

/** Why the run cannot go on under the new definition. Empty if it can. */
export function misfits(
  { inputs, turn }: Waiting,
  before: AgentConfig,
  after: NewAgent,
): readonly string[] {
  const { maxTurns } = after;
  const calls = inputs.flatMap(({ inputId, kind, call }) => {
    if (kind === 'question' || call === undefined) return [];
    const problem = misfitOf({ kind, call }, before, after);
    return problem === undefined ? [] : [`call '${inputId}' of ${quote(call.name)}: ${problem}`];
  });
  return turn < maxTurns
    ? calls
    : [...calls, `the run has made ${turn} model calls, and the new maxTurns is ${maxTurns}`];
}

type WaitingCall = Pick<MachineInput, 'kind'> & {
  readonly call: NonNullable<MachineInput['call']>;
};

function misfitOf(
  { kind, call }: WaitingCall,
  before: AgentConfig,
  { config, definition }: NewAgent,
): string | undefined {
  const { name, args } = call;
  if (config.subAgents?.some((subAgent) => subAgent.name === name)) return undefined;
  const tool = toolOf(config, name);
  if (tool === undefined) return 'the new definition has no such tool';
  if (kind === 'tool')
    return tool.result === toolOf(before, name)?.result
      ? undefined
      : 'in the new definition its result comes from somewhere else';
  const { inputSchema } = toolSpecOf(definition, name);
  const unchecked = answerSchemaProblem(inputSchema);
  if (unchecked !== undefined)
    return `its new schema cannot be checked here: ${formatProblem(unchecked)}`;
  const [problem] = checkAgainst(inputSchema, args ?? {}, forAnswers);
  if (problem === undefined) return undefined;
  const path = joinPath('args', problem.path);
  return `it does not match the new schema: ${formatProblem({ ...problem, path })}`;
}

/** True if the same people decide about calls of the tool, and its results come the same way. */
export function isRuledAlike(name: string, before: AgentConfig, after: AgentConfig): boolean {
  const [old, fresh] = [rulesOf(before, name), rulesOf(after, name)];
  return old !== undefined && old === fresh;
}

function rulesOf(config: AgentConfig, name: string): string | undefined {
  const tool = toolOf(config, name);
  if (tool === undefined) return undefined;
  const { needsApproval, approval, result, resultSchema, resultTimeoutMs } = tool;
  return canonicalJson(defined({ needsApproval, approval, result, resultSchema, resultTimeoutMs }));
}

const toolOf = ({ tools }: AgentConfig, name: string): ToolConfig | undefined =>
  tools.find((tool) => tool.name === name);
