import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { didYouMean } from '../../base/nearest';
import { quote } from '../../base/problem';
import { problemAt, specFilesError, type SpecProblem } from './spec-problem';
import { checkText, readText, type ReadText } from './read-text';

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

/**
 * What is to be loaded, each file once. A folder's files are those right in it; `agents.prod.yaml` beside `agents.yaml` is an
 * overlay.
 */
export function findSpecFiles(
  source: SpecSource | readonly SpecSource[],
  overlays: readonly SpecSource[] = [],
): SpecFiles {
  const sources = (Array.isArray(source) ? source : [source]) as readonly SpecSource[];
  const places = sources.flatMap((one) => (typeof one === 'string' ? [placeOf(one)] : []));
  const found = overlays.flatMap((overlay) => findOverlay(overlay, places));
  const taken = new Set(found.map(({ name }) => resolve(name)));
  let next = 0;
  const specs = sources.flatMap((one) => {
    const place = typeof one === 'string' ? places[next++] : undefined;
    return place === undefined ? [fromText(one as SpecText)] : filesOf(place, taken);
  });
  return { specs, overlays: found };
}

/** A folder, and the names of the specs that are taken from it. */
type Place = {
  readonly source: string;
  readonly folder: string;
  readonly bases: readonly string[];
};

function placeOf(source: string): Place {
  const stats = statSync(source, { throwIfNoEntry: false });
  if (stats === undefined) throw missing(source, dirname(source));
  return stats.isDirectory()
    ? { source, folder: source, bases: basesIn(source) }
    : { source, folder: dirname(source), bases: [basename(source)] };
}

/** `taken`: paths of what was read already, to which these are added. */
function filesOf({ source, folder, bases }: Place, taken: Set<string>): readonly SpecFile[] {
  const paths = bases.map((name) => (source === folder ? join(folder, name) : source));
  const own = paths.filter((path) => !taken.has(resolve(path)));
  if (paths.length === 0 || (own.length === 0 && taken.size === 0)) {
    throw refusal(source, 'has no file that ends with .yaml, .yml or .json');
  }
  for (const path of own) taken.add(resolve(path));
  return own.map((path) => fromFile(path, folder));
}

/** Reads a file of a spec; what cannot be read is a problem of its own. */
export function fromFile(path: string, folder: string): SpecFile {
  try {
    return { name: path, folder, content: readText(path) };
  } catch (error) {
    const { code = 'unknown' } = error as { readonly code?: string };
    return { name: path, folder, content: { ok: false, message: `cannot be read: ${code}` } };
  }
}

function fromText({ text, name = 'spec.yaml' }: SpecText): SpecFile {
  return { name, content: checkText(text) };
}

/** Text, a file, or the name of an environment: the files of that name beside the specs. */
function findOverlay(overlay: SpecSource, places: readonly Place[]): readonly SpecFile[] {
  if (typeof overlay !== 'string') return [fromText(overlay)];
  if (/^[A-Za-z0-9_-]+$/.test(overlay)) return environmentFiles(overlay, places);
  const beside = isAbsolute(overlay) ? [] : places.map(({ folder }) => join(folder, overlay));
  const path = [...beside, overlay].find(isFile);
  if (path === undefined) throw missing(overlay, places[0]?.folder ?? dirname(overlay));
  return [fromFile(path, dirname(path))];
}

function environmentFiles(name: string, places: readonly Place[]): readonly SpecFile[] {
  const [first] = places;
  if (first === undefined) {
    throw refusal(
      name,
      'is the name of an environment, whose files stand beside those of the spec: text has none, pass the overlay as text, too',
    );
  }
  const found = places.flatMap(({ folder, bases }) =>
    readdirSync(folder)
      .filter((file) => isSpecName(file) && isOverlayOf(file, name, bases))
      .sort()
      .map((file) => fromFile(join(folder, file), folder)),
  );
  if (found.length > 0) return found;
  const expected = `${stemOf(first.bases[0] ?? 'agents.yaml')}.${name}.yaml`;
  throw refusal(
    name,
    `is an environment without overlays: there is no file such as ${quote(expected)} in ${quote(first.folder)}`,
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

function missing(path: string, folder: string) {
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
