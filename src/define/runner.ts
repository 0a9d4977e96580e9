import { describeValue, isJsonObject, quote } from '../base';
import type {
  AgentSpec,
  GraphSpec,
  ParallelSpec,
  RunnerSpec,
  RunTypes,
  SequentialSpec,
  SubAgentSpec,
  Typed,
} from '../protocol';
import type { Callbacks } from './callbacks';
import type { CriterionFunction } from './criteria';
import type { McpServer } from './mcp-server';
import type { Tool } from './tool';

/** An item of an agent's `tools`: from `defineTool`, `activityTool`, `subAgent` or `mcpTools`. */
export type AgentTool = Tool | SubAgentTool | McpServer;

/** A runner that an agent calls as a tool. Made by `subAgent`. */
export type SubAgentTool = {
  readonly kind: 'sub-agent';
  readonly name: string;
  readonly runner: Runner;
  readonly spec: SubAgentSpec;
};

/** An agent. Runs pin its `spec`; the code stays on the worker. Made by `defineAgent`, immutable. */
export type Agent<Types extends RunTypes = RunTypes> = Typed<Types> & {
  readonly kind: 'agent';
  readonly id: string;
  readonly spec: AgentSpec;
  readonly tools: readonly Tool[];
  /** The runners that it calls as tools. */
  readonly subAgents: readonly SubAgentTool[];
  readonly mcpServers: readonly McpServer[];
  /** The functions of its custom criteria, by name. */
  readonly criteria: ReadonlyMap<string, CriterionFunction>;
  readonly callbacks: readonly Callbacks[];
};

/** An orchestration. Runs pin its `spec`. Immutable. */
export type Orchestration<Spec extends SequentialSpec | ParallelSpec | GraphSpec> = {
  readonly kind: Spec['kind'];
  readonly id: string;
  readonly spec: Spec;
  /** The runners that were given as objects, each once. */
  readonly runners: readonly Runner[];
};

/** One runner after the other. Made by `sequential`. */
export type Sequential = Orchestration<SequentialSpec>;

/** Runners at the same time. Made by `parallel`. */
export type Parallel = Orchestration<ParallelSpec>;

/** Tasks, each of which waits for the tasks it depends on. Made by `graph`. */
export type Graph = Orchestration<GraphSpec>;

/** Anything that can run: an agent, or an orchestration of runners. */
export type Runner = Agent | Sequential | Parallel | Graph;

export const runnerMakers = 'defineAgent, sequential, parallel or graph';

const kindNames: Readonly<Record<RunnerSpec['kind'], string>> = {
  agent: 'Agent',
  sequential: 'Sequential',
  parallel: 'Parallel',
  graph: 'Graph',
};

export function isRunner(value: unknown): value is Runner {
  const candidate = value as Partial<Runner> | undefined;
  return isJsonObject(value) && isKind(candidate?.kind) && isJsonObject(candidate?.spec);
}

/** The runners that it calls and that were given as objects. */
export function calledRunners(runner: Runner): readonly Runner[] {
  return runner.kind === 'agent' ? runner.subAgents.map((callee) => callee.runner) : runner.runners;
}

/** `Graph 'invoices'`, for the start of a message. */
export function runnerName({ kind, id }: Pick<RunnerSpec, 'kind' | 'id'>): string {
  return `${kindNames[kind]} ${quote(id)}`;
}

/** The same for options that were not checked yet. */
export function runnerSubject(kind: unknown, id: unknown): string {
  if (typeof id === 'string')
    return `${isKind(kind) ? kindNames[kind] : 'Runner'} ${describeValue(id)}`;
  return kind === 'agent' ? 'An agent' : `A ${isKind(kind) ? kind : 'runner'}`;
}

function isKind(kind: unknown): kind is RunnerSpec['kind'] {
  return typeof kind === 'string' && Object.hasOwn(kindNames, kind);
}
