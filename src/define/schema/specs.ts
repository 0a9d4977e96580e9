import type { z } from 'zod';
import type { RunnerRef } from '../../protocol/spec';
import type { agentSpec, graphSpec, parallelSpec, sequentialSpec } from './orchestration';
import type { Immutable } from './parts';

// The types of what runs pin, told by the schemas. Runners name runners: those members are named by hand, or the types would be circular.

type SpecOf<Schema extends z.ZodType, Refs extends string> = Immutable<
  Omit<z.output<Schema>, Refs>
>;
type SubAgents = NonNullable<z.output<typeof agentSpec>['subAgents']>[number];
type Task = z.output<typeof graphSpec>['tasks'][number];

/** A runner offered to an agent as a tool. */
export interface SubAgentSpec extends Immutable<Omit<SubAgents, 'runner'>> {
  readonly runner: RunnerRef;
}

/** An agent as data. `tools` and `callbacks` are names of registered ones. */
export interface AgentSpec extends SpecOf<typeof agentSpec, 'subAgents'> {
  readonly subAgents?: readonly SubAgentSpec[];
}

/** One runner after the other, with one session through all. */
export interface SequentialSpec extends SpecOf<typeof sequentialSpec, 'steps'> {
  readonly steps: readonly RunnerRef[];
}

/** Runners at the same time, each with a copy of the session. */
export interface ParallelSpec extends SpecOf<typeof parallelSpec, 'branches'> {
  readonly branches: readonly RunnerRef[];
}

/** A task of a graph. */
export interface GraphTaskSpec extends Immutable<Omit<Task, 'runner'>> {
  readonly runner: RunnerRef;
}

/** Tasks, each of which starts as soon as those it depends on are done. */
export interface GraphSpec extends SpecOf<typeof graphSpec, 'tasks'> {
  readonly tasks: readonly GraphTaskSpec[];
}
