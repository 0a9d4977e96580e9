import { createHash } from 'node:crypto';
import { namedById, runnerRefs } from '../core/runner-refs';
import { canonicalJson, deepFreeze, defined, quote, toKiB } from '../base';
import {
  type AgentSpec,
  type CallbacksSpec,
  type Definition,
  limits,
  LonghaulError,
  type ModelRef,
  type RunnerSpec,
  type ToolSpec,
} from '../protocol';
import { circularCall, levelsBelow, nestedTooDeep } from './nesting';
import type { Callbacks } from './callbacks';
import type { CriterionFunction } from './criteria';
import type { McpServer } from './mcp-server';
import type { NamedSet } from './named-set';
import type { Tool } from './tool';
import { runnerName, type Runner } from './runner';

/** The code a process knows by name. */
export type Code = {
  readonly tools: NamedSet<Tool>;
  readonly criteria: NamedSet<CriterionFunction>;
  readonly callbacks: NamedSet<Callbacks>;
  readonly mcpServers: NamedSet<McpServer>;
};

export type Registered = Code & {
  readonly runners: NamedSet<Runner>;
  /** How many tokens a prompt of the model may have, if this process knows it. */
  readonly windowOf?: (model: ModelRef) => number | undefined;
};

/** SHA-256 of the canonical JSON, in hex: the name a pinned definition is known by. */
export function hashDefinition(definition: Definition): string {
  return createHash('sha256').update(canonicalJson(definition)).digest('hex');
}

/**
 * Everything that a run of this runner pins: each runner it can reach, with tools and callbacks, without code. The tools of MCP servers are
 * listed later. The spec and the specs inside it were checked before.
 */
export function closeOver(runner: RunnerSpec, registered: Registered): Definition {
  const runners = new Map<string, RunnerSpec>();
  collect(runner, { runners, registered, seen: new Set(), callers: [] });
  const levels = levelsBelow(runner, new Map(), (id) => runners.get(id));
  if (levels > limits.depth) throw nestedTooDeep(runner);
  const tools = new Map<string, ToolSpec>();
  const callbacks = new Map<string, CallbacksSpec>();
  for (const spec of runners.values()) {
    if (spec.kind === 'agent') collectCode(spec, { tools, callbacks, registered });
  }
  const definition: Definition = {
    format: 1,
    runner: runner.id,
    runners: Object.fromEntries(runners),
    tools: Object.fromEntries(tools),
    ...(callbacks.size > 0 && { callbacks: Object.fromEntries(callbacks) }),
  };
  checkSize(definition, runner);
  return deepFreeze(definition);
}

type Collection = {
  readonly runners: Map<string, RunnerSpec>;
  readonly registered: Registered;
  /** Specs that are collected already, with all below them, because a spec may be in many places. */
  readonly seen: Set<RunnerSpec>;
  /** The runners on the way here. None of them may be called again. */
  readonly callers: readonly RunnerSpec[];
};

/** Adds a runner and all it calls; in the definition they name each other by id. */
function collect(runner: RunnerSpec, collection: Collection): void {
  const { runners, registered, seen, callers } = collection;
  const circle = callers.findIndex(({ id }) => id === runner.id);
  if (circle >= 0) throw circularCall([...callers.slice(circle), runner].map(({ id }) => id));
  if (callers.length > limits.depth) throw nestedTooDeep(callers[0] ?? runner);
  if (seen.has(runner)) return;
  const spec = withWindow(namedById(runner), registered);
  const earlier = runners.get(runner.id);
  if (earlier !== undefined && canonicalJson(earlier) !== canonicalJson(spec)) {
    throw new LonghaulError(
      'SpecError',
      `Two different runners have the id ${quote(runner.id)}: rename one.`,
    );
  }
  runners.set(runner.id, spec);
  for (const ref of runnerRefs(runner)) {
    const callee =
      typeof ref === 'string' ? registered.runners.require(ref, userOf(runner)).spec : ref;
    collect(callee, { ...collection, callers: [...callers, runner] });
  }
  seen.add(runner);
}

/** A run keeps the window it started with, so it is pinned, too. */
function withWindow(spec: RunnerSpec, { windowOf }: Registered): RunnerSpec {
  if (spec.kind !== 'agent' || spec.context === undefined) return spec;
  const window = spec.context.window ?? windowOf?.(spec.model);
  return { ...spec, context: { ...spec.context, ...defined({ window }) } };
}

type Collected = {
  readonly tools: Map<string, ToolSpec>;
  readonly callbacks: Map<string, CallbacksSpec>;
  readonly registered: Registered;
};

function collectCode(agent: AgentSpec, { tools, callbacks, registered }: Collected): void {
  const user = userOf(agent);
  for (const name of agent.tools ?? []) tools.set(name, registered.tools.require(name, user).spec);
  for (const criterion of agent.criteria ?? []) {
    if (criterion.kind === 'custom') registered.criteria.require(criterion.name, user);
  }
  for (const name of agent.mcpServers ?? []) registered.mcpServers.require(name, user);
  for (const name of agent.callbacks ?? []) {
    callbacks.set(name, registered.callbacks.require(name, user).spec);
  }
}

function userOf(spec: RunnerSpec): { readonly subject: string; readonly id: string } {
  return { subject: runnerName(spec), id: spec.id };
}

function checkSize(definition: Definition, runner: RunnerSpec): void {
  const bytes = Buffer.byteLength(canonicalJson(definition));
  if (bytes <= limits.definition) return;
  const message =
    runner.kind === 'agent'
      ? `${runnerName(runner)} is ${toKiB(bytes)} with its tools; a definition may have ${toKiB(limits.definition)}: shorten its instructions or the schemas of its tools.`
      : `${runnerName(runner)} is ${toKiB(bytes)} with its runners and their tools; a definition may have ${toKiB(limits.definition)}: shorten their instructions and prompts, or the schemas of the tools.`;
  throw new LonghaulError('SpecError', message, { details: { bytes, limit: limits.definition } });
}
