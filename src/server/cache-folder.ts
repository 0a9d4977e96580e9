import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { checkTrusted, type Environment } from './search-path';

/** Where fetched servers stay between runs: `$XDG_CACHE_HOME/longhaul`, else `~/.cache/longhaul`. */
export function cacheFolder(env: Environment): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'longhaul');
}

/**
 * Makes a folder of the cache, for this user only, whatever the umask; one that is there already and is this user's is closed to others'
 * writing. Throws where others could still change what is in it.
 */
export function makePrivate(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (uid === process.getuid?.() && (mode & 0o022) !== 0) chmodSync(folder, mode & 0o755);
  checkTrusted(folder);
  return folder;
}

/**
 * Makes `target` by `build`, which fills a fresh folder beside it and returns the path of what it made there. The result moves
 * to `target` in one rename: processes that race each build their own, and whoever comes second uses the first one's. What is there
 * already and is not usable is replaced if it is a file.
 */
export async function buildOnce(
  target: string,
  build: (workFolder: string) => Promise<string>,
  isUsable: (target: string) => boolean | Promise<boolean> = existsSync,
): Promise<string> {
  if (existsSync(target) && (await isUsable(target))) return target;
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const workFolder = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  try {
    await rename(await build(workFolder), target).catch(async (error: unknown) => {
      // A folder cannot replace a folder that another process put there meanwhile.
      if (!existsSync(target) || !(await isUsable(target))) throw error;
    });
    return target;
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}
