import {
  toExcerpt,
  toListing,
  toSearch,
  type Excerpt,
  type Listing,
  type Search,
} from './tool-results.mts';

export type Call = { readonly name: string; readonly args: { readonly [key: string]: unknown } };
export type PastCall = Call & { readonly result: string };
export type Turn = { readonly text: string; readonly calls: readonly Call[] };

const searched = 'export ';

/**
 * What the scripted model says next: look around, ask which part, search and read it, answer. All it says it takes from the
 * results of its tools.
 */
export function nextTurn(past: readonly PastCall[]): Turn {
  const listings = resultsOf(past, 'list_files').map(toListing);
  const [root, largest] = listings;
  if (root === undefined) return calls('Let me see what is here.', list('.'));
  const question = past.find(({ name }) => name === 'ask_user');
  if (question === undefined) {
    const [folder] = byCount(root.folders);
    return calls(
      '',
      largest === undefined && folder !== undefined ? list(folder) : ask(root, largest),
    );
  }
  const part = chosenPart(question, listings);
  const isFile = listings.some(({ files }) => files.includes(part));
  const [search] = resultsOf(past, 'search_text').map(toSearch);
  if (search === undefined && !isFile) {
    return calls('', list(part), { name: 'search_text', args: { text: searched, folder: part } });
  }
  const listing = isFile ? undefined : listings.at(-1);
  const read = resultsOf(past, 'read_file').map(toExcerpt);
  const paths = isFile ? [part] : worthReading(listing, search);
  if (read.length === 0 && paths.length > 0) return calls('', ...paths.map(readHead));
  return { text: summary(part, { listing, search, read }), calls: [] };
}

function resultsOf(past: readonly PastCall[], tool: string): string[] {
  return past.filter(({ name }) => name === tool).map(({ result }) => result);
}

function calls(text: string, ...made: Call[]): Turn {
  return { text, calls: made };
}

function list(folder: string): Call {
  return { name: 'list_files', args: { folder } };
}

function readHead(path: string): Call {
  return { name: 'read_file', args: { path, lines: 60 } };
}

function ask(root: Listing, largest: Listing | undefined): Call {
  const parts = byCount(largest?.folders ?? {}).slice(0, 3);
  const isText = (path: string): boolean => /^[^.].*\.md$/.test(path);
  const texts = root.files.filter(isText).sort((path) => (/^readme/i.test(path) ? -1 : 0));
  const options = [...new Set([...parts, ...texts, ...root.files])].slice(0, 4);
  const question = `There are ${fileCount(root)} files here. Which part shall I look at?`;
  return { name: 'ask_user', args: { question, options } };
}

/** The longest path that was answered, else the first one the question offered. */
function chosenPart({ args, result }: PastCall, listings: readonly Listing[]): string {
  const known = listings.flatMap(({ files, folders }) => [...files, ...Object.keys(folders)]);
  const named = known.filter((path) => result.includes(path));
  const [longest] = named.sort((left, right) => right.length - left.length);
  return longest ?? (args['options'] as string[])[0] ?? '.';
}

/** A README, then the files with most finds, then whatever there is. */
function worthReading(listing: Listing | undefined, search: Search | undefined): string[] {
  const finds: Record<string, number> = {};
  for (const { path } of search?.matches ?? []) finds[path] = (finds[path] ?? 0) + 1;
  const files = listing?.files ?? [];
  const readme = files.filter((path) => /readme/i.test(path));
  return [...new Set([...readme, ...byCount(finds), ...files])].slice(0, 3);
}

type Findings = {
  readonly listing: Listing | undefined;
  readonly search: Search | undefined;
  readonly read: readonly Excerpt[];
};

function summary(part: string, { listing, search, read }: Findings): string {
  const title = listing && ` holds ${fileCount(listing)} files. I read ${read.length} of them:`;
  const [first] = search?.matches ?? [];
  const files = read.map(
    ({ path, lineCount, lines }) => `- \`${path}\` (${lineCount} lines): “${opening(lines)}”`,
  );
  const found =
    search && first
      ? `\n\`${searched.trim()}\` stands in ${search.title}, first in line ${first.line} of \`${first.path}\`.`
      : '';
  return `**${part}**${title ?? ''}\n\n${files.join('\n')}\n${found}`.trimEnd();
}

/** The first heading or comment, else the first line. */
function opening(lines: readonly string[]): string {
  const trimmed = lines.map((line) => line.trim());
  const marked = trimmed.find((line) => /^(?:#+ |\/\/ |\/\*\* |\* )\S/.test(line));
  const line = marked ?? trimmed.find(Boolean) ?? '';
  return line.replace(/^(?:#+|\/\/|\/?\*+)\s*|\s*\*\/$/g, '').slice(0, 100);
}

function byCount(counts: Readonly<Record<string, number>>): string[] {
  return Object.keys(counts).sort((left, right) => (counts[right] ?? 0) - (counts[left] ?? 0));
}

function fileCount({ files, folders }: Listing): number {
  return Object.values(folders).reduce((sum, count) => sum + count, files.length);
}
