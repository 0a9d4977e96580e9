import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { checkTrusted } from './trusted-file';

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

/** The path of an executable that the user named, when others cannot change it. */
export function namedExecutable(path: string): string {
  if (!isExecutable(path)) throw new Error(`${path} is not an executable file`);
  checkTrusted(path);
  return path;
}

/** The first executable of this name on the search path that others cannot change. Throws when there are only such as they can. */
export function findOnPath(name: string, env: Environment): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter(Boolean);
  let refusal: Error | undefined;
  for (const folder of folders) {
    const found = endings.map((ending) => join(folder, name + ending)).find(isExecutable);
    if (found === undefined) continue;
    try {
      checkTrusted(found);
      return found;
    } catch (error) {
      refusal ??= error as Error;
    }
  }
  if (refusal !== undefined) throw refusal;
  return undefined;
}
