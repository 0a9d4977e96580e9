import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Environment } from './search-path';

/** Where fetched servers stay between runs: `$XDG_CACHE_HOME/longhaul`, else `~/.cache/longhaul`. */
export function cacheFolder(env: Environment): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'longhaul');
}

/**
 * Makes `target` by `build`, which fills a fresh folder beside it and returns the path of what it made there. The result moves
 * to `target` in one rename: processes that race each build their own, and whoever comes second uses the first one's.
 */
export async function buildOnce(
  target: string,
  build: (workFolder: string) => Promise<string>,
): Promise<string> {
  if (existsSync(target)) return target;
  await mkdir(dirname(target), { recursive: true });
  const workFolder = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  try {
    await rename(await build(workFolder), target).catch((error: unknown) => {
      // A folder cannot replace a folder that another process put there meanwhile.
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}
