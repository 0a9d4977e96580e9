// A worker on the built package, in a process of its own, whose tool blocks the event loop for longer than a heartbeat may be late.
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Longhaul } from '../../src/client';
import { timeouts } from '../../src/protocol/limits';
import { devServerAddress } from '../servers';
import { eventually } from '../workflow/eventually';
import { fetchHistory } from '../workflow/history';
import { builtPackage, compiledOnce } from './built-package';
import { flippingCodec } from './flipping-codec.mts';

const blockMs = timeouts.toolHeartbeat + 2_000;

async function startWorker(...args: readonly string[]): Promise<ChildProcess> {
  const folder = join(await builtPackage(), randomUUID());
  const [script, codec] = ['blocked-worker-process.mts', 'flipping-codec.mts'];
  for (const file of [script, codec]) cpSync(join(__dirname, file), join(folder, file));
  const env = { ...process.env, ...compiledOnce() };
  const worker = fork(join(folder, script), [devServerAddress(), ...args], { env });
  const ended = once(worker, 'exit').then(() => Promise.reject(new Error('the worker ended')));
  ended.catch(() => undefined);
  await Promise.race([once(worker, 'message'), ended]);
  return worker;
}

/** What the server has of the only open activity. */
async function openCall({ client }: Longhaul, workflowId: string) {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const [call] = raw.pendingActivities ?? [];
  const { seconds, nanos } = call?.lastHeartbeatTime ?? {};
  const [details] = call?.heartbeatDetails?.payloads ?? [];
  return { beatAt: `${seconds?.toString()}.${nanos}`, attempt: call?.attempt, details };
}

it.each([
  { name: 'in clear', settings: [], encryption: undefined, encoding: 'json/plain' },
  {
    name: 'encrypted',
    settings: ['encrypted'],
    encryption: flippingCodec,
    encoding: 'binary/flipped',
  },
])('the call is made once, and its details stay, $name', async (row) => {
  const { settings, encryption, encoding } = row;
  const address = devServerAddress();
  const taskQueue = `${encryption ? 'encryption-' : ''}blocked-${randomUUID()}`;
  const worker = await startWorker(taskQueue, String(blockMs), ...settings);
  const longhaul = await connect({ address, taskQueue, ...(encryption && { encryption }) });
  try {
    const { workflowId } = await longhaul.start('computer', 'Go.');
    let first = await openCall(longhaul, workflowId);
    await eventually('the tool to tell its progress', async () => {
      first = await openCall(longhaul, workflowId);
      return first.details != null;
    });
    let later = first;
    await eventually('the thread to beat twice', async () => {
      const now = await openCall(longhaul, workflowId);
      const isLater = now.beatAt !== later.beatAt;
      if (isLater) expect(now).toEqual({ ...first, beatAt: now.beatAt });
      const isEnough = isLater && later !== first;
      if (isLater) later = now;
      return isEnough;
    });
    expect(first.attempt).toBe(1);
    expect(Buffer.from(first.details?.metadata?.['encoding'] ?? []).toString()).toBe(encoding);
    const { finalResponse } = await longhaul.run(workflowId).result();
    expect(finalResponse.text).toBe('Computed.');
    const events = await fetchHistory(longhaul, workflowId);
    const started = events.flatMap(({ activityTaskStartedEventAttributes: it }) => it ?? []);
    expect(started.map(({ attempt }) => attempt)).toEqual(started.map(() => 1));
  } finally {
    worker.kill('SIGKILL');
    await longhaul.close();
  }
});
