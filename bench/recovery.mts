// What a killed worker costs, and whether a blocked event loop looks like one. Recovery: a worker is killed with SIGKILL in a model call
// or in a tool, while another one waits; the time until the next attempt starts there. False alarms: tools that block the loop of their
// worker for 5 seconds, beside open model calls, while two processes burn CPU; the attempts beyond the first.
// Usage, after `npm run build`: node bench/recovery.mts [--rounds 5]
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker as Thread } from 'node:worker_threads';
import { connect } from 'longhaul/client';
import { withServer } from './bench-server.mts';
import type { Attempt } from './recovery-worker.mts';
import { type Bench, type Findings, median, type Row, type Section } from './section.mts';

const blockMs = 5_000;
/** Open model calls beside each blocking tool. */
const openCalls = 5;

export const recovery: Section = {
  name: 'recovery',
  title: 'A killed worker, and a blocked one',
  run: async (bench) => await findingsOf({ ...bench, rounds: Math.min(3, bench.rounds) }, 3),
};

async function findingsOf({ address, rounds }: Bench, blocked: number): Promise<Findings> {
  const alarms = await falseAlarms(address, blocked);
  return {
    rows: [await nextAttempt(address, 'model', rounds), await nextAttempt(address, 'tool', rounds)],
    notes: [
      'From SIGKILL in an open call until another worker starts its next attempt. The worker is killed 0 to 4 seconds after the call began.',
      `False alarms: of ${alarms.calls} calls beside or in tools that blocked the event loop for ${blockMs / 1_000} seconds, while two processes burned CPU, ${alarms.repeated} were tried again.`,
    ],
  };
}

/** Seconds from the kill to the next attempt. */
async function nextAttempt(address: string, step: 'model' | 'tool', rounds: number): Promise<Row> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const cluster = await openCluster(address);
    const first = await cluster.startWorker({ holds: 'yes' });
    await cluster.longhaul.start(`hold-${step}`, 'Go.');
    await cluster.attempted((attempts) => attempts.some((attempt) => attempt.step === step));
    const begun = cluster.attempts.length;
    await cluster.startWorker({});
    await delay((4_000 * round) / Math.max(1, rounds - 1));
    const killedAt = Date.now();
    first.kill('SIGKILL');
    await cluster.attempted((attempts) => attempts.length > begun);
    seconds.push(((cluster.attempts[begun]?.at ?? 0) - killedAt) / 1_000);
    await cluster.close();
  }
  return {
    'killed in': step === 'model' ? 'a model call' : 'a tool',
    'least, s': Math.min(...seconds).toFixed(1),
    'median, s': median(seconds).toFixed(1),
    'most, s': Math.max(...seconds).toFixed(1),
  };
}

type Alarms = { readonly calls: number; readonly repeated: number };

async function falseAlarms(address: string, rounds: number): Promise<Alarms> {
  const burners = Array.from({ length: 2 }, () => new Thread('for (;;);', { eval: true }));
  const cluster = await openCluster(address);
  try {
    await cluster.startWorker({});
    for (let round = 0; round < rounds; round += 1) {
      const waiting = Array.from({ length: openCalls }, () =>
        cluster.longhaul.start('wait', 'Go.'),
      );
      const runs = await Promise.all([...waiting, cluster.longhaul.start('block', 'Go.')]);
      await Promise.all(runs.map((run) => run.result()));
    }
    const expected = rounds * (openCalls + 2);
    return { calls: expected, repeated: cluster.attempts.length - expected };
  } finally {
    await cluster.close();
    await Promise.all(burners.map((burner) => burner.terminate()));
  }
}

async function openCluster(address: string) {
  const taskQueue = `recovery-${randomUUID()}`;
  const longhaul = await connect({ address, taskQueue });
  const attempts: Attempt[] = [];
  const workers: ChildProcess[] = [];
  let check = (): void => undefined;
  const startWorker = async ({ holds = 'no' }): Promise<ChildProcess> => {
    const script = join(import.meta.dirname, 'recovery-worker.mts');
    const worker = fork(script, [address, taskQueue, holds, String(blockMs), '8000']);
    workers.push(worker);
    await once(worker, 'message');
    worker.on('message', (attempt) => {
      attempts.push(attempt as Attempt);
      check();
    });
    return worker;
  };
  const attempted = (isEnough: (attempts: readonly Attempt[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      check = () => isEnough(attempts) && resolve();
      check();
    });
  const close = async (): Promise<void> => {
    for (const worker of workers) worker.kill('SIGKILL');
    await longhaul.close();
  };
  return { longhaul, attempts, startWorker, attempted, close };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
  await withServer(async (address) => {
    const bench = { address, rounds: Number(values.rounds), isQuick: false };
    const { rows, notes } = await findingsOf(bench, 20);
    console.table(rows);
    console.log(notes?.join('\n'));
  });
}
