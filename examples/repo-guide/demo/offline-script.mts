import {
  answer,
  calls,
  resultsOf,
  type Call,
  type Conversation,
  type PastCall,
  type Turn,
} from '../../shared/script.mts';
import { aboutFile, aboutFolder } from './offline-answer.mts';
import {
  fileCount,
  toExcerpt,
  toListing,
  toSearch,
  type Listing,
  type Search,
} from './tool-results.mts';

const searched = 'export ';

/**
 * What the scripted model says next: look around, ask which part, search and read it, answer. All it says it takes from the
 * results of its tools.
 */
export function nextTurn({ past }: Conversation): Turn {
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
  const read = resultsOf(past, 'read_file').map(toExcerpt);
  if (listings.some(({ files }) => files.includes(part))) {
    const [excerpt] = read;
    return excerpt === undefined ? calls('', readHead(part)) : answer(aboutFile(excerpt));
  }
  const [search] = resultsOf(past, 'search_text').map(toSearch);
  const listing = listings.at(-1);
  if (search === undefined || listing === undefined) {
    return calls('', list(part), { name: 'search_text', args: { text: searched, folder: part } });
  }
  const paths = worthReading(listing, search);
  if (read.length === 0 && paths.length > 0) return calls('', ...paths.map(readHead));
  return answer(aboutFolder({ part, listing, search, searched, read }));
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
  const readme = root.files.filter(isReadme);
  const texts = root.files.filter(isText);
  const options = [...new Set([...parts, ...readme, ...texts, ...root.files])].slice(0, 4);
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
function worthReading({ files }: Listing, search: Search): string[] {
  const finds: Record<string, number> = {};
  for (const { path } of search.matches) finds[path] = (finds[path] ?? 0) + 1;
  return [...new Set([...files.filter(isReadme), ...byCount(finds), ...files])].slice(0, 3);
}

function byCount(counts: Readonly<Record<string, number>>): string[] {
  return Object.keys(counts).sort((left, right) => (counts[right] ?? 0) - (counts[left] ?? 0));
}

function isReadme(path: string): boolean {
  return /(?:^|\/)readme[^/]*$/i.test(path);
}
