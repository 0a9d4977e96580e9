import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(__dirname, '../../..');

export type Page = {
  /** From the root of the repository, with slashes. */ readonly path: string;
  readonly text: string;
};

/** A fenced `ts` block. `given` is TypeScript in a comment before it that readers do not see: names the block leaves out. */
export type Snippet = {
  readonly page: string;
  /** Of the block's first line of code, counted from 1. */
  readonly line: number;
  readonly given: string;
  readonly code: string;
  /** From a first line `// file: name.ts`: other blocks of the page may import it. */
  readonly file: string | undefined;
};

export type Link = { readonly page: string; readonly line: number; readonly target: string };

const folders = ['docs', 'examples'];

/** Every page a reader may open: those at the root, in docs/ and in examples/. */
export function readPages(): readonly Page[] {
  const nested = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  );
  return [...readdirSync(root), ...nested]
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules/'))
    .sort()
    .map(readPage);
}

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

export function snippetsOf({ path, text }: Page): readonly Snippet[] {
  const block =
    /(?:^<!-- ts\n(?<given>[\s\S]*?)^-->\n\s*)?^(?<indent> *)```ts\n(?<code>[\s\S]*?)^ *```$/gm;
  return [...text.matchAll(block)].map((match) => {
    const { given = '', indent = '', code = '' } = match.groups ?? {};
    const start = match.index + match[0].lastIndexOf('```ts');
    const own = code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const line = lineAt(text, start) + 1;
    return { page: path, line, given, code: own, file: /^\/\/ file: (\S+)/.exec(own)?.[1] };
  });
}

/** Links and images within the repository; what stands in code is none. */
export function linksOf({ path, text }: Page): readonly Link[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, blank).replaceAll(/`[^`\n]*`/g, blank);
  const found = [...prose.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)|\bsrc="([^"]+)"/g)];
  return found
    .map((match) => ({
      page: path,
      line: lineAt(prose, match.index),
      target: match[1] ?? match[2] ?? '',
    }))
    .filter(({ target }) => !/^[a-z]+:/i.test(target));
}

/** What `#` links of a page may name, as GitHub makes them. */
export function anchorsOf({ text }: Page): readonly string[] {
  const headings = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
}

/** The rows of the tables of a page that start with inline code, as that code and the text of the other cells. */
export function codeRowsOf({ text }: Page): ReadonlyMap<string, readonly string[]> {
  const rows = [...text.matchAll(/^\| *`([^`]+)` *\|(.*)\|$/gm)];
  return new Map(
    rows.map(([, code = '', cells = '']) => [code, cells.split('|').map((cell) => cell.trim())]),
  );
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Keeps lines where they are. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
