import { SpecError } from '../protocol/error-classes';
import type { CallbacksSpec, RunnerSpec, ToolSpec } from '../protocol/spec';
import type { Callbacks } from './callbacks';
import type { CriterionFunction } from './criteria';
import type { McpServer } from './mcp-server';
import { didYouMean } from '../base/nearest';
import { quote } from './problem';
import { runnerName } from '../define/runner';
import type { Tool } from './tool';

/** Where the code of a definition is looked up by name. */
export type Registered = {
  tool(name: string): Tool | undefined;
  toolNames(): readonly string[];
  criterion(name: string): CriterionFunction | undefined;
  criterionNames(): readonly string[];
  callbacks(name: string): Callbacks | undefined;
  callbackNames(): readonly string[];
  mcpServer(name: string): McpServer | undefined;
  mcpServerNames(): readonly string[];
  runnerSpec(id: string): RunnerSpec | undefined;
  runnerNames(): readonly string[];
};

export function requireRunner(id: string, caller: RunnerSpec, registered: Registered): RunnerSpec {
  const spec = registered.runnerSpec(id);
  if (spec !== undefined) return spec;
  const known = registered.runnerNames();
  const message = `${runnerName(caller)} calls the runner ${quote(id)}, which is not registered here${didYouMean(id, known) || '.'} ${listOf('runners', known)}`;
  throw new SpecError(message, { details: { runner: caller.id, missingRunner: id } });
}

export function requireTool(name: string, { id }: RunnerSpec, registered: Registered): ToolSpec {
  const tool = registered.tool(name);
  if (tool !== undefined) return tool.spec;
  const known = registered.toolNames();
  const message = `Agent ${quote(id)} uses the tool ${quote(name)}, which is not registered here${didYouMean(name, known) || '.'} ${listOf('tools', known)}`;
  throw new SpecError(message, { details: { agent: id, missingTool: name } });
}

export function requireCriterion(name: string, { id }: RunnerSpec, registered: Registered): void {
  if (registered.criterion(name) !== undefined) return;
  const known = registered.criterionNames();
  const message = `Agent ${quote(id)} uses the criterion ${quote(name)}, which is not registered here${didYouMean(name, known) || '.'} ${listOf('criteria', known)}`;
  throw new SpecError(message, { details: { agent: id, missingCriterion: name } });
}

export function requireCallbacks(
  name: string,
  { id }: RunnerSpec,
  registered: Registered,
): CallbacksSpec {
  const callbacks = registered.callbacks(name);
  if (callbacks !== undefined) return callbacks.spec;
  const known = registered.callbackNames();
  const message = `Agent ${quote(id)} uses the callbacks ${quote(name)}, which are not registered here${didYouMean(name, known) || '.'} ${listOf('callbacks', known)}`;
  throw new SpecError(message, { details: { agent: id, missingCallbacks: name } });
}

export function requireMcpServer(name: string, { id }: RunnerSpec, registered: Registered): void {
  if (registered.mcpServer(name) !== undefined) return;
  const known = registered.mcpServerNames();
  const message = `Agent ${quote(id)} uses the MCP server ${quote(name)}, which is not registered here${didYouMean(name, known) || '.'} ${listOf('MCP servers', known)}`;
  throw new SpecError(message, { details: { agent: id, missingMcpServer: name } });
}

export function listOf(kind: string, names: readonly string[]): string {
  return names.length === 0
    ? `No ${kind} are registered.`
    : `Registered ${kind}: ${[...names].sort().join(', ')}.`;
}
