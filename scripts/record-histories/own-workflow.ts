// A workflow of a user's own, which calls runs. The tests of recorded histories bundle it, too.
import { executeRunner, startRunner } from 'longhaul/workflows';

export * from 'longhaul/workflows';

/** One run whose id the caller gives, and one beside it. */
export async function recordedOwnWorkflow(runner: string, workflowId: string): Promise<string> {
  const first = await executeRunner(runner, 'The first.', { workflowId });
  const second = await startRunner(runner, 'The second.', { session: { second: true } });
  return `${first.finalResponse.text} ${(await second.result()).finalResponse.text}`;
}
