// The workflow types, for the sandbox: users with workflows of their own export these from their workflow file. Beside them what
// such workflows start runs with.

export {
  agentWorkflow,
  graphWorkflow,
  parallelWorkflow,
  sequentialWorkflow,
} from './run-workflows';
export { threadWorkflow } from './thread';
export {
  executeRunner,
  startRunner,
  type StartedRunner,
  type StartRunnerOptions,
} from './children/execute-runner';
export type { RunnerLike } from '../protocol/spec';
