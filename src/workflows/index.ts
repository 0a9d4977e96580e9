// The workflow types, for the sandbox: users with workflows of their own export these from their workflow file. Beside them what
// such workflows start runs with.

export { agent, graph, parallel, sequential } from './run-workflows';
export { thread } from './thread';
export {
  executeRunner,
  startRunner,
  type StartedRunner,
  type StartRunnerOptions,
} from './children/execute-runner';
export type { RunnerLike } from '../protocol/spec';
