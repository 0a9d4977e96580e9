import { copyFile, cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import manifest from '../../package.json';
import { buildOnce } from '../../src/server/machine/cache-folder';
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
    for (const part of ['dist', 'template'])
      await cp(join(root, part), join(installed, part), { recursive: true });
    await linkDependencies(workFolder);
    return workFolder;
  });
}

async function linkDependencies(folder: string): Promise<void> {
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link);
  }
}
