// One trial: park, SIGKILL, change, start again, approve. What it returns is only what was seen on the wire, in the ledger, and in what
// the processes said.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelDouble, type Age, type Seen } from './double.mts';
import { deploy, type System } from './installs.mts';

/** One run of the tool: by which code, with which arguments. */
export type Call = { readonly code: Age; readonly args: unknown };
export type Facts = {
  readonly parked: boolean;
  /** Model requests after the approval. */
  readonly requests: readonly Seen[];
  readonly calls: readonly Call[];
  readonly ended?: string;
  readonly failed?: string;
  /** What the open approval said of the deployed tool, before it was given. */
  readonly outdated?: string;
  readonly seconds?: number;
};
export type Trial = {
  /** The folder of the process that parks, and of the one that approves. */
  readonly before: string;
  readonly after: string;
  readonly code: Age;
  readonly variant: System['variant'];
  readonly storeOf: (run: string) => Promise<string>;
};

type Said = {
  readonly parked?: unknown;
  readonly ended?: unknown;
  readonly failed?: string;
  readonly outdated?: string;
};

/** A run that waits has waited for a while when its process is killed: what is written late is written. */
const settleMs = 3_000;
const parkMs = 90_000;
const approveMs = 90_000;

export async function runTrial(trial: Trial): Promise<Facts> {
  const { before, after, code, variant, storeOf } = trial;
  const double = await ModelDouble.start();
  const run = `survival-${randomUUID()}`;
  const ledger = join(before, `${run}.jsonl`);
  await writeFile(ledger, '');
  const store = await storeOf(run);
  const shared = {
    MODEL_URL: double.url,
    STORE: store,
    LEDGER: ledger,
    RUN: run,
    VARIANT: variant,
  };
  const calls = async (): Promise<readonly Call[]> =>
    (await readFile(ledger, 'utf8'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Call);
  try {
    await deploy(before, 'old');
    const first = await speak(before, { ...shared, STEP: 'park' }, parkMs);
    if (first.parked === undefined || (await calls()).length > 0)
      return {
        parked: false,
        requests: [],
        calls: await calls(),
        failed: first.failed ?? 'it did not wait',
      };
    const asked = double.seen.length;
    await deploy(after, code);
    const start = performance.now();
    const env = { ...shared, STEP: 'approve', PARKED: JSON.stringify(first.parked) };
    // The platform that runs the old version starts its process again.
    const old =
      variant === 'pinned' && code === 'new' && launch(before, { ...shared, STEP: 'serve' });
    const second = await speak(after, env, approveMs);
    if (old) kill(old);
    return {
      parked: true,
      requests: double.seen.slice(asked),
      calls: await calls(),
      ...(second.ended !== undefined && { ended: textOf(second.ended) }),
      ...(second.failed !== undefined && { failed: second.failed }),
      ...(second.outdated !== undefined && { outdated: second.outdated }),
      seconds: Math.round((performance.now() - start) / 100) / 10,
    };
  } finally {
    await double.stop();
  }
}

function launch(cwd: string, env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, ['agent.mjs'], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** Starts the script, waits for the first thing it tells, and kills it. */
async function speak(cwd: string, env: NodeJS.ProcessEnv, limitMs: number): Promise<Said> {
  const child = launch(cwd, env);
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const told = new Promise<Said>((resolve) => {
    const timer = setTimeout(() => resolve({ failed: late(limitMs, errors) }), limitMs);
    createInterface(child.stdout).on('line', (line) => {
      const said = parse(line);
      if (said !== undefined) resolve(said);
      else errors += `${line}\n`;
    });
    void exited.then(([status]) => {
      clearTimeout(timer);
      resolve({ failed: errorIn(errors) ?? `exit code ${status}` });
    });
  });
  const said = await told;
  if (said.parked !== undefined) await sleep(settleMs);
  kill(child);
  await exited;
  await writeFile(join(cwd, `${env['RUN']}-${env['STEP']}.log`), errors);
  return said;
}

/** SIGKILL, to the process and to those it started. */
function kill({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function parse(line: string): Said | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const said = JSON.parse(line) as Said;
    return 'parked' in said || 'ended' in said || 'failed' in said ? said : undefined;
  } catch {
    return undefined;
  }
}

function late(limitMs: number, errors: string): string {
  const error = errorIn(errors);
  return `no end within ${limitMs / 1_000} s${error === undefined ? '' : `: ${error}`}`;
}

/** The first line that names an error. Where the workflow of a system tries again and again, its log has it. */
function errorIn(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /\b\w*Error\b.*: /.test(line) && !/new \w*Error\(/.test(line))
    ?.slice(0, 300);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
