// Pure: compares the tables of options in the docs with the schemas; no server. `npm run docs` writes them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPages, root } from './markdown';
import { withTables } from './option-tables';

const pages = readPages().filter(({ text }) => /^<!-- (?:options|fields) of /m.test(text));

describe('tables of options', () => {
  it.each(pages)('$path has what the schemas say: `npm run docs` writes it', (page) => {
    const text = withTables(page);
    if (process.env['WRITE_DOCS'] === '1') writeFileSync(join(root, page.path), text);
    else expect(page.text).toBe(text);
  });

  it('stand on every page that lists options', () => {
    const paths = pages.map(({ path }) => path);
    expect(paths).toEqual([
      'docs/agents.md',
      'docs/orchestration.md',
      'docs/specs.md',
      'docs/tools.md',
    ]);
  });
});
