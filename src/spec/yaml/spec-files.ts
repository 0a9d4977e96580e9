import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { didYouMean } from '../nearest';
import { quote } from '../problem';
import { problemAt, specFilesError, type SpecProblem } from './spec-problem';
import { checkText, decodeText, type ReadText } from './read-text';

/** Text that is no file: `name` stands in messages in a file's place, and its ending says whether it is JSON. */
export type SpecText = { readonly text: string; readonly name?: string };

/** A file, a folder of files, or text. */
export type SpecSource = string | SpecText;

/** A file as it was read. Prompt files are looked for in its folder; text has none. */
export type SpecFile = {
  readonly name: string;
  readonly folder?: string;
  readonly content: ReadText;
};

export type SpecFiles = {
  readonly specs: readonly SpecFile[];
  readonly overlays: readonly SpecFile[];
};

const isSpecName = (name: string) => /^[^.].*\.(?:ya?ml|json)$/i.test(name);
const stemOf = (name: string) => name.slice(0, -extname(name).length);

/** What is to be loaded. A folder's files are those right in it; `agents.prod.yaml` beside `agents.yaml` is an overlay. */
export function findSpecFiles(source: SpecSource, overlays: readonly SpecSource[] = []): SpecFiles {
  if (typeof source !== 'string') {
    return {
      specs: [fromText(source)],
      overlays: overlays.flatMap((overlay) => findOverlay(overlay)),
    };
  }
  const stats = statSync(source, { throwIfNoEntry: false });
  if (stats === undefined) throw missing(source);
  const folder = stats.isDirectory() ? source : dirname(source);
  const bases = stats.isDirectory() ? basesIn(source) : [basename(source)];
  const found = overlays.flatMap((overlay) => findOverlay(overlay, { folder, bases }));
  const names = new Set(found.map(({ name }) => resolve(name)));
  const specs = bases
    .map((name) => (stats.isDirectory() ? join(source, name) : source))
    .filter((path) => !names.has(resolve(path)));
  if (specs.length === 0) throw refusal(source, 'has no file that ends with .yaml, .yml or .json');
  return { specs: specs.map((path) => fromFile(path, folder)), overlays: found };
}

/** Reads a file of a spec; what cannot be read is a problem of its own. */
export function fromFile(path: string, folder: string): SpecFile {
  try {
    return { name: path, folder, content: decodeText(readFileSync(path)) };
  } catch (error) {
    const { code = 'unknown' } = error as { readonly code?: string };
    return { name: path, folder, content: { ok: false, message: `cannot be read: ${code}` } };
  }
}

function fromText({ text, name = 'spec.yaml' }: SpecText): SpecFile {
  return { name, content: checkText(text) };
}

type Place = { readonly folder: string; readonly bases: readonly string[] };

/** Text, a file, or the name of an environment: the files of that name beside the specs. */
function findOverlay(overlay: SpecSource, place?: Place): readonly SpecFile[] {
  if (typeof overlay !== 'string') return [fromText(overlay)];
  if (/^[A-Za-z0-9_-]+$/.test(overlay)) return environmentFiles(overlay, place);
  const beside =
    place !== undefined && !isAbsolute(overlay) ? join(place.folder, overlay) : overlay;
  const path = [beside, overlay].find(isFile);
  if (path === undefined) throw missing(overlay, place?.folder);
  return [fromFile(path, dirname(path))];
}

function environmentFiles(name: string, place: Place | undefined): readonly SpecFile[] {
  if (place === undefined) {
    throw refusal(
      name,
      'is the name of an environment, whose files stand beside those of the spec: text has none, pass the overlay as text, too',
    );
  }
  const { folder, bases } = place;
  const found = readdirSync(folder)
    .filter((file) => isSpecName(file) && isOverlayOf(file, name, bases))
    .sort();
  if (found.length > 0) return found.map((file) => fromFile(join(folder, file), folder));
  const expected = `${stemOf(bases[0] ?? 'agents.yaml')}.${name}.yaml`;
  throw refusal(
    name,
    `is an environment without overlays: there is no file such as ${quote(expected)} in ${quote(folder)}`,
  );
}

function isOverlayOf(file: string, environment: string, bases: readonly string[]): boolean {
  return bases.some((base) => stemOf(file) === `${stemOf(base)}.${environment}`);
}

function basesIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter(
    (name) => isSpecName(name) && isFile(join(folder, name)),
  );
  const stems = new Set(names.map(stemOf));
  return names
    .filter((name) => !stems.has(stemOf(stemOf(name))) || !stemOf(name).includes('.'))
    .sort();
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function missing(path: string, folder = dirname(path)) {
  if (path.includes('\n')) return refusal('source', 'is text: pass it as {text}');
  const names = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(folder)
    : [];
  return refusal(path, `is no file or folder${didYouMean(basename(path), names)}`);
}

function refusal(file: string, message: string) {
  const problem: SpecProblem = problemAt({ file, line: 1, column: 1 }, '', message);
  return specFilesError([problem]);
}
