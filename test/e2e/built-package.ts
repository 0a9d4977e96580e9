import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from '../../src/server/cache-folder';
import { workflowBundlePath } from '../servers';

const root = resolve(__dirname, '../..');

/**
 * A folder in which the package is installed as its users have it, built from the sources as they are, once per Jest run. Its types
 * are checked elsewhere.
 */
export async function builtPackage(): Promise<string> {
  return await buildOnce(join(dirname(workflowBundlePath()), 'package'), async (workFolder) => {
    const installed = join(workFolder, 'node_modules', 'longhaul');
    await mkdir(installed, { recursive: true });
    await copyFile(join(root, 'package.json'), join(installed, 'package.json'));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const project = join(root, 'tsconfig.build.json');
    const options = ['--noCheck', '--declaration', 'false', '--outDir', join(installed, 'dist')];
    await promisify(execFile)(process.execPath, [compiler, '-p', project, ...options]);
    await copyFile(workflowBundlePath(), join(installed, 'dist', 'workflow-bundle.js'));
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
