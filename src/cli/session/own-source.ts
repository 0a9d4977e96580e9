import { readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { isJsonObject, type Json } from '../../base';
import { packageVersion } from '../../server/machine';

const ownRoot = resolve(__dirname, '../../..');

/**
 * What a manifest in `folder` asks for to get this package from where it came from: the file or folder that was installed, or else this
 * version from the registry. A copy that nobody installed from a registry names none: the name could be somebody else's there.
 */
export function ownSource(folder: string, root = ownRoot): string {
  const [top = root, inner] = root.split(`${sep}node_modules${sep}`, 2);
  const asked = inner === undefined ? undefined : askedFor(top);
  if (asked === undefined) return fileSource(folder, root);
  const path = /^(?:file|link|portal):(.+)$/.exec(asked)?.[1];
  if (path !== undefined) return fileSource(folder, resolve(top, path));
  return /^[\d^~<>=*]|^latest$/.test(asked) ? `^${packageVersion()}` : asked;
}

/** What the project in this folder asks for. `npx` makes such a project, too. */
function askedFor(project: string): string | undefined {
  try {
    const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Json;
    const { dependencies, devDependencies } = isJsonObject(manifest) ? manifest : {};
    const lists = [dependencies, devDependencies].filter((list) => isJsonObject(list));
    const asked = lists.map((list) => list['longhaul']).find((each) => typeof each === 'string');
    return asked;
  } catch {
    return undefined;
  }
}

function fileSource(folder: string, path: string): string {
  return `file:${relative(folder, path).replaceAll(sep, '/')}`;
}
