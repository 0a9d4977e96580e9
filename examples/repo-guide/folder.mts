import { constants } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { join, posix, relative, sep } from 'node:path';
import { LonghaulError } from 'longhaul';

/** Bigger files are refused: an agent searches those. */
const largestFile = 1_000_000;
const mostFilesVisited = 20_000;

const skippedNames = ['node_modules', '.git', 'dist', 'coverage', '.longhaul'];

/** What no tool shows: dependencies, build output, and files that usually hold secrets. */
function isSkipped(name: string): boolean {
  const lower = name.toLowerCase();
  return skippedNames.includes(lower) || lower.startsWith('.env');
}

/** What the model is told at once: an error that another attempt would not change. */
export function refuse(message: string): never {
  throw new LonghaulError('ToolError', message);
}

export type Entry = { readonly path: string; readonly isFolder: boolean };

/**
 * One folder of this machine, read by paths relative to it. Nothing outside it can be reached: paths are checked as they are
 * written, then as they are after every symbolic link is resolved, and only regular files are opened.
 */
export class Folder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The text of a file. */
  async read(path: string): Promise<string> {
    const { place } = await this.#locate(path);
    // Not blocked by a pipe that nobody writes to, not led elsewhere by a link made meanwhile.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(place, flags).catch((error: unknown) => refuseFor(path, error));
    try {
      const { size, isFile } = await file
        .stat()
        .then((s) => ({ size: s.size, isFile: s.isFile() }));
      if (!isFile) return refuse(`${path} is not a file. list_files shows what a folder holds.`);
      if (size > largestFile) return refuse(tooLarge(path, size));
      const bytes = Buffer.alloc(size);
      const { bytesRead } = await file.read(bytes, 0, size, 0);
      const text = bytes.toString('utf8', 0, bytesRead);
      return text.includes('\0') ? refuse(`${path} is not text.`) : text;
    } finally {
      await file.close();
    }
  }

  /** What a folder holds, by name; links are left out. */
  async list(path: string): Promise<Entry[]> {
    const { place, name } = await this.#locate(path);
    if (!(await stat(place)).isDirectory())
      refuse(`${path} is not a folder. read_file shows a file.`);
    const found = await readdir(place, { withFileTypes: true });
    return found
      .filter((entry) => !isSkipped(entry.name) && (entry.isDirectory() || entry.isFile()))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .map((entry) => ({ path: posix.join(name, entry.name), isFolder: entry.isDirectory() }));
  }

  /** All files below a folder, at most some thousands. */
  async *files(path: string): AsyncGenerator<string, void, void> {
    const entries = await this.list(path);
    let visited = 0;
    for (let entry = entries.shift(); entry !== undefined; entry = entries.shift()) {
      // A folder that may not be read, or is gone meanwhile, counts as empty.
      if (entry.isFolder) entries.push(...(await this.list(entry.path).catch(() => [])));
      else if (visited < mostFilesVisited) yield entry.path;
      else return;
      visited += 1;
    }
  }

  async #locate(path: string): Promise<{ place: string; name: string }> {
    checkWritten(path);
    const root = await realpath(this.#root);
    const place = await realpath(join(root, path)).catch((error: unknown) =>
      refuseFor(path, error),
    );
    if (place !== root && !place.startsWith(root.endsWith(sep) ? root : root + sep)) {
      return refuse(`${path} leads out of the folder, which is not allowed.`);
    }
    const names = relative(root, place).split(sep);
    const hidden = names.find(isSkipped);
    if (hidden !== undefined) refuse(`${path}: ${hidden} is not shown.`);
    return { place, name: names.join('/') };
  }
}

const absolute = /^(?:[/\\~]|[a-z]:)/i;
const url = /^[a-z][a-z0-9+.-]*:/i;

function checkWritten(path: string): void {
  const shown = JSON.stringify(path.slice(0, 200));
  if (path === '' || path.length > 1_000 || /[\u0000-\u001f]/.test(path)) {
    refuse(`${shown} is not a path.`);
  }
  if (absolute.test(path) || url.test(path)) {
    refuse(`${shown} is not allowed: give a path relative to the folder, such as "src/index.ts".`);
  }
  if (path.includes('\\')) refuse(`${shown} is not allowed: write "/" between folders.`);
  const names = path.split('/');
  if (names.includes('..')) refuse(`${shown} is not allowed: ".." could leave the folder.`);
  const hidden = names.find(isSkipped);
  if (hidden !== undefined) refuse(`${shown}: ${hidden} is not shown.`);
}

function refuseFor(path: string, error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return refuse(`There is no ${path}. list_files shows what there is.`);
  }
  return refuse(`${path} cannot be read (${code ?? 'unknown error'}).`);
}

function tooLarge(path: string, bytes: number): string {
  const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${path} has ${size}; files up to 1 MB can be read. search_text finds lines in smaller ones.`;
}
