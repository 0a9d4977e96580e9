import { defineTool, type Tool } from 'longhaul';
import { z } from 'zod';
import { Folder } from './folder.mts';

const mostEntries = 200;
const mostLines = 400;
const mostMatches = 40;
const longestLine = 240;

/** Three tools that read one folder and nothing else. Reading twice is harmless, so a lost call is simply made again. */
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
      const shown = entries.slice(0, mostEntries);
      const folders: Record<string, number> = {};
      for (const entry of shown.filter(({ isFolder }) => isFolder)) {
        folders[entry.path] = await countFiles(folder, entry.path);
      }
      const files = shown.filter(({ isFolder }) => !isFolder).map((entry) => entry.path);
      const left = entries.length - shown.length;
      return { files, folders, ...(left > 0 && { notShown: left }) };
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
      const all = (await folder.read(path)).replace(/\n$/, '').split('\n');
      const shown = all.slice(from - 1, from - 1 + lines).map(clip);
      return { path, lineCount: all.length, from, text: shown.join('\n') };
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
      const matches: { path: string; line: number; text: string }[] = [];
      let [lineCount, fileCount] = [0, 0];
      for await (const file of folder.files(path)) {
        signal.throwIfAborted();
        const found = linesWith(text, await folder.read(file).catch(() => ''));
        if (found.length > 0) fileCount += 1;
        lineCount += found.length;
        matches.push(
          ...found.slice(0, mostMatches - matches.length).map((m) => ({ path: file, ...m })),
        );
      }
      return { lineCount, fileCount, matches };
    },
  });
}

function linesWith(text: string, content: string): { line: number; text: string }[] {
  if (!content.includes(text)) return [];
  return content
    .split('\n')
    .flatMap((line, index) =>
      line.includes(text) ? [{ line: index + 1, text: clip(line.trim()) }] : [],
    );
}

function clip(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
