import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { delimiter, join, parse, resolve, sep } from 'node:path';
import { LonghaulError } from '../../protocol/errors';

const writableByGroup = 0o020;

const writableByAll = 0o002;

const sticky = 0o1000;

const mostLinks = 40;

/** On macOS, the group of users who may become root. It may write Homebrew's folders. */
const administrators = process.platform === 'darwin' ? 80 : undefined;

export type Environment = Readonly<Record<string, string | undefined>>;

/** True if the path names a file that this process may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The path of an executable that the user named. Throws if others can change it. */
export function namedExecutable(path: string): string {
  if (!isExecutable(path)) throw new Error(`${path} is not an executable file`);
  checkTrusted(path);
  return path;
}

/** The first executable of this name on the search path that others cannot change. Throws if others can change all of them. */
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

/** One way to get an executable: `find` resolves with its path or rejects with the reason in one line. */
export type Route = { readonly name: string; readonly find: () => Promise<string> | string };

/** An executable and the route it came by. */
export type FoundExecutable = { readonly path: string; readonly route: string };

export type RouteFailure = { readonly route: string; readonly reason: string };

/** Takes the first route that works. If none works, one error says what was tried, why each route failed and how to install. */
export async function firstRoute(
  what: string,
  routes: readonly Route[],
  installation: string,
): Promise<FoundExecutable> {
  const failures: RouteFailure[] = [];
  for (const route of routes) {
    try {
      return { path: await route.find(), route: route.name };
    } catch (error) {
      failures.push({ route: route.name, reason: reasonOf(error) });
    }
  }
  const tried = failures.map(({ route, reason }) => `  - ${route}: ${reason}`).join('\n');
  const message = `Cannot find ${what}. Tried:\n${tried}\n${installation}`;
  throw new LonghaulError('ServerUnavailable', message, { details: { failures } });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Throws unless only this user and root can decide what `path` holds. The file, each folder above it and each link on the way must belong
 * to one of the two, and nobody else may write them. A folder such as `/tmp` passes: everybody may write there, but because of the sticky
 * bit nobody may replace what belongs to another user. Checks nothing on Windows, which has no such modes.
 */
export function checkTrusted(path: string): void {
  if (process.platform === 'win32') return;
  let { root: here, left } = partsOf(resolve(path));
  let links = 0;
  checkPlace(here, lstatSync(here));
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const place = join(here, name);
    const stats = lstatSync(place);
    checkPlace(place, stats);
    if (!stats.isSymbolicLink()) {
      here = place;
      continue;
    }
    links += 1;
    if (links > mostLinks) throw new Error(`${path} leads through too many links`);
    const target = partsOf(resolve(here, readlinkSync(place)));
    [here, left] = [target.root, [...target.left, ...left]];
  }
}

function partsOf(path: string): { readonly root: string; readonly left: string[] } {
  const { root } = parse(path);
  return { root, left: path.slice(root.length).split(sep).filter(Boolean) };
}

function checkPlace(place: string, stats: Stats): void {
  if (stats.uid !== 0 && stats.uid !== process.getuid?.()) {
    throw new Error(
      `${place} belongs to another user (${stats.uid}), who could put anything there`,
    );
  }
  if (stats.isSymbolicLink() || (stats.isDirectory() && (stats.mode & sticky) !== 0)) return;
  const others = stats.gid === administrators ? writableByAll : writableByAll | writableByGroup;
  if ((stats.mode & others) === 0) return;
  const mode = (stats.mode & 0o777).toString(8);
  throw new Error(`${place} can be written by other users (mode ${mode}): \`chmod go-w\` it`);
}
