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

type Example = { readonly folder: string; readonly args?: readonly string[] };

/** Runs a file of examples/ to its end. */
export async function runExample(file: string, example: Example): Promise<Ended> {
  return await startExample(file, example).ended;
}

export type Running = {
  readonly ended: Promise<Ended>;
  /** What a line of the output says first, as the pattern's first group. Rejects when the example ends without it. */
  readonly said: (pattern: RegExp) => Promise<string>;
  readonly stop: () => void;
};

/** Starts it on the built package, without keys and without a terminal, in a process group of its own: what it leaves behind is found. */
export function startExample(file: string, { folder, args = [] }: Example): Running {
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
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (status) =>
      resolve({ status, output: output + warnings, group: child.pid ?? 0 }),
    );
  });
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [, found] = pattern.exec(output) ?? [];
      if (found !== undefined) return found;
      const more = new Promise<undefined>((resolve) =>
        child.stdout.once('data', () => resolve(undefined)),
      );
      const end = await Promise.race([ended, more]);
      if (end !== undefined)
        throw new Error(`it ended with ${end.status}, and said:\n${end.output}`);
    }
  };
  return { ended, said, stop: () => child.kill('SIGTERM') };
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
