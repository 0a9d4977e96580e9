import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentRunResult, PendingInput } from '../../src/client';
import { startDevServer } from '../../src/server/dev/dev-server';
import { eventually } from '../workflow/eventually';
import type { KillSetup } from './kill-worker-setup';

export type AnsweredTree = {
  /** Where each question came from, before anything was killed, and what was left to answer after each kill. */
  readonly asked: readonly string[];
  readonly afterWorker: readonly string[];
  readonly afterServer: readonly string[];
  readonly result: AgentRunResult;
};

const branch = (index: number): string => `tree/branches/branch-${index}`;

/**
 * Three runs of a tree wait at once. Their worker is killed, another one takes the second answer; the server is killed and goes on
 * from its file; then come the third answer and the first.
 */
export async function killBelowTree(setup: KillSetup): Promise<AnsweredTree> {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-killed-tree-'));
  setup.onClose(async () => rmSync(folder, { recursive: true }));
  const options = { dbFile: join(folder, 'runs.db'), headless: true };
  const first = await startDevServer(options);
  setup.onClose(() => first.stop());
  const { longhaul, startWorker } = await setup.cluster(first.address);
  const firstWorker = await startWorker();
  const run = await longhaul.start('tree', 'question');
  const pending = async (): Promise<readonly PendingInput[]> =>
    (await run.pending()).toSorted((one, other) => one.path.localeCompare(other.path));
  const paths = async (): Promise<string[]> => (await pending()).map(({ path }) => path);
  const answer = async (path: string, text: string): Promise<void> => {
    const found = (await pending()).find((input) => input.path.startsWith(path));
    await run.resume(text, { inputId: found?.inputId ?? path });
  };
  await eventually('all three ask', async () => (await pending()).length === 3);
  const asked = await paths();
  await firstWorker.kill();
  await startWorker();
  await answer(branch(2), 'elm');
  const afterWorker = await paths();
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  const second = await startDevServer({ ...options, port: first.port });
  setup.onClose(() => second.stop());
  const afterServer = await paths();
  await answer(branch(3), 'fir');
  await answer(branch(1), 'oak');
  return { asked, afterWorker, afterServer, result: await run.result() };
}
