import { accessSync, constants, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import { join, parse, resolve, sep } from 'node:path';

const writableByGroup = 0o020;

const writableByAll = 0o002;

const sticky = 0o1000;

const mostLinks = 40;

/** On macOS, the group of users who may become root. It may write Homebrew's folders. */
const administrators = process.platform === 'darwin' ? 80 : undefined;

/** The path of an executable that the user named. Throws if others can change it. */
export function namedExecutable(path: string): string {
  if (!isExecutable(path)) throw new Error(`${path} is not an executable file`);
  checkTrusted(path);
  return path;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
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
