// Checks the arguments of a call against the tool's schema. For wrong arguments it makes a text that lists the problems for the model.

import { setImmediate } from 'node:timers/promises';
import { toolSpecOf } from '../../core/loop-config';
import { checkAgainst, forTools } from '../../core/schema/check-schema';
import { toolSchemaProblems } from '../../core/schema/schema-problem';
import {
  type ArgumentsRef,
  type CallToolInput,
  type CheckArgumentsInput,
  type CheckArgumentsResult,
  LonghaulError,
  type ToolSpec,
} from '../../protocol';
import { canonicalJson, type JsonObject, type Problem } from '../../base';
import type { Tool } from '../../define';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { pinnedDefinition } from '../definition/pinned-definition';
import { readLog } from '../log/read-log';

const mostProblems = 10;

export type CheckedToolArguments =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string };

/** Checks by the schema that the run pinned, which the model saw, then by the tool's own code if this worker has it. */
export async function checkAgainstSchema(
  spec: ToolSpec,
  tool: Tool | undefined,
  args: JsonObject,
): Promise<CheckedToolArguments> {
  const isUnchanged =
    tool !== undefined && canonicalJson(spec.inputSchema) === canonicalJson(tool.spec.inputSchema);
  // A turn may have a hundred calls, and each check takes a moment. Heartbeats go out between the checks.
  await setImmediate();
  const problems = isUnchanged ? [] : problemsOf(spec, args);
  if (problems.length > 0) return refused(spec, problems);
  // A client's own tool may have the name of one that other agents have.
  if (tool === undefined || (spec.result === 'client' && !isUnchanged))
    return { ok: true, value: args };
  await setImmediate();
  const check = await tool.validateArguments(args);
  return check.ok ? check : refused(spec, check.problems);
}

/** A schema that cannot be used here refuses nothing: the tool's owner checks the arguments. */
function problemsOf({ inputSchema }: ToolSpec, args: JsonObject): readonly Problem[] {
  if (toolSchemaProblems(inputSchema).length > 0) return [];
  return checkAgainst(inputSchema, args, forTools);
}

function refused({ name }: ToolSpec, problems: readonly Problem[]): CheckedToolArguments {
  const list = problems
    .slice(0, mostProblems)
    .map(({ path, message }) => `- ${path || 'arguments'}: ${message}`);
  const problem = `The arguments of '${name}' do not match its schema:\n${list.join('\n')}`;
  return { ok: false, problem };
}

/** The activity for a call that runs elsewhere, after a person or a repair has changed its arguments. */
export async function checkArguments(
  dependencies: ActivityDependencies,
  input: CheckArgumentsInput,
): Promise<CheckArgumentsResult> {
  return await withHeartbeat(dependencies, async () => {
    const definition = await pinnedDefinition(dependencies, input.definition);
    const spec = toolSpecOf(definition, input.tool);
    const tool = dependencies.registry.tools.get(input.tool);
    const checked = await checkAgainstSchema(spec, tool, input.args);
    return checked.ok ? {} : { problem: checked.problem };
  });
}

/** The arguments of a call. Reads long ones from the log. */
export async function callArguments(
  dependencies: ActivityDependencies,
  input: CallToolInput,
  signal: AbortSignal,
): Promise<JsonObject> {
  if (input.byReference !== true) return input.args as JsonObject;
  const ref = input.args as ArgumentsRef;
  const entries = await readLog(dependencies.logCache, ref.log, signal);
  const entry = entries.find((candidate) => candidate.id === ref.entryId);
  const part = entry?.kind === 'model-turn' ? entry.content[ref.position] : undefined;
  if (part?.type === 'tool_call' && part.args !== null) return part.args;
  throw new LonghaulError('InternalError', `the log has no arguments at entry '${ref.entryId}'`);
}
