import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledOnce } from './built-package';

const project = resolve(__dirname, '../..');

export type Ended = {
  readonly status: number | null;
  readonly output: string;
  readonly group: number;
};

/** Runs a file of examples/ on the built package, without keys and without a terminal, in a process group of its own: what it leaves behind is found. */
export async function runExample(
  file: string,
  { folder, args = [] }: { readonly folder: string; readonly args?: readonly string[] },
): Promise<Ended> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, [join(project, 'examples', file), ...args], {
    cwd: folder,
    env: { PATH, HOME, TMPDIR, ...compiledOnce() },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let warnings = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (warnings += chunk));
  const status = await new Promise<number | null>((ended) => child.once('close', ended));
  return { status, output: output + warnings, group: child.pid ?? 0 };
}

/** The server's watcher looks once a second whether it is still needed. */
export async function expectNothingLeft(group: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (isAlive(group) && Date.now() < deadline) await sleep(50);
  expect(isAlive(group)).toBe(false);
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}
