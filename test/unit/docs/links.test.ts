// Pure: reads the pages of the repository; no server.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anchorsOf, linksOf, readPage, readPages, root, type Link } from './markdown';

/** What is wrong with a link, if anything is. */
function problemOf({ page, line, target }: Link): string[] {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? page : join(dirname(page), file);
  if (!existsSync(join(root, path))) return [`${page}:${line}: there is no ${target}`];
  if (anchor === undefined || !path.endsWith('.md')) return [];
  if (anchorsOf(readPage(path)).includes(anchor)) return [];
  return [`${page}:${line}: ${path} has no heading #${anchor}`];
}

describe('links and images in the docs', () => {
  it('point at files and headings that exist', () => {
    expect(readPages().flatMap(linksOf).flatMap(problemOf)).toEqual([]);
  });

  it('are reported with their place when they do not', () => {
    const text = [
      '# Title',
      '[a](README.md) `[no](link.md)`',
      '![b](docs/none.png) [c](#titel)',
    ].join('\n');
    expect(linksOf({ path: 'README.md', text }).flatMap(problemOf)).toEqual([
      'README.md:3: there is no docs/none.png',
      'README.md:3: README.md has no heading #titel',
    ]);
  });

  it('lead to every page of docs/ from its index, and to the index from the README', () => {
    const linkedFrom = (path: string): string[] =>
      linksOf(readPage(path)).map(({ target }) => join(dirname(path), target.split('#')[0] ?? ''));
    const index = 'docs/index.md';
    const linked = [...linkedFrom(index), index];
    const pages = readPages().filter(({ path }) => /^docs\/(?!adr\/).+\.md$/.test(path));
    expect(pages.map(({ path }) => path).filter((path) => !linked.includes(path))).toEqual([]);
    expect(linkedFrom('README.md')).toContain(index);
  });
});
