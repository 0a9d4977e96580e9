import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LonghaulError } from '../../protocol';
import { databaseError } from '../state/state-rows';
import {
  checkDigest,
  type DeleteScopeOptions,
  isDigest,
  oldEnough,
  type ResultKey,
  type ResultScope,
  type ResultStore,
  scopeName,
  type ScopePage,
} from './result-store';

export type FileResultsOptions = {
  /** The folder. The store makes it if it does not exist. All workers and clients need the same folder, for instance on a shared disk. */
  readonly folder: string;
};

/** The file of a scope that has its name. Its time is that of the last write. */
const nameFile = 'scope';

/** The end of the name of a folder that is being deleted, after the time when that began. */
const goneEnd = '.gone';

/** A deletion that takes longer was cut off. */
const longestDeletionMs = 60 * 60_000;

/** If a scope is deleted during a write, the write makes it again, at most this often. */
const putAttempts = 5;

const folderMode = 0o700;
const fileMode = 0o600;

/**
 * Keeps results in files: a folder for each scope, in 256 folders. Any number of processes may use it at once. Only the user who runs the
 * process may read the files. A failed call rejects with a retryable `StoreError`, because a disk can be repaired.
 *
 * @example
 * const worker = await createWorker({ runners, results: new FileResults({ folder: '/srv/results' }) });
 */
export class FileResults implements ResultStore {
  readonly #root: string;

  constructor({ folder }: FileResultsOptions) {
    if (typeof folder !== 'string' || folder.trim() === '' || folder.includes('\0'))
      throw new LonghaulError('StoreError', 'the folder of FileResults must be a path');
    this.#root = resolve(folder);
    try {
      mkdirSync(this.#root, { recursive: true, mode: folderMode });
    } catch (error) {
      throw databaseError(`FileResults cannot use '${folder}'`, error, () => false);
    }
  }

  async put(key: ResultKey, bytes: Uint8Array): Promise<void> {
    checkDigest(key.digest);
    await this.#call(async () => {
      const folder = this.#folderOf(scopeName(key.scope));
      for (let attempt = 1; attempt <= putAttempts; attempt += 1) {
        await markWritten(folder, key.scope);
        const isWritten = await ifThere(
          writeWhole(join(folder, key.digest), bytes).then(() => true),
        );
        if (isWritten === true && (await readScope(folder)) !== undefined) return;
      }
      throw new Error('somebody deletes the scope over and over');
    });
  }

  async get({ scope, digest }: ResultKey): Promise<Uint8Array | undefined> {
    checkDigest(digest);
    return await this.#call(async () => {
      const bytes = await ifThere(readFile(join(this.#folderOf(scopeName(scope)), digest)));
      // A disk that is not mounted has lost nothing.
      if (bytes === undefined) await access(this.#root);
      return bytes;
    });
  }

  async scopes({ after, limit }: ScopePage): Promise<readonly ResultScope[]> {
    return await this.#call(async () => {
      const found: ResultScope[] = [];
      for await (const scope of this.#scopesFrom(after === undefined ? '' : scopeName(after))) {
        if (found.length >= limit) break;
        found.push(scope);
      }
      return found;
    });
  }

  async deleteScope(scope: string, options: DeleteScopeOptions = {}): Promise<number> {
    const { unlessWrittenSince, except = [] } = options;
    const before = oldEnough(options);
    const folder = this.#folderOf(scopeName(scope));
    return await this.#call(async () => {
      const kept = await readScope(folder);
      if (kept === undefined) return 0;
      const isOlder = (time: Date | undefined): boolean =>
        time === undefined || kept.lastWrittenAt < time;
      if (!isOlder(unlessWrittenSince)) return 0;
      if (except.length === 0 && isOlder(before)) return await deleteFolder(folder, before);
      return await deleteFiles(folder, { before, except });
    });
  }

  /** In the order of the folders' names, after the folder `name`. */
  async *#scopesFrom(name: string): AsyncGenerator<ResultScope, void, void> {
    const shards = (await readdir(this.#root)).filter((shard) => /^[0-9a-f]{2}$/.test(shard));
    for (const shard of shards.sort()) {
      if (shard < name.slice(0, 2)) continue;
      await restoreCutOff(join(this.#root, shard));
      const folders = (await readdir(join(this.#root, shard))).filter(isDigest);
      for (const folder of folders.sort()) {
        const scope = folder > name ? await readScope(this.#folderOf(folder)) : undefined;
        if (scope !== undefined) yield scope;
      }
    }
  }

  #folderOf(name: string): string {
    return join(this.#root, name.slice(0, 2), name);
  }

  async #call<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw databaseError('FileResults', error, () => true);
    }
  }
}

/** Makes the folder of the scope at its first write, with the file that has its name. */
async function markWritten(folder: string, scope: string): Promise<void> {
  const path = join(folder, nameFile);
  const now = new Date();
  const isThere = await ifThere(utimes(path, now, now).then(() => true));
  if (isThere === true) return;
  await mkdir(folder, { recursive: true, mode: folderMode });
  await writeWhole(path, Buffer.from(scope));
}

/** Undefined if nobody has written to the folder, or another process has just deleted it. */
async function readScope(folder: string): Promise<ResultScope | undefined> {
  const path = join(folder, nameFile);
  const scope = await ifThere(readFile(path, 'utf8'));
  const written = await ifThere(stat(path));
  return scope === undefined || written === undefined
    ? undefined
    : { scope, lastWrittenAt: written.mtime };
}

/** The folder moves away first, so that a writer makes another one. If somebody wrote to it at the last moment, it moves back. */
async function deleteFolder(folder: string, before: Date | undefined): Promise<number> {
  const away = `${folder}.${Date.now()}${goneEnd}`;
  const isAway = await ifThere(rename(folder, away).then(() => true));
  if (isAway === undefined) return 0;
  const moved = await readScope(away);
  if (before !== undefined && moved !== undefined && moved.lastWrittenAt >= before) {
    await moveBack(away, folder);
    return 0;
  }
  const files = ((await ifThere(readdir(away))) ?? []).filter(isDigest);
  await rm(away, { recursive: true, force: true });
  return files.length;
}

async function deleteFiles(
  folder: string,
  { before, except }: { readonly before: Date | undefined; readonly except: readonly string[] },
): Promise<number> {
  let deleted = 0;
  for (const name of ((await ifThere(readdir(folder))) ?? []).filter(isDigest)) {
    const path = join(folder, name);
    const written = except.includes(name) ? undefined : await ifThere(stat(path));
    if (written === undefined || (before !== undefined && written.mtime >= before)) continue;
    await rm(path, { force: true });
    deleted += 1;
  }
  return deleted;
}

/** If a process ended while it deleted a folder, another process may have written to it: the next deletion decides. */
async function restoreCutOff(shard: string): Promise<void> {
  for (const name of (await readdir(shard)).filter((each) => each.endsWith(goneEnd))) {
    const [digest = '', time] = name.split('.');
    if (Date.now() - Number(time) > longestDeletionMs)
      await moveBack(join(shard, name), join(shard, digest));
  }
}

async function moveBack(away: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode });
  const there = await readdir(folder);
  for (const name of (await ifThere(readdir(away))) ?? [])
    if (!there.includes(name)) await ifThere(rename(join(away, name), join(folder, name)));
  await rm(away, { recursive: true, force: true });
}

/** A reader sees the whole file or none, also after a crash: the bytes are on the disk before the file has its name. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', fileMode);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  if (process.platform !== 'win32') await syncFolder(dirname(path));
}

/** Keeps the new name of a file when the machine loses power. Windows does not need it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
