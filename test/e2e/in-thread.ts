import { Worker } from '@temporalio/worker';

/** For commands that start workers of their own: runs workflows in this thread, as a thread for each takes a second of CPU. Once per file. */
export function runWorkflowsInThread(): void {
  const create = Worker.create.bind(Worker);
  Worker.create = (options) => create({ ...options, debugMode: true });
}
