// What the tools' texts say, for the script.

export type Listing = {
  readonly files: readonly string[];
  /** How many files are below each. */
  readonly folders: Readonly<Record<string, number>>;
};

export type Match = { readonly path: string; readonly line: string };
export type Search = { readonly title: string; readonly matches: readonly Match[] };
export type Excerpt = {
  readonly path: string;
  readonly lineCount: string;
  readonly lines: readonly string[];
};

export function toListing(text: string): Listing {
  const entries = text.split('\n').slice(1);
  const folders = entries.flatMap((entry) => {
    const [, path, count] = /^(.+)\/ \((\d+) files?\)$/.exec(entry) ?? [];
    return path === undefined ? [] : [[path, Number(count)] as const];
  });
  const files = entries.filter((entry) => !entry.endsWith(')') && !entry.startsWith('…'));
  return { files, folders: Object.fromEntries(folders) };
}

export function toSearch(text: string): Search {
  const [title = '', ...lines] = text.split('\n');
  const matches = lines.flatMap((entry) => {
    const [, path, line] = /^(.+?):(\d+): /.exec(entry) ?? [];
    return path === undefined || line === undefined ? [] : [{ path, line }];
  });
  return { title, matches };
}

export function toExcerpt(text: string): Excerpt {
  const [title = '', ...lines] = text.split('\n');
  const [, path = '', lineCount = '0'] = /^(.*), lines .* of (\d+)$/.exec(title) ?? [];
  return { path, lineCount, lines };
}

/** Of the folder and all below it. */
export function fileCount({ files, folders }: Listing): number {
  return Object.values(folders).reduce((sum, count) => sum + count, files.length);
}
