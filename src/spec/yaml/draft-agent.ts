import type { Json, JsonObject } from '../../base/json';
import { parseDuration } from '../../base/duration';
import { formatPath } from '../../base/problem';
import type { Draft, DraftTool } from './draft';
import type { RunnerContext } from './draft-runner';
import type { FileAgent, FileCallbacks, FileCriterion, FileTool } from './file-values';
import { entriesOf, given } from './file-values';
import { readModel } from './read-model';
import { readText } from './read-prompt';

type AgentDraft = Pick<Draft, 'spec' | 'tools' | 'criteria'>;

/** The spec of an agent as a file has it. Without a model it is a draft for the prompt files that name one. */
export function draftAgent(agent: FileAgent, context: RunnerContext): AgentDraft {
  const { provider: _, tools, subAgents, criteria, callbacks, inputTimeout, ...rest } = agent;
  const kept = keptCriteria(criteria ?? []);
  const spec = given({
    ...(rest as unknown as JsonObject),
    kind: 'agent',
    model: modelOf(agent, context),
    instructions: instructionsOf(agent, context),
    tools: listOf(entriesOf(tools).map(([, tool]) => toolName(tool))),
    subAgents: listOf(
      entriesOf(subAgents).map(([index, { runner, ...subAgent }]) => ({
        ...(subAgent as unknown as JsonObject),
        runner: context.readRef(runner, ['subAgents', index, 'runner']),
      })),
    ),
    mcpServers: listOf([...(agent.mcpServers ?? [])]),
    criteria: listOf(kept.map(({ criterion }) => criterion as unknown as Json)),
    callbacks: listOf(
      entriesOf(callbacks).map(([index, item]) => callbacksName(item, index, context)),
    ),
    maxIterations: limitOf(criteria ?? []) ?? agent.maxIterations,
    inputTimeoutMs: timeoutOf(inputTimeout, context),
    memory: memoryOf(agent, context),
  });
  return {
    spec,
    tools: entriesOf(tools)
      .map(([index, tool]) => toolOf(tool, index))
      .filter(({ name }) => typeof name === 'string'),
    criteria: kept.map(({ index }) => index),
  };
}

/** As in code, an empty list is no list. */
function listOf(list: Json[]): Json[] | undefined {
  return list.length === 0 ? undefined : list;
}

function refuse({ place, drafting }: RunnerContext, path: readonly (string | number)[]) {
  return (message: string): undefined => {
    drafting.problems.push(place.places.at(formatPath([...place.path, ...path]), message));
  };
}

function modelOf(agent: FileAgent, context: RunnerContext): Json | undefined {
  if (agent.model === undefined) return undefined;
  const parsed = readModel(agent, context.drafting.env);
  if (parsed.ok) return { ...parsed.model };
  refuse(context, [parsed.field])(parsed.message);
  // Said once: without any, the spec would lack it, too.
  return { provider: 'unknown', model: 'unknown' };
}

function instructionsOf({ instructions }: FileAgent, context: RunnerContext): string | undefined {
  if (instructions === undefined) return undefined;
  return readText(instructions, {
    folder: context.place.folder,
    env: context.drafting.env,
    problems: context.drafting.problems,
    promptFiles: context.drafting.promptFiles,
    refuse: refuse(context, ['instructions', 'path']),
  });
}

function memoryOf({ memory }: FileAgent, context: RunnerContext): Json | undefined {
  const compact = memory?.compact as JsonObject | undefined;
  if (memory === undefined || typeof compact?.model !== 'string') return memory;
  const parsed = readModel({ model: compact.model }, context.drafting.env);
  if (!parsed.ok) return refuse(context, ['memory', 'compact', 'model'])(parsed.message);
  return { ...memory, compact: { ...compact, model: { ...parsed.model } } };
}

function timeoutOf(value: string | number | undefined, context: RunnerContext): number | undefined {
  if (value === undefined) return undefined;
  const parsed = parseDuration(value);
  return parsed.ok ? parsed.ms : refuse(context, ['inputTimeout'])(parsed.message);
}

function toolName(tool: FileTool): string {
  return typeof tool === 'string' ? tool : tool.name;
}

function toolOf(tool: FileTool, index: number): DraftTool {
  const needsApproval = typeof tool === 'object' && tool.needsApproval === true;
  const path = ['tools', index, ...(typeof tool === 'string' ? [] : ['name'])];
  return { name: toolName(tool), path, needsApproval };
}

function callbacksName(item: FileCallbacks, index: number, context: RunnerContext): string {
  if (typeof item === 'string') return item;
  const { name, kind } = item;
  const path = ['callbacks', index];
  const hasOne = (name === undefined) !== (kind === undefined);
  if (!hasOne && context.place.isSound([...context.place.path, ...path])) {
    const rule = 'must have the name of callbacks, or the type of built-in ones';
    refuse(context, path)(name === undefined ? rule : `${rule}, not both`);
  }
  return name ?? kind ?? 'logging';
}

/** Those that are criteria: a limit of tool rounds is none, and the last one counts. */
function keptCriteria(criteria: readonly FileCriterion[]) {
  return entriesOf(criteria).flatMap(([index, criterion]) =>
    criterion.kind === 'max-iterations' ? [] : [{ criterion, index }],
  );
}

function limitOf(criteria: readonly FileCriterion[]): number | undefined {
  return entriesOf(criteria)
    .map(([, criterion]) => criterion)
    .findLast((criterion) => criterion.kind === 'max-iterations')?.limit;
}
