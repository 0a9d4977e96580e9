export type Call = { readonly name: string; readonly args: { readonly [key: string]: unknown } };
export type PastCall = Call & { readonly result: unknown };
export type Turn = { readonly text: string; readonly calls: readonly Call[] };

type Listing = {
  readonly files: readonly string[];
  readonly folders: Readonly<Record<string, number>>;
};
type Match = { readonly path: string; readonly line: number; readonly text: string };
type Found = {
  readonly lineCount: number;
  readonly fileCount: number;
  readonly matches: readonly Match[];
};
type FileText = { readonly path: string; readonly lineCount: number; readonly text: string };

const searched = 'export ';

/**
 * What the scripted model says next: look around, ask which part, search and read it, answer. All it says it takes from the
 * results of its tools.
 */
export function nextTurn(past: readonly PastCall[]): Turn {
  const listings = resultsOf<Listing>(past, 'list_files');
  const [root, largest] = listings;
  if (root === undefined) return calls('Let me see what is here.', list('.'));
  const answer = past.find(({ name }) => name === 'ask_user');
  if (answer === undefined) {
    const folder = largestOf(root.folders);
    if (largest === undefined && folder !== undefined) return calls('', list(folder));
    return calls('', ask(root, largest));
  }
  const part = chosenPart(answer, listings);
  const isFile = listings.some(({ files }) => files.includes(part));
  const found = resultsOf<Found>(past, 'search_text')[0];
  if (found === undefined && !isFile) {
    return calls('', list(part), { name: 'search_text', args: { text: searched, folder: part } });
  }
  const read = resultsOf<FileText>(past, 'read_file');
  if (read.length === 0) {
    const paths = isFile ? [part] : worthReading(listings.at(-1), found);
    if (paths.length > 0) return calls('', ...paths.map(readHead));
  }
  return {
    text: summary(part, { listing: isFile ? undefined : listings.at(-1), found, read }),
    calls: [],
  };
}

function resultsOf<Result>(past: readonly PastCall[], tool: string): Result[] {
  const results = past.filter(({ name }) => name === tool).map(({ result }) => result);
  return results.filter((result) => typeof result === 'object') as Result[];
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
  const texts = root.files
    .filter((path) => /^(?!\.).*\.md$/.test(path))
    .sort((path) => (/^readme/i.test(path) ? -1 : 0));
  const options = [...parts, ...texts, ...root.files].slice(0, 4);
  const count = root.files.length + Object.values(root.folders).reduce((sum, n) => sum + n, 0);
  const question = `There are ${count} files here. Which part shall I look at?`;
  return { name: 'ask_user', args: { question, options: [...new Set(options)] } };
}

/** The path that was answered, else the first one the question offered. */
function chosenPart({ args, result }: PastCall, listings: readonly Listing[]): string {
  const known = listings.flatMap(({ files, folders }) => [...files, ...Object.keys(folders)]);
  const said = String(result);
  const named = known.filter((path) => said.includes(path)).sort((a, b) => b.length - a.length);
  return named[0] ?? (args['options'] as string[])[0] ?? '.';
}

/** A README, then the files with most finds, then whatever there is. */
function worthReading(listing: Listing | undefined, found: Found | undefined): string[] {
  const counts: Record<string, number> = {};
  for (const { path } of found?.matches ?? []) counts[path] = (counts[path] ?? 0) + 1;
  const files = listing?.files ?? [];
  const readme = files.filter((path) => /readme/i.test(path));
  return [...new Set([...readme, ...byCount(counts), ...files])].slice(0, 3);
}

function summary(
  part: string,
  {
    listing,
    found,
    read,
  }: { listing: Listing | undefined; found: Found | undefined; read: readonly FileText[] },
): string {
  const below = listing === undefined ? 0 : listing.files.length + total(listing.folders);
  const [first] = found?.matches ?? [];
  const lines = [
    listing === undefined
      ? `**${part}**`
      : `**${part}** holds ${below} files. I read ${read.length} of them:`,
    ...read.map(
      ({ path, lineCount, text }) => `- \`${path}\` (${lineCount} lines): ${opening(text)}`,
    ),
  ];
  if (found !== undefined && first !== undefined) {
    lines.push(
      `${found.lineCount} lines in ${found.fileCount} files say \`${searched.trim()}\`; the first is line ${first.line} of \`${first.path}\`.`,
    );
  }
  return lines.join('\n');
}

/** The first heading or comment of a text, else its first line. */
function opening(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const marked =
    lines.find((line) => /^(?:#+ |\/\/ |\/\*\* |\* )\S/.test(line)) ?? lines.find(Boolean);
  return `“${(marked ?? '').replace(/^(?:#+|\/\/|\/?\*+)\s*|\s*\*\/$/g, '').slice(0, 100)}”`;
}

function byCount(counts: Readonly<Record<string, number>>): string[] {
  return Object.keys(counts).sort((left, right) => (counts[right] ?? 0) - (counts[left] ?? 0));
}

function largestOf(folders: Readonly<Record<string, number>>): string | undefined {
  return byCount(folders)[0];
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
