import type { Agent } from './agent';
import { isCallbacks } from './agent-callbacks';
import { isMcpServer, isTool } from './agent-tools';
import type { Callbacks } from './callbacks';
import type { CriterionFunction, CustomCriterion } from './criteria';
import { loggingCallbacks } from './logging-callbacks';
import type { McpServer } from './mcp-server';
import { describeValue, quote, specError } from './problem';
import { calledRunners, isRunner, runnerMakers, type Runner } from '../define/runner';
import type { Tool } from './tool';

const lists = ['runners', 'tools', 'criteria', 'callbacks', 'mcpServers'] as const;

/** Refuses what is no list where runners and their code are given. */
export function checkLists(
  options: Readonly<Partial<Record<(typeof lists)[number], unknown>>>,
): void {
  const problems = lists.flatMap((name) => {
    const value = options[name];
    if (value === undefined || Array.isArray(value)) return [];
    return [{ path: name, message: `must be a list, not ${describeValue(value)}` }];
  });
  if (problems.length > 0) throw specError('The registry', problems);
}

type Registration<Value> = { readonly value: Value; readonly place: string };

/** The runners and every one they call, at any depth. */
export function registerRunners(runners: readonly Runner[]): ReadonlyMap<string, Runner> {
  return valuesOf(placedRunners(runners));
}

/** The same, each with the place it was found at first. */
export function placedRunners(
  runners: readonly Runner[],
): ReadonlyMap<string, Registration<Runner>> {
  const registered = new Map<string, Registration<Runner>>();
  const register = (runner: Runner, place: string): void => {
    if (!isRunner(runner)) {
      throw refusal(place, `must come from ${runnerMakers}, not be ${describeValue(runner)}`);
    }
    const earlier = registered.get(runner.id);
    if (earlier !== undefined && earlier.value !== runner) {
      throw refusal(
        place,
        `must not have the id ${quote(runner.id)}: ${earlier.place} has it, too`,
      );
    }
    if (earlier !== undefined) return;
    registered.set(runner.id, { value: runner, place });
    calledRunners(runner).forEach((callee) =>
      register(callee, `${runner.kind} ${quote(runner.id)} (which calls ${quote(callee.id)})`),
    );
  };
  runners.forEach((runner, index) => register(runner, `runners[${index}]`));
  return registered;
}

/** The agents' own tools first, then the others: a later tool may replace an earlier one. */
export function registerTools(
  agents: readonly Agent[],
  tools: readonly Tool[],
): ReadonlyMap<string, Tool> {
  const own = agents.flatMap((agent) =>
    agent.tools.map((value, index) => ({
      value,
      place: `agent ${quote(agent.id)} (tools[${index}])`,
    })),
  );
  const others = tools.map((value, index) => ({ value, place: `tools[${index}]` }));
  const registered = new Map<string, Registration<Tool>>();
  const seen = new Set<Tool>();
  for (const tool of [...own, ...others]) {
    if (!seen.has(tool.value)) registerTool(tool, registered);
    seen.add(tool.value);
  }
  return valuesOf(registered);
}

function registerTool(
  added: Registration<Tool>,
  registered: Map<string, Registration<Tool>>,
): void {
  const { value, place } = added;
  if (!isTool(value))
    throw refusal(place, `must come from defineTool, not be ${describeValue(value)}`);
  const earlier = registered.get(value.name);
  if (earlier !== undefined && !value.override) {
    throw refusal(
      place,
      `has another tool ${quote(value.name)} than ${earlier.place}: rename one, or set override: true on the one that shall replace the other`,
    );
  }
  registered.set(value.name, added);
}

export function registerCriteria(
  agents: readonly Agent[],
  criteria: readonly CustomCriterion[],
): ReadonlyMap<string, CriterionFunction> {
  const own = agents.flatMap((agent) =>
    [...agent.criteria].map(([name, value]) => ({
      name,
      value,
      place: `agent ${quote(agent.id)}`,
    })),
  );
  const others = criteria.map((criterion, index) => {
    const place = `criteria[${index}]`;
    if (!isCustomCriterion(criterion))
      throw refusal(place, `must come from criteria.custom, not be ${describeValue(criterion)}`);
    return { name: criterion.name, value: criterion.evaluate, place };
  });
  const registered = new Map<string, Registration<CriterionFunction>>();
  for (const { name, value, place } of [...own, ...others]) {
    const earlier = registered.get(name);
    if (earlier !== undefined && earlier.value !== value) {
      throw refusal(
        place,
        `has another criterion ${quote(name)} than ${earlier.place}: rename one`,
      );
    }
    registered.set(name, { value, place });
  }
  return valuesOf(registered);
}

function isCustomCriterion(value: unknown): value is CustomCriterion {
  const { kind, name, evaluate } = Object(value) as Partial<Record<string, unknown>>;
  return kind === 'custom' && typeof name === 'string' && typeof evaluate === 'function';
}

export function registerMcpServers(
  agents: readonly Agent[],
  servers: readonly McpServer[],
): ReadonlyMap<string, McpServer> {
  const own = agents.flatMap((agent) =>
    agent.mcpServers.map((value) => ({ value, place: `agent ${quote(agent.id)}` })),
  );
  const others = servers.map((value, index) => ({ value, place: `mcpServers[${index}]` }));
  const registered = new Map<string, Registration<McpServer>>();
  for (const { value, place } of [...own, ...others]) {
    if (!isMcpServer(value))
      throw refusal(place, `must come from mcpTools, not be ${describeValue(value)}`);
    const earlier = registered.get(value.name);
    if (earlier !== undefined && earlier.value !== value) {
      throw refusal(
        place,
        `has another MCP server ${quote(value.name)} than ${earlier.place}: rename one, or share what mcpTools returned`,
      );
    }
    registered.set(value.name, earlier ?? { value, place });
  }
  return valuesOf(registered);
}

/** Those built in first: agents that are only data may name them anywhere. */
export function registerCallbacks(
  agents: readonly Agent[],
  callbacks: readonly Callbacks[],
): ReadonlyMap<string, Callbacks> {
  const own = agents.flatMap((agent) =>
    agent.callbacks.map((value, index) => ({
      value,
      place: `agent ${quote(agent.id)} (callbacks[${index}])`,
    })),
  );
  const others = callbacks.map((value, index) => ({ value, place: `callbacks[${index}]` }));
  const builtIn = { value: loggingCallbacks, place: 'the built-in ones' };
  const registered = new Map<string, Registration<Callbacks>>();
  for (const { value, place } of [builtIn, ...own, ...others]) {
    if (!isCallbacks(value))
      throw refusal(place, `must come from defineCallbacks, not be ${describeValue(value)}`);
    const earlier = registered.get(value.name);
    if (earlier !== undefined && earlier.value !== value) {
      throw refusal(
        place,
        `has other callbacks ${quote(value.name)} than ${earlier.place}: rename one`,
      );
    }
    registered.set(value.name, earlier ?? { value, place });
  }
  return valuesOf(registered);
}

function valuesOf<Value>(
  registered: ReadonlyMap<string, Registration<Value>>,
): ReadonlyMap<string, Value> {
  return new Map([...registered].map(([name, { value }]) => [name, value]));
}

function refusal(path: string, message: string) {
  return specError('The registry', [{ path, message }]);
}
