import { SpecError } from '../protocol/error-classes';
import { limits } from '../protocol/limits';
import type { Definition, RunnerSpec, ToolSpec } from '../protocol/spec';
import { canonicalJson } from './canonical-json';
import type { CriterionFunction } from './criteria';
import { didYouMean } from './nearest';
import { deepFreeze } from './plain-json';
import { quote } from './problem';
import type { Tool } from './tool';

/** Where the code of a definition is looked up by name. */
export type Registered = {
  tool(name: string): Tool | undefined;
  toolNames(): readonly string[];
  criterion(name: string): CriterionFunction | undefined;
  criterionNames(): readonly string[];
};

/** All that a run of this runner pins: the runner, and each tool it can reach, without code. */
export function closeOver(runner: RunnerSpec, registered: Registered): Definition {
  const names = [...new Set(runner.tools ?? [])];
  const tools = names.map((name) => [name, toolSpec(name, runner, registered)] as const);
  for (const criterion of runner.criteria ?? []) {
    if (criterion.kind === 'custom') requireCriterion(criterion.name, runner, registered);
  }
  const definition: Definition = {
    format: 1,
    runner: runner.id,
    runners: { [runner.id]: runner },
    tools: Object.fromEntries(tools),
  };
  checkSize(definition);
  return deepFreeze(definition);
}

function toolSpec(name: string, { id }: RunnerSpec, registered: Registered): ToolSpec {
  const tool = registered.tool(name);
  if (tool !== undefined) return tool.spec;
  const known = registered.toolNames();
  const message = `Agent ${quote(id)} uses the tool ${quote(name)}, which is not registered here${didYouMean(name, known) || '.'} ${listOf('tools', known)}`;
  throw new SpecError(message, { details: { agent: id, missingTool: name } });
}

function requireCriterion(name: string, { id }: RunnerSpec, registered: Registered): void {
  if (registered.criterion(name) !== undefined) return;
  const known = registered.criterionNames();
  const message = `Agent ${quote(id)} uses the criterion ${quote(name)}, which is not registered here${didYouMean(name, known) || '.'} ${listOf('criteria', known)}`;
  throw new SpecError(message, { details: { agent: id, missingCriterion: name } });
}

function listOf(kind: string, names: readonly string[]): string {
  return names.length === 0
    ? `No ${kind} are registered.`
    : `Registered ${kind}: ${[...names].sort().join(', ')}.`;
}

function checkSize(definition: Definition): void {
  const bytes = Buffer.byteLength(canonicalJson(definition));
  if (bytes <= limits.definition) return;
  const message = `Agent ${quote(definition.runner)} is ${toKiB(bytes)} with its tools; a definition may have ${toKiB(limits.definition)}: shorten its instructions or the schemas of its tools.`;
  throw new SpecError(message, { details: { bytes, limit: limits.definition } });
}

function toKiB(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
