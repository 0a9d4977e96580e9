import { copyFile, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buildOnce } from '../../src/server/cache-folder';
import { workflowBundlePath } from '../servers';

const root = resolve(__dirname, '../..');

/** For processes that run the package: what one of them compiled, the others of this Jest run need not. */
export function compiledOnce(): Readonly<Record<string, string>> {
  return { NODE_COMPILE_CACHE: join(dirname(workflowBundlePath()), 'compiled') };
}

/** A folder in which the package is installed as its users have it, copied once per Jest run from what the set-up built. */
export async function builtPackage(): Promise<string> {
  return await buildOnce(join(dirname(workflowBundlePath()), 'package'), async (workFolder) => {
    const installed = join(workFolder, 'node_modules', 'longhaul');
    await mkdir(installed, { recursive: true });
    await copyFile(join(root, 'package.json'), join(installed, 'package.json'));
    await cp(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
    await linkDependencies(workFolder);
    return workFolder;
  });
}

async function linkDependencies(folder: string): Promise<void> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link);
  }
}
