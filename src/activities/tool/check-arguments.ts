// Whether the arguments of a call match the tool's schema; what the model is told where they do not.

import { setImmediate } from 'node:timers/promises';
import { agentOf, toolOf } from '../../core/loop-config';
import type {
  CheckArgumentsInput,
  CheckArgumentsResult,
  RunToolHooksInput,
  RunToolHooksResult,
} from '../../protocol/activities';
import { canonicalJson, type JsonObject } from '../../base/json';
import type { ToolSpec } from '../../protocol/spec';
import { tryCompileSchema } from '../../define/arguments/compile';
import type { Problem } from '../../base/problem';
import type { Tool } from '../../define/tool';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { pinnedDefinition } from '../definition/pinned-definition';
import { callArguments } from './call-arguments';
import { readAnswer } from '../callback-answers';
import { callbackChain } from '../callbacks';
import { overrideOf } from './tool-callbacks';

const mostProblems = 10;

export type CheckedToolArguments =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Against the schema the run pinned, which the model saw, then as the tool's own code, where it is here, expects them. */
export async function checkToolArguments(
  spec: ToolSpec,
  tool: Tool | undefined,
  args: JsonObject,
): Promise<CheckedToolArguments> {
  const isUnchanged =
    tool !== undefined && canonicalJson(spec.inputSchema) === canonicalJson(tool.spec.inputSchema);
  // A turn may have a hundred calls, and each check may take half a second: heartbeats go out between them.
  await setImmediate();
  const problems = isUnchanged ? [] : problemsOf(spec, args);
  if (problems.length > 0) return refused(spec, problems);
  if (tool === undefined) return { ok: true, value: args };
  await setImmediate();
  const check = await tool.validateArguments(args);
  return check.ok ? check : refused(spec, check.problems);
}

/** A schema that cannot be used here, for whatever its owner wrote into it, refuses nothing: the owner does. */
function problemsOf({ inputSchema }: ToolSpec, args: JsonObject): readonly Problem[] {
  const compiled = tryCompileSchema(inputSchema);
  return compiled.ok ? compiled.check(args) : [];
}

function refused({ name }: ToolSpec, problems: readonly Problem[]): CheckedToolArguments {
  const list = problems
    .slice(0, mostProblems)
    .map(({ path, message }) => `- ${path || 'arguments'}: ${message}`);
  const problem = `The arguments of '${name}' do not match its schema:\n${list.join('\n')}`;
  return { ok: false, problem };
}

/** The activity: for a call that runs elsewhere and that a person or a repair changed since the model made it. */
export async function checkArguments(
  dependencies: ActivityDependencies,
  input: CheckArgumentsInput,
): Promise<CheckArgumentsResult> {
  return await withHeartbeat(async () => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = toolOf(definition, input.tool);
    const tool = dependencies.registry.tools.get(input.tool);
    const checked = await checkToolArguments(spec, tool, input.args);
    return checked.ok ? {} : { problem: checked.problem };
  });
}

// The hooks around a call that the run schedules itself: an activity of the user's own, an agent called as a tool.

export async function runToolHooks(
  dependencies: ActivityDependencies,
  input: RunToolHooksInput,
): Promise<RunToolHooksResult> {
  return await withHeartbeat(async (signal) => {
    const { callId, tool: name, output: result } = input;
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = agentOf(definition, input.agentId);
    const chain = await callbackChain(dependencies, { definition, spec, input, signal });
    if (chain === undefined) return {};
    const call = { callId, name, args: await callArguments(dependencies, input, signal) };
    const answer =
      result === undefined
        ? await chain.run('beforeToolCall', { call }, readAnswer)
        : await chain.run('afterToolCall', { call, result }, readAnswer);
    const output = answer && overrideOf(definition.tools[name] ?? { name }, answer);
    const session = chain.changes;
    return { ...(output && { output }), ...(session && { session }) };
  });
}
