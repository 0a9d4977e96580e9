// The schemas of definitions that other rooms use, and the types that follow from them.
export { approverRule } from './approval';
export type {
  AgentSpec,
  GraphSpec,
  GraphTaskSpec,
  ParallelSpec,
  RunnerRef,
  RunnerSpec,
  SequentialSpec,
  SubAgentSpec,
} from './orchestration';
export { aFunction, count, made, nonBlank } from './parts';
