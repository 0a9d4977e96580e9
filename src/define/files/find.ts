import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { didYouMean, quote } from '../../base';
import { limits } from '../../protocol';
import { problemAt, specFilesError, startOf } from './places';

/** A spec as text. Messages call it by its `name`; a name that ends in `.json` makes it JSON. */
export type SpecText = { readonly text: string; readonly name?: string };

/** A file, a folder of files, or text. */
export type SpecSource = string | SpecText;

type FileContent =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** A file after reading. Prompt files are looked for in its folder; text has no folder. */
export type SpecFile = {
  readonly name: string;
  readonly folder?: string;
  readonly content: FileContent;
};

export type SpecFiles = {
  readonly specs: readonly SpecFile[];
  readonly overlays: readonly SpecFile[];
};

/** Room for many agents: one agent with its tools may have 512 KiB. */
const mostFileBytes = 2 * limits.definition;

const isSpecName = (name: string) => /^[^.].*\.(?:ya?ml|json)$/i.test(name);
const stemOf = (name: string) => name.slice(0, -extname(name).length);

/** The files to load, each once. A folder means the files directly in it. `agents.prod.yaml` beside `agents.yaml` is an overlay. */
export function findSpecFiles(
  source: SpecSource | readonly SpecSource[],
  overlays: readonly SpecSource[] = [],
): SpecFiles {
  const sources = [source].flat() as readonly SpecSource[];
  const folders = sources.map((one) => (typeof one === 'string' ? folderOf(one) : undefined));
  const known = folders.filter((folder) => folder !== undefined);
  const found = overlays.flatMap((overlay) => findOverlay(overlay, known));
  const taken = new Set(found.map(({ name }) => resolve(name)));
  const specs = sources.flatMap((one, index) => {
    const folder = folders[index];
    return folder === undefined ? [fromText(one as SpecText)] : filesOf(folder, taken);
  });
  return { specs, overlays: found };
}

/** A folder, and the names of the specs to take from it. */
type Folder = {
  readonly source: string;
  readonly folder: string;
  readonly names: readonly string[];
};

function folderOf(source: string): Folder {
  const stats = statSync(source, { throwIfNoEntry: false });
  if (stats === undefined) throw missing(source, dirname(source));
  return stats.isDirectory()
    ? { source, folder: source, names: specsIn(source) }
    : { source, folder: dirname(source), names: [basename(source)] };
}

/** Adds the paths it reads to `taken`. */
function filesOf({ source, folder, names }: Folder, taken: Set<string>): readonly SpecFile[] {
  const paths = source === folder ? names.map((name) => join(folder, name)) : [source];
  const own = paths.filter((path) => !taken.has(resolve(path)));
  if (paths.length === 0 || (own.length === 0 && taken.size === 0)) {
    throw refusal(source, 'has no file that ends with .yaml, .yml or .json');
  }
  for (const path of own) taken.add(resolve(path));
  return own.map((path) => fromFile(path, folder));
}

/** `agents.prod.yaml` is not a spec where `agents.yaml` is one. */
function specsIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter(
    (name) => isSpecName(name) && isFile(join(folder, name)),
  );
  const stems = new Set(names.map(stemOf));
  return names
    .filter((name) => !stems.has(stemOf(stemOf(name))) || !stemOf(name).includes('.'))
    .sort();
}

/** Text, a file, or the name of an environment: the files of that name beside the specs. */
function findOverlay(overlay: SpecSource, folders: readonly Folder[]): readonly SpecFile[] {
  if (typeof overlay !== 'string') return [fromText(overlay)];
  if (/^[A-Za-z0-9_-]+$/.test(overlay)) return environmentFiles(overlay, folders);
  const beside = isAbsolute(overlay) ? [] : folders.map(({ folder }) => join(folder, overlay));
  const path = [...beside, overlay].find(isFile);
  if (path === undefined) throw missing(overlay, folders[0]?.folder ?? dirname(overlay));
  return [fromFile(path, dirname(path))];
}

