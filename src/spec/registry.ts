import { AgentNotFound } from '../protocol/error-classes';
import type { Definition, RunnerSpec } from '../protocol/spec';
import type { Callbacks } from './callbacks';
import { closeOver } from './closure';
import type { CustomCriterion } from './criteria';
import { didYouMean, nearest } from '../base/nearest';
import type { McpServer } from './mcp-server';
import { parseRunnerSpec } from './parse-runner-spec';
import { quote } from './problem';
import { listOf, type Registered } from './registered';
import {
  checkLists,
  registerCallbacks,
  registerCriteria,
  registerMcpServers,
  registerRunners,
  registerTools,
} from './registration';
import type { Runner } from '../define/runner';
import type { Tool } from './tool';

/** Code for agents that are only data. */
export type CodeOptions = {
  /** They may also replace tools of the runners (`override`). */
  readonly tools?: readonly Tool[];
  readonly criteria?: readonly CustomCriterion[];
  readonly callbacks?: readonly Callbacks[];
  readonly mcpServers?: readonly McpServer[];
};

export type RegistryOptions = CodeOptions & { readonly runners?: readonly Runner[] };

/** The runners and the code a process knows by name. */
export interface Registry extends Registered {
  runner(id: string): Runner | undefined;
  runnerIds(): readonly string[];
  /** The closure of a registered runner, or of a spec from outside. Throws `AgentNotFound` or `SpecError`. */
  definition(runner: string | RunnerSpec): Definition;
}

export function createRegistry(options: RegistryOptions = {}): Registry {
  checkLists(options);
  const runners = registerRunners(options.runners ?? []);
  const agents = [...runners.values()].filter((runner) => runner.kind === 'agent');
  const tools = registerTools(agents, options.tools ?? []);
  const criteria = registerCriteria(agents, options.criteria ?? []);
  const callbacks = registerCallbacks(agents, options.callbacks ?? []);
  const mcpServers = registerMcpServers(agents, options.mcpServers ?? []);
  const registered: Registered = {
    tool: (name) => tools.get(name),
    toolNames: () => [...tools.keys()],
    criterion: (name) => criteria.get(name),
    criterionNames: () => [...criteria.keys()],
    callbacks: (name) => callbacks.get(name),
    callbackNames: () => [...callbacks.keys()],
    mcpServer: (name) => mcpServers.get(name),
    mcpServerNames: () => [...mcpServers.keys()],
    runnerSpec: (id) => runners.get(id)?.spec,
    runnerNames: () => [...runners.keys()],
  };
  const definitions = new Map(
    [...runners.values()].map(({ id, spec }) => [id, closeOver(spec, registered)]),
  );
  return Object.freeze({
    ...registered,
    runner: (id: string) => runners.get(id),
    runnerIds: () => [...runners.keys()],
    definition: (runner: string | RunnerSpec) => {
      if (typeof runner !== 'string') return closeOver(parseRunnerSpec(runner), registered);
      return definitions.get(runner) ?? notFound(runner, [...runners.keys()]);
    },
  });
}

function notFound(id: string, known: readonly string[]): never {
  const message = `Runner ${quote(id)} is not registered here${didYouMean(id, known) || '.'} ${listOf('runners', known)}`;
  throw new AgentNotFound(message, {
    details: { id, nearest: nearest(id, known) },
  });
}
