import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';

/** The files of the page, by path. They are never written to the disk. */
export type Page = ReadonlyMap<
  string,
  { readonly type: string; readonly content: string | Uint8Array }
>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

export async function buildPage(): Promise<Page> {
  const root = fileURLToPath(new URL('page', import.meta.url));
  const built = await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: { write: false },
  });
  const { output } = built as Rolldown.RolldownOutput;
  return new Map(
    output.map((file) => {
      const content = file.type === 'chunk' ? file.code : file.source;
      const type = types[extname(file.fileName)] ?? 'application/octet-stream';
      return [`/${file.fileName}`, { type, content }];
    }),
  );
}
