// A workflow file that exports some of ours.

export { agentWorkflow, executeRunner, sequentialWorkflow } from '../../../src/workflows';
