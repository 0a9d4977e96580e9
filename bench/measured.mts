// Contestants of a benchmark, each a process of its own: worker and client together, as bench/answer-commands.mts answers.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer, Command } from './answer-commands.mts';

export type Measured = {
  ask(command: Command): Promise<Answer>;
  stop(): Promise<void>;
};

const aiSdk = join(import.meta.dirname, 'peers/ai-sdk-process.mts');
const scripts = {
  longhaul: join(import.meta.dirname, 'longhaul-process.mts'),
  /** With a cache of no bytes: every model call reads the log anew. */
  'longhaul-without-replica': join(import.meta.dirname, 'longhaul-process.mts'),
  bare: join(import.meta.dirname, 'bare-process.mts'),
  'ai-sdk': aiSdk,
} as const;

export type ContestantName = keyof typeof scripts;

const hasPeers = existsSync(join(import.meta.dirname, 'peers/node_modules'));

export function present<Name extends ContestantName>(names: readonly Name[]): readonly Name[] {
  if (hasPeers || !names.some((name) => name === 'ai-sdk')) return names;
  console.log('Without @temporalio/ai-sdk: `npm ci --prefix bench/peers` installs it.');
  return names.filter((name) => name !== 'ai-sdk');
}

const bundles = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
process.on('exit', () => rmSync(bundles, { recursive: true, force: true }));

/** The first process of a contestant builds its workflow bundle; the later ones find it built. */
export function startMeasured(name: ContestantName, address: string): Measured {
  const child = fork(scripts[name], [address, join(bundles, `${scripts[name].length}.js`), name]);
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended`)));
  failed.catch(() => undefined);
  return {
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

function answerOf(child: ChildProcess): Promise<[Answer]> {
  return once(child, 'message') as Promise<[Answer]>;
}