function environmentFiles(environment: string, folders: readonly Folder[]): readonly SpecFile[] {
  const [first] = folders;
  if (first === undefined) {
    throw refusal(
      environment,
      'is the name of an environment, but this spec is text, which has no files beside it: pass the overlay as text, too',
    );
  }
  const found = folders.flatMap(({ folder, names }) => {
    const stems = names.map((name) => `${stemOf(name)}.${environment}`);
    return readdirSync(folder)
      .filter((file) => isSpecName(file) && stems.includes(stemOf(file)))
      .sort()
      .map((file) => fromFile(join(folder, file), folder));
  });
  if (found.length > 0) return found;
  const expected = `${stemOf(first.names[0] ?? 'agents.yaml')}.${environment}.yaml`;
  throw refusal(
    environment,
    `is an environment without overlays: there is no file such as ${quote(expected)} in ${quote(first.folder)}`,
  );
}

export type FoundPrompt =
  { readonly ok: true; readonly file: SpecFile } | { readonly ok: false; readonly message: string };

/** A prompt file by its path from the folder of the spec. No name and no link leads to a file outside that folder. */
export function findPromptFile(path: string, folder: string | undefined): FoundPrompt {
  if (folder === undefined)
    return { ok: false, message: 'names a file, but this spec is text and has no folder' };
  const refused = pathMessage(path);
  if (refused !== undefined) return { ok: false, message: refused };
  const [file, other] = ['', '.yaml', '.yml', '.json']
    .map((ending) => join(folder, path + ending))
    .filter(isFile);
  if (file === undefined) {
    const message = `is no file in ${quote(folder)}: looked for ${quote(path)}, also with .yaml, .yml and .json`;
    return { ok: false, message };
  }
  if (other !== undefined) {
    return { ok: false, message: `may be ${quote(file)} or ${quote(other)}: say which` };
  }
  // It reads the real path, so a link that changes meanwhile has no effect.
  const real = realpathSync(file);
  const way = relative(realpathSync(folder), real);
  if (way.startsWith(`..${sep}`) || isAbsolute(way)) {
    const message = `leads out of the folder of the spec, by a link: ${quote(path)}`;
    return { ok: false, message };
  }
  return { ok: true, file: { ...fromFile(real, folder), name: file } };
}

function pathMessage(path: string): string | undefined {
  if (path.includes('\0')) return 'must not hold NUL characters';
  if (isAbsolute(path) || /[\\:]/.test(path)) {
    return `must be a path from the folder of the spec, with /, not ${quote(path)}`;
  }
  return path.split('/').includes('..')
    ? `must stay within the folder of the spec: '..' is not allowed`
    : undefined;
}

function fromText({ text, name = 'spec.yaml' }: SpecText): SpecFile {
  return { name, content: checkText(text) };
}

function fromFile(path: string, folder: string): SpecFile {
  try {
    return { name: path, folder, content: readText(path) };
  } catch (error) {
    const { code = 'unknown' } = error as { readonly code?: string };
    return { name: path, folder, content: { ok: false, message: `cannot be read: ${code}` } };
  }
}

/** Never reads more than a file may have, even if the file is special or grows meanwhile. */
function readText(path: string): FileContent {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    if (size > mostFileBytes) return tooLarge(size);
    const bytes = Buffer.alloc(mostFileBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, { offset: length });
    }
    return decodeText(bytes.subarray(0, length));
  } finally {
    closeSync(file);
  }
}

/** Decodes UTF-8, or UTF-16 if there is a byte order mark for it. */
function decodeText(bytes: Uint8Array): FileContent {
  if (bytes.length > mostFileBytes) return tooLarge(bytes.length);
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    return checkText(new TextDecoder(encoding, { fatal: true }).decode(bytes));
  } catch {
    return { ok: false, message: 'is not text in UTF-8: save it as UTF-8' };
  }
}

function checkText(text: string): FileContent {
  const bytes = Buffer.byteLength(text);
  if (bytes > mostFileBytes) return tooLarge(bytes);
  if (text.includes('\0')) {
    return { ok: false, message: 'holds NUL characters: it is no text, or not in UTF-8' };
  }
  return { ok: true, text: text.startsWith('\uFEFF') ? text.slice(1) : text };
}

function tooLarge(bytes: number): FileContent {
  const most = `${mostFileBytes / 1024} KiB`;
  const message = `has ${Math.ceil(bytes / 1024)} KiB; a file may have ${most}: split it`;
  return { ok: false, message };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function missing(path: string, folder: string) {
  if (path.includes('\n')) return refusal('source', 'is text: pass it as {text}');
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  const names = isFolder ? readdirSync(folder) : [];
  return refusal(path, `is no file or folder${didYouMean(basename(path), names)}`);
}

function refusal(file: string, message: string) {
  return specFilesError([problemAt(startOf(file), '', message)]);
}
