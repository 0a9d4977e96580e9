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
  limits,
  LonghaulError,
  type ToolSpec,
} from '../../protocol';
import { canonicalJson, clipText, defined, type JsonObject, type Problem } from '../../base';
import type { Tool, Upgraded } from '../../define';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { pinnedDefinition } from '../definition/pinned-definition';
import { readLog } from '../log/read-log';

const mostProblems = 10;

/** `upgraded`: what `accepts` of the tool made of arguments of an earlier version. */
export type CheckedToolArguments =
  | { readonly ok: true; readonly value: unknown; readonly upgraded?: JsonObject }
  | { readonly ok: false; readonly problem: string };

type CheckedBy = {
  /** As the run pinned it. */
  readonly spec: ToolSpec;
  /** Undefined if this worker does not have the tool. */
  readonly tool: Tool | undefined;
  /** The arguments must also match the pinned schema. */
  readonly isPinned?: boolean;
};

/**
 * Checks by the tool's own code if this worker has it, else by the schema that the run pinned. So after a deploy the model may call the
 * tool as it is now, although its own schema is the old one.
 */
export async function checkAgainstSchema(
  { spec, tool, isPinned = false }: CheckedBy,
  args: JsonObject,
): Promise<CheckedToolArguments> {
  const isUnchanged =
    tool !== undefined && canonicalJson(spec.inputSchema) === canonicalJson(tool.spec.inputSchema);
  // A client's own tool may have the name of one that other agents have.
  const own = spec.result === 'client' && !isUnchanged ? undefined : tool;
  // A turn may have a hundred calls, and each check takes a moment. Heartbeats go out between the checks.
  await setImmediate();
  const problems = isUnchanged || (own && !isPinned) ? [] : problemsOf(spec, args);
  if (problems.length > 0) return refused(spec, problems);
  if (own === undefined) return { ok: true, value: args };
  await setImmediate();
  const checked = await checkByCode(own, args);
  if (checked.ok || isUnchanged) return checked;
  return { ...checked, problem: checked.problem + expected(own) };
}

async function checkByCode(tool: Tool, args: JsonObject): Promise<CheckedToolArguments> {
  const check = await tool.validateArguments(args);
  if (check.ok) return check;
  const upgraded = await upgradeOf(tool, args);
  if (upgraded?.ok !== true) return refused(tool, upgraded?.problems ?? check.problems);
  return { ...upgraded, ...defined({ upgraded: upgraded.args }) };
}

async function upgradeOf(tool: Tool, args: JsonObject): Promise<Upgraded | undefined> {
  for (const earlier of tool.accepts ?? []) {
    await setImmediate();
    const upgraded = await earlier.upgrade(args, (made) => tool.validateArguments(made));
    if (upgraded !== undefined) return upgraded;
  }
  return undefined;
}

/** For the model, which knows only the schema that the run pinned. */
function expected({ spec }: Tool): string {
  const schema = clipText(JSON.stringify(spec.inputSchema), limits.toolArgumentsInline);
  return `\nThe tool has changed since this run began. It now takes arguments of this JSON Schema:\n${schema}`;
}

/** A schema that cannot be used here refuses nothing: the tool's owner checks the arguments. */
function problemsOf({ inputSchema }: ToolSpec, args: JsonObject): readonly Problem[] {
  if (toolSchemaProblems(inputSchema).length > 0) return [];
  return checkAgainst(inputSchema, args, forTools);
}

function refused(
  { name }: Pick<ToolSpec, 'name'>,
  problems: readonly Problem[],
): Extract<CheckedToolArguments, { ok: false }> {
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
    const isPinned = spec.needsApproval === 'ask';
    const checked = await checkAgainstSchema({ spec, tool, isPinned }, input.args);
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
