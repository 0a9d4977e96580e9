import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { LonghaulError } from '../protocol/errors';
import { databaseError } from '../stores/state-rows';
import {
  checkDigest,
  type DeleteScopeOptions,
  isDigest,
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

const folderMode = 0o700;
const fileMode = 0o600;

/**
 * Keeps results in files: a folder for each scope, in 256 folders. Any number of processes may use it at once. Only the user who runs the
 * process may read the files. Every call rejects with a retryable `StoreError`, because somebody repairs a disk.
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
      await markWritten(folder, key.scope);
      await writeWhole(join(folder, key.digest), bytes);
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

  async deleteScope(
    scope: string,
    { unlessWrittenSince }: DeleteScopeOptions = {},
  ): Promise<number> {
    const folder = this.#folderOf(scopeName(scope));
    return await this.#call(async () => {
      const kept = await readScope(folder);
      if (kept === undefined) return 0;
      if (unlessWrittenSince !== undefined && kept.lastWrittenAt >= unlessWrittenSince) return 0;
      return await deleteFolder(folder);
    });
  }

  /** In the order of the folders' names, after the folder `name`. */
  async *#scopesFrom(name: string): AsyncGenerator<ResultScope, void, void> {
    const shards = (await readdir(this.#root)).filter((shard) => /^[0-9a-f]{2}$/.test(shard));
    for (const shard of shards.sort()) {
      if (shard < name.slice(0, 2)) continue;
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

/** The file with the name goes last: if the process ends before, the next call goes on. */
async function deleteFolder(folder: string): Promise<number> {
  const files = ((await ifThere(readdir(folder))) ?? []).filter((name) => name !== nameFile);
  for (const name of files) await rm(join(folder, name), { force: true });
  await rm(folder, { recursive: true, force: true });
  return files.filter(isDigest).length;
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
