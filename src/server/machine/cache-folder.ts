import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { checkTrusted } from './trusted-file';

/** The folder that keeps fetched servers between runs: `$XDG_CACHE_HOME/longhaul`, else `~/.cache/longhaul`. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'longhaul');
}

/**
 * Makes a folder of the cache for this user only, whatever the umask. If this user already has the folder, takes away others' right to
 * write. Throws if others could still change its content.
 */
export function makePrivate(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, mode } = statSync(folder);
  if (uid === process.getuid?.() && (mode & 0o022) !== 0) chmodSync(folder, mode & 0o755);
  checkTrusted(folder);
  return folder;
}

/**
 * Makes `target` with `build`, which fills a fresh folder beside it and returns the path of the result. One rename moves the result to
 * `target`. Processes that race each build their own; the second one uses the result of the first. The result replaces an unusable `target`
 * if that is a file.
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
      // A folder cannot replace a folder that another process has just put there.
      if (!existsSync(target) || !(await isUsable(target))) throw error;
    });
    return target;
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}
