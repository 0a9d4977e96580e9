import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** True when the path names a file that this process may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The first executable of this name on the search path, as a shell would find it. */
export function findOnPath(name: string, env: Environment): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(Boolean);
  for (const folder of folders) {
    const found = endings.map((ending) => join(folder, name + ending)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return undefined;
}
