import { CircularAgentCall, SpecError } from '../protocol/error-classes';
import { namedById, runnerRefs } from '../core/runner-refs';
import { limits } from '../protocol/limits';
import type { CallbacksSpec, Definition, RunnerRef, RunnerSpec, ToolSpec } from '../protocol/spec';
import type { Callbacks } from './callbacks';
import { canonicalJson } from './canonical-json';
import type { CriterionFunction } from './criteria';
import type { McpServer } from './mcp-server';
import { didYouMean } from './nearest';
import { parseRunnerSpec } from './parse-runner-spec';
import { deepFreeze } from './plain-json';
import { quote } from './problem';
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

/** All that a run of this runner pins: each runner it can reach, and the tools and callbacks of those, without code. MCP servers in it are yet to be listed. */
export function closeOver(runner: RunnerSpec, registered: Registered): Definition {
  const runners = new Map<string, RunnerSpec>();
  collect(runner, { runners, registered, callers: [] });
  const tools = new Map<string, ToolSpec>();
  const callbacks = new Map<string, CallbacksSpec>();
  for (const spec of runners.values()) {
    if (spec.kind !== 'agent') continue;
    for (const name of spec.tools ?? []) tools.set(name, toolSpec(name, spec, registered));
    for (const criterion of spec.criteria ?? []) {
      if (criterion.kind === 'custom') requireCriterion(criterion.name, spec, registered);
    }
    for (const name of spec.mcpServers ?? []) requireMcpServer(name, spec, registered);
    for (const name of spec.callbacks ?? [])
      callbacks.set(name, callbacksSpec(name, spec, registered));
  }
  const definition: Definition = {
    format: 1,
    runner: runner.id,
    runners: Object.fromEntries(runners),
    tools: Object.fromEntries(tools),
    ...(callbacks.size > 0 && { callbacks: Object.fromEntries(callbacks) }),
  };
  checkSize(definition);
  return deepFreeze(definition);
}

type Collection = {
  readonly runners: Map<string, RunnerSpec>;
  readonly registered: Registered;
  /** The way here: an agent that stands on it must not be called again. */
  readonly callers: readonly string[];
};

/** Adds a runner and all it calls; in the definition they name each other by id. */
function collect(runner: RunnerSpec, collection: Collection): void {
  const { runners, registered, callers } = collection;
  if (callers.includes(runner.id)) throw circular([...callers, runner.id]);
  const callees = runnerRefs(runner).map((ref) => calleeOf(ref, runner, registered));
  const spec = namedById(runner);
  const earlier = runners.get(runner.id);
  if (earlier !== undefined && canonicalJson(earlier) !== canonicalJson(spec)) {
    throw new SpecError(`Two different agents have the id ${quote(runner.id)}: rename one.`);
  }
  runners.set(runner.id, spec);
  for (const callee of callees) {
    collect(callee, { runners, registered, callers: [...callers, runner.id] });
  }
}

function calleeOf(callee: RunnerRef, { id }: RunnerSpec, registered: Registered): RunnerSpec {
  if (typeof callee !== 'string') return parseRunnerSpec(callee);
  const spec = registered.runnerSpec(callee);
  if (spec !== undefined) return spec;
  const known = registered.runnerNames();
  const message = `Agent ${quote(id)} calls the runner ${quote(callee)}, which is not registered here${didYouMean(callee, known) || '.'} ${listOf('runners', known)}`;
  throw new SpecError(message, { details: { agent: id, missingRunner: callee } });
}

function circular(path: readonly string[]): CircularAgentCall {
  const message = `Agents call each other in a circle: ${path.join(' → ')}.`;
  return new CircularAgentCall(message, { details: { id: path.at(-1) } });
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

function callbacksSpec(name: string, { id }: RunnerSpec, registered: Registered): CallbacksSpec {
  const callbacks = registered.callbacks(name);
  if (callbacks !== undefined) return callbacks.spec;
  const known = registered.callbackNames();
  const message = `Agent ${quote(id)} uses the callbacks ${quote(name)}, which are not registered here${didYouMean(name, known) || '.'} ${listOf('callbacks', known)}`;
  throw new SpecError(message, { details: { agent: id, missingCallbacks: name } });
}

function requireMcpServer(name: string, { id }: RunnerSpec, registered: Registered): void {
  if (registered.mcpServer(name) !== undefined) return;
  const known = registered.mcpServerNames();
  const message = `Agent ${quote(id)} uses the MCP server ${quote(name)}, which is not registered here${didYouMean(name, known) || '.'} ${listOf('MCP servers', known)}`;
  throw new SpecError(message, { details: { agent: id, missingMcpServer: name } });
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
