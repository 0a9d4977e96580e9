import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { LonghaulError } from '../../protocol/errors';
import { isPortFree } from '../../server/free-port';

type Holder = { readonly pid: number; readonly port: number };

export type DbLock = { readonly release: () => void };

const startingMs = 60_000;
const goingMs = 5_000;
const everyMs = 100;

/** Refuses a database that another dev server uses, and waits for one to go whose process was killed. */
export async function awaitFormerServer(dbFile: string): Promise<void> {
  const file = lockFileOf(dbFile);
  const holder = readHolder(file);
  if (holder === undefined) return;
  if (await isHeld(file, holder)) throw inUse(dbFile);
  await untilFree(holder.port);
}

/** Marks a database as used by this process: while its server is idle, SQLite itself would let a second one in. */
export function lockDb(dbFile: string, port: number): DbLock {
  const file = lockFileOf(dbFile);
  writeFileSync(file, JSON.stringify({ pid: process.pid, port } satisfies Holder));
  const release = (): void => {
    process.off('exit', release);
    if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true });
  };
  process.once('exit', release);
  return { release };
}

export function inUse(dbFile: string, cause?: unknown): LonghaulError {
  const file = relative(process.cwd(), dbFile);
  const message = `${file} is in use by another server: stop that one, or name another file with --db`;
  return new LonghaulError('ServerUnavailable', message, { cause });
}

/** A process id may belong to some other process by now: one that never serves, as the holder does soon after its start. */
async function isHeld(file: string, { pid, port }: Holder): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const age = Date.now() - statSync(file).mtimeMs;
  return age < startingMs || !(await isPortFree(port));
}

/** The server of a killed process goes a moment after it. */
async function untilFree(port: number): Promise<void> {
  const deadline = Date.now() + goingMs;
  while (Date.now() < deadline && !(await isPortFree(port))) {
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

const lockFileOf = (dbFile: string): string => `${dbFile}.lock`;

function readHolder(file: string): Holder | undefined {
  try {
    const { pid, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof port === 'number' ? { pid, port } : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
