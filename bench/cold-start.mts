// How long a new process takes: a client that starts one run and exits, beside one that has only Temporal's client; commands of the
// CLI; a worker to its first finished run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ContestantName, present, startMeasured } from './measured.mts';
import { type Bench, inRounds, median, ratioOf, type Section, type Target } from './section.mts';

const root = join(import.meta.dirname, '..');

const clients = {
  'an empty process': '',
  'bare client': `
    const { Client, Connection } = await import('@temporalio/client');
    const connection = await Connection.connect({ address });
    const { workflow } = new Client({ connection });
    const options = { workflowId: crypto.randomUUID(), taskQueue, args: ['Hello'] };
    console.log((await workflow.start('agentWorkflow', options)).workflowId);`,
  'longhaul client': `
    const { connect } = await import('longhaul/client');
    const longhaul = await connect({ address, taskQueue });
    console.log((await longhaul.start('assistant', 'Hello')).workflowId);`,
} as const;

const commands = ['longhaul --help', 'longhaul list'] as const;

type Timed = { readonly name: string; readonly run: () => Promise<number> };

export const coldStart: Section = {
  name: 'cold-start',
  title: 'Cold start',
  anyServer: true,
  run: async (bench) => {
    const cache = mkdtempSync(join(tmpdir(), 'longhaul-cold-'));
    try {
      const timed = [...processes(bench.address, cache), ...workers(bench)];
      const rounds = bench.isQuick ? 1 : Math.max(10, bench.rounds);
      const samples = await inRounds(timed, { rounds }, (one) => one.run());
      const byName = new Map([...samples].map(([{ name }, times]) => [name, times]));
      const client = byName.get('longhaul client') ?? [];
      return {
        rows: [...byName].map(([name, times]) => ({
          '': name,
          'ms, least': Math.min(...times),
          'ms, median': median(times),
        })),
        targets: targetsOf(client),
        notes: [
          besideBare(client, byName.get('bare client') ?? []),
          'A client process imports, connects, starts a run, prints its id and exits. No worker polls. `cached`: with `NODE_COMPILE_CACHE`, filled by the round before. The CLI has a cache of its own.',
          'A worker: from the start of its process, with a prebuilt bundle, to the result of a run with two model calls.',
        ],
      };
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  },
};

function processes(address: string, cache: string): readonly Timed[] {
  const taskQueue = crypto.randomUUID();
  const given = `const [address, taskQueue] = ${JSON.stringify([address, taskQueue])};`;
  return [
    ...Object.entries(clients).flatMap(([name, code]) => {
      const args = ['--input-type=module', '--eval', `${given}${code}\nprocess.exit();`];
      return [
        { name, run: () => timeOf(args, {}) },
        { name: `${name}, cached`, run: () => timeOf(args, { NODE_COMPILE_CACHE: cache }) },
      ];
    }),
    ...commands.map((name) => {
      const args = [join(root, 'dist/cli/main.js'), ...name.split(' ').slice(1)];
      return { name, run: () => timeOf(args, { TEMPORAL_ADDRESS: address }) };
    }),
  ];
}

/** The time from the start of a Node process to its end. */
function timeOf(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const options = { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return Promise.resolve(performance.now() - began);
}

function workers({ address }: Bench): readonly Timed[] {
  return present(['bare', 'longhaul', 'ai-sdk']).map((name) => ({
    name: `${name} worker`,
    run: () => firstRun(name, address),
  }));
}

async function firstRun(name: ContestantName, address: string): Promise<number> {
  const began = performance.now();
  const measured = startMeasured(name, address);
  try {
    await measured.ask({ kind: 'turns', turns: 2 });
    return performance.now() - began;
  } finally {
    await measured.stop();
  }
}

function targetsOf(client: readonly number[]): readonly Target[] {
  const measure = 'cold start of a client, ms';
  const [least, middle] = [Math.min(...client), median(client)];
  return [{ measure, least, median: middle, aim: { atMost: 300 } }];
}

function besideBare(client: readonly number[], bare: readonly number[]): string {
  const { least, median: middle } = ratioOf(client, bare);
  return `The client takes ${least.toFixed(2)} × bare (least), ${middle.toFixed(2)} × (median).`;
}
