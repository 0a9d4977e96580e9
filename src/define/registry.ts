import { defined, describeValue, didYouMean, nearest, quote } from '../base';
import { type AgentSpec, type Definition, LonghaulError, type RunnerSpec } from '../protocol';
import { isMcpServer, isTool } from './agent';
import { type Agent, calledRunners, isRunner, type Runner, runnerMakers } from './runner';
import { isCallbacks, type Callbacks } from './callbacks';
import type { CriterionFunction, CustomCriterion } from './criteria';
import { closeOver, type Code, type Registered } from './definition';
import { loggingCallbacks } from './logging-callbacks';
import type { McpServer } from './mcp-server';
import { NamedSet, type NamedValue } from './named-set';
import { parseRunnerSpec } from './parse-spec';
import { specError } from './problems/problem';
import type { Tool } from './tool';

/** Code that agents name in their data. */
export type CodeOptions = {
  /** They may also replace tools of the runners (`override`). */
  readonly tools?: readonly Tool[];
  readonly criteria?: readonly CustomCriterion[];
  readonly callbacks?: readonly Callbacks[];
  readonly mcpServers?: readonly McpServer[];
};

export type RegistryOptions = CodeOptions &
  Pick<Registered, 'windowOf'> & { readonly runners?: readonly Runner[] };

/** The runners and the code a process knows by name. */
export type Registry = Registered & {
  /** The closure of a registered runner, or of a spec from outside. Throws `AgentNotFound` or `SpecError`. */
  definition(runner: string | RunnerSpec): Definition;
};

export function createRegistry(options: RegistryOptions = {}): Registry {
  checkLists(options);
  const runners = registeredRunners(options.runners ?? []);
  const agents = runners.values().filter((runner) => runner.kind === 'agent');
  const { windowOf } = options;
  const registered = { runners, ...registeredCode(agents, options), ...defined({ windowOf }) };
  const definitions = new Map(
    runners.values().map(({ id, spec }) => [id, closeOver(spec, registered)]),
  );
  return Object.freeze({
    ...registered,
    definition: (runner: string | RunnerSpec) => {
      if (typeof runner !== 'string') return closeOver(parseRunnerSpec(runner), registered);
      return definitions.get(runner) ?? notFound(runner, runners);
    },
  });
}

const lists = ['runners', 'tools', 'criteria', 'callbacks', 'mcpServers'] as const;

/** Refuses options with runners or code that are not lists. */
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

/** The runners and every one they call, at any depth. */
export function registeredRunners(runners: readonly Runner[]): NamedSet<Runner> {
  const known = new NamedSet<Runner>({
    noun: 'runner',
    plural: 'runners',
    maker: runnerMakers,
    detail: 'missingRunner',
    isOne: isRunner,
  });
  const register = (value: Runner, place: string): void => {
    const name = isRunner(value) ? value.id : '';
    const isKnown = known.get(name) === value;
    known.add({ name, value, place });
    if (isKnown) return;
    calledRunners(value).forEach((callee) =>
      register(callee, `${value.kind} ${quote(name)} (which calls ${quote(callee.id)})`),
    );
  };
  runners.forEach((runner, index) => register(runner, `runners[${index}]`));
  return known;
}

/** The code of the agents first, then the other code, because a later tool may replace an earlier one. */
export function registeredCode(agents: readonly Agent[], options: CodeOptions): Code {
  return {
    tools: registeredTools(agents, options.tools ?? []),
    criteria: new NamedSet<CriterionFunction>(
      {
        noun: 'criterion',
        plural: 'criteria',
        maker: 'criteria.custom',
        detail: 'missingCriterion',
        isOne: (value): value is CriterionFunction => typeof value === 'function',
      },
      [
        ...agents.flatMap((agent) =>
          [...agent.criteria].map(([name, value]) => ({ name, value, place: placeIn(agent) })),
        ),
        ...(options.criteria ?? []).map((criterion, index) => {
          const { name, evaluate = criterion } = Object(criterion) as CustomCriterion;
          return { name, value: evaluate as CriterionFunction, place: `criteria[${index}]` };
        }),
      ],
    ),
    callbacks: new NamedSet<Callbacks>(
      {
        noun: 'set of callbacks',
        plural: 'callbacks',
        maker: 'defineCallbacks',
        detail: 'missingCallbacks',
        isOne: isCallbacks,
      },
      [
        // Built in, so that agents that are only data may name them anywhere.
        { name: loggingCallbacks.name, value: loggingCallbacks, place: 'the built-in one' },
        ...agents.flatMap((agent) => given(agent.callbacks, 'callbacks', agent)),
        ...given(options.callbacks ?? [], 'callbacks'),
      ],
    ),
    mcpServers: new NamedSet<McpServer>(
      {
        noun: 'MCP server',
        plural: 'MCP servers',
        maker: 'mcpTools',
        detail: 'missingMcpServer',
        isOne: isMcpServer,
      },
      [
        ...agents.flatMap((agent) =>
          agent.mcpServers.map((value) => ({ name: value.name, value, place: placeIn(agent) })),
        ),
        ...given(options.mcpServers ?? [], 'mcpServers'),
      ],
    ),
  };
}

function registeredTools(agents: readonly Agent[], tools: readonly Tool[]): NamedSet<Tool> {
  const known = new NamedSet<Tool>({
    noun: 'tool',
    plural: 'tools',
    maker: 'defineTool',
    detail: 'missingTool',
    isOne: isTool,
  });
  const all = [
    ...agents.flatMap((agent) => given(agent.tools, 'tools', agent)),
    ...given(tools, 'tools'),
  ];
  const seen = new Set<Tool>();
  for (const tool of all) {
    if (!seen.has(tool.value))
      known.add(tool, { replaces: isTool(tool.value) && tool.value.override });
    seen.add(tool.value);
  }
  return known;
}

function given<Value extends { readonly name: string }>(
  values: readonly Value[],
  list: string,
  agent?: Agent,
): readonly NamedValue<Value>[] {
  return values.map((value, index) => {
    const place =
      agent === undefined ? `${list}[${index}]` : `${placeIn(agent)} (${list}[${index}])`;
    return { name: (Object(value) as Value).name, value, place };
  });
}

function placeIn({ id }: Agent): string {
  return `agent ${quote(id)}`;
}

function notFound(id: string, runners: NamedSet<Runner>): never {
  const known = runners.names();
  const message = `Runner ${quote(id)} is not registered here${didYouMean(id, known) || '.'} ${runners.listed()}`;
  throw new LonghaulError('AgentNotFound', message, {
    details: { id, nearest: nearest(id, known) },
  });
}

/** The registered agents as runs pin them. */
export function pinnedAgents(registry: Registry): readonly AgentSpec[] {
  const specs = registry.runners
    .names()
    .flatMap((id) => Object.values(registry.definition(id).runners))
    .filter((spec) => spec.kind === 'agent');
  return [...new Map(specs.map((spec) => [spec.id, spec])).values()];
}
