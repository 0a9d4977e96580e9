import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { join, parse, resolve, sep } from 'node:path';

const writableByGroup = 0o020;
const writableByAll = 0o002;
const sticky = 0o1000;
const mostLinks = 40;
/** On macOS the group of those who may become root; Homebrew's folders are writable by it. */
const administrators = process.platform === 'darwin' ? 80 : undefined;

/**
 * Throws unless only this user and root can decide what `path` holds: it, each folder above it and each link on the way belong to one of
 * the two, and nobody else may write them. In a folder such as `/tmp`, which all may write but where nobody may replace what is another's
 * (the sticky bit), what belongs to this user is its own. Windows has no such modes: there nothing is checked.
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
