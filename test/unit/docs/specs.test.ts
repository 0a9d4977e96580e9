// Pure: compares the tables of docs/specs.md with what specs are checked against; no server.
import { fileSchemas } from '../../../src/define/files/published';
import { fieldPaths } from '../define/files/field-paths';
import { codeRowsOf, readPage } from './markdown';

const page = readPage('docs/specs.md');

function sectionOf(heading: string): typeof page {
  const [, section = ''] = page.text.split(`\n${heading}\n`);
  return { ...page, text: section.split(/^#+ /m, 1)[0] ?? '' };
}

describe('docs/specs.md', () => {
  it.each([
    ['### File', 'document'],
    ['### Agent', 'agent'],
    ['### Sequential', 'sequential'],
    ['### Parallel', 'parallel'],
    ['### Graph', 'graph'],
    ['## Prompt files', 'prompt'],
  ])('has a row for each field, with its other spellings: %s', (heading, name) => {
    const documented = [...codeRowsOf(sectionOf(heading))].map(([field, [spellings = '']]) => [
      field,
      [...spellings.matchAll(/`([^`]+)`/g)].map(([, spelling]) => spelling),
    ]);
    expect(documented).toEqual(fieldPaths(fileSchemas()[name] ?? {}));
  });
});
