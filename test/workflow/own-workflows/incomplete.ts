// A workflow file that exports some of ours.

export { agent, executeRunner, sequential } from '../../../src/workflows';
