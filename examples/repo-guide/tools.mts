import { defineTool, type Tool } from 'longhaul';
import { z } from 'zod';
import { Folder } from './folder.mts';

const mostEntries = 200;
const mostLines = 400;
const mostMatches = 40;
const longestLine = 240;

/**
 * Three tools that read one folder and nothing else. Their results are text whose first line says what it is: good for a model,
 * and for the people who look at the run. Reading twice is harmless, so a lost call is simply made again.
 */
export function folderTools(root: string): readonly Tool[] {
  const folder = new Folder(root);
  return [listFiles(folder), readFile(folder), searchText(folder)];
}

function listFiles(folder: Folder) {
  return defineTool({
    name: 'list_files',
    description: 'Lists a folder: its files, and its folders with the number of files below them.',
    effect: 'read',
    inputSchema: z.object({
      folder: z.string().default('.').describe('Relative path; "." is the whole folder.'),
    }),
    execute: async ({ folder: path }) => {
      const entries = await folder.list(path);
      const files = entries.filter(({ isFolder }) => !isFolder).map((entry) => entry.path);
      const folders = entries.filter(({ isFolder }) => isFolder).map((entry) => entry.path);
      const shown = files.slice(0, mostEntries);
      for (const name of folders.slice(0, mostEntries)) {
        shown.push(`${name}/ (${counted(await countFiles(folder, name), 'file')})`);
      }
      const left = entries.length - shown.length;
      if (left > 0) shown.push(`… and ${left} more`);
      return [
        `${path}: ${counted(files.length, 'file')}, ${counted(folders.length, 'folder')}`,
        ...shown,
      ].join('\n');
    },
  });
}

async function countFiles(folder: Folder, path: string): Promise<number> {
  const files = folder.files(path);
  let count = 0;
  while ((await files.next()).done !== true) count += 1;
  return count;
}

function readFile(folder: Folder) {
  return defineTool({
    name: 'read_file',
    description: `Reads a text file, at most ${mostLines} lines at a time.`,
    effect: 'read',
    inputSchema: z.object({
      path: z.string(),
      from: z.int().min(1).default(1).describe('First line, counted from 1.'),
      lines: z.int().min(1).max(mostLines).default(120),
    }),
    execute: async ({ path, from, lines }) => {
      const text = await folder.read(path);
      if (text === '') return `${path} is empty`;
      const all = text.replace(/\n$/, '').split('\n');
      if (from > all.length) return `${path} has ${counted(all.length, 'line')}`;
      const shown = all.slice(from - 1, from - 1 + lines).map(clip);
      const last = Math.min(all.length, from - 1 + lines);
      return [`${path}, lines ${from}-${last} of ${all.length}`, ...shown].join('\n');
    },
  });
}

function searchText(folder: Folder) {
  return defineTool({
    name: 'search_text',
    description:
      'Finds the lines that contain a text (not a pattern), in all files below a folder.',
    effect: 'read',
    inputSchema: z.object({
      text: z.string().min(2).max(200),
      folder: z.string().default('.'),
    }),
    execute: async ({ text, folder: path }, { signal }) => {
      const matches: string[] = [];
      let [lineCount, fileCount] = [0, 0];
      for await (const file of folder.files(path)) {
        signal.throwIfAborted();
        const found = linesWith(text, await folder.read(file).catch(() => ''));
        if (found.length > 0) fileCount += 1;
        lineCount += found.length;
        matches.push(
          ...found.slice(0, mostMatches - matches.length).map((line) => `${file}:${line}`),
        );
      }
      return [`${counted(lineCount, 'line')} in ${counted(fileCount, 'file')}`, ...matches].join(
        '\n',
      );
    },
  });
}

/** `12: the line`, for every line that contains the text. */
function linesWith(text: string, content: string): string[] {
  if (!content.includes(text)) return [];
  return content
    .split('\n')
    .flatMap((line, index) => (line.includes(text) ? [`${index + 1}: ${clip(line.trim())}`] : []));
}

function clip(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
