// Contestants of a benchmark, each a process of its own: worker and client together, as bench/answer-commands.mts answers.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Command } from './answer-commands.mts';

export type Measured = {
  readonly name: ContestantName;
  ask(command: Command): Promise<Answer>;
  stop(): Promise<void>;
};

const scripts = {
  /** Temporal by itself: no-op activities. */
  bare: 'bare-process.mts',
  longhaul: 'longhaul-process.mts',
  /** With `inlineReads`: the tool runs in the activity of the model call, and begins when the stream has its call. */
  'longhaul-inline': 'longhaul-process.mts',
  /** The tool is idempotent and `inline`. It begins when the server has the model's response. */
  'longhaul-inline-idempotent': 'longhaul-process.mts',
  /** With a log cache of no bytes: every model call reads the log anew. */
  'longhaul-uncached': 'longhaul-process.mts',
  /** With OpenTelemetry. `-hangs`: nobody answers its exporter; `-content`: it records what was said. */
  'longhaul-telemetry': 'longhaul-process.mts',
  'longhaul-telemetry-hangs': 'longhaul-process.mts',
  'longhaul-telemetry-content': 'longhaul-process.mts',
  'ai-sdk': 'peers/ai-sdk-process.mts',
} as const;

export type ContestantName = keyof typeof scripts;

export const hasPeers = existsSync(join(import.meta.dirname, 'peers/node_modules'));

/** Without the peer, if it is not installed. */
export function present(names: readonly ContestantName[]): readonly ContestantName[] {
  return names.filter((name) => hasPeers || name !== 'ai-sdk');
}

const bundles = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
process.on('exit', () => rmSync(bundles, { recursive: true, force: true }));

/** The first process of a contestant builds its workflow bundle; the later ones find it built. Processes may share a task queue. */
export function startMeasured(
  name: ContestantName,
  address: string,
  taskQueue: string = crypto.randomUUID(),
): Measured {
  const script = join(import.meta.dirname, scripts[name]);
  const child = fork(script, [address, taskQueue, join(bundles, `${name}.js`), name], {
    serialization: 'advanced',
  });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended`)));
  failed.catch(() => undefined);
  return {
    name,
    ask: async (command) => {
      child.send(command);
      const [answer] = await Promise.race([answerOf(child), failed]);
      return answer;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

/** Starts the contestants, and stops them when the work is done. */
export async function withMeasured<Result>(
  names: readonly ContestantName[],
  address: string,
  work: (contestants: readonly Measured[]) => Promise<Result>,
): Promise<Result> {
  const contestants = present(names).map((name) => startMeasured(name, address));
  try {
    return await work(contestants);
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.stop()));
  }
}

function answerOf(child: ChildProcess): Promise<[Answer]> {
  return once(child, 'message') as Promise<[Answer]>;
}
