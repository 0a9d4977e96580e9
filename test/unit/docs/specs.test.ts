// Pure: compares the tables of docs/specs.md with what specs are checked against; no server.
import type { JsonSchema } from '../../../src/base/json';
import {
  formatDefinitions,
  formatSchema,
  promptFileSchema,
} from '../../../src/spec/yaml/format-schema';
import { fieldPaths } from '../spec/yaml/field-paths';
import { codeRowsOf, readPage } from './markdown';

const page = readPage('docs/specs.md');

function sectionOf(heading: string): typeof page {
  const [, section = ''] = page.text.split(`\n${heading}\n`);
  return { ...page, text: section.split(/^#+ /m, 1)[0] ?? '' };
}

describe('docs/specs.md', () => {
  it.each<[string, JsonSchema]>([
    ['### File', formatSchema],
    ['### Agent', formatDefinitions.agent as JsonSchema],
    ['### Sequential', formatDefinitions.sequential as JsonSchema],
    ['### Parallel', formatDefinitions.parallel as JsonSchema],
    ['### Graph', formatDefinitions.graph as JsonSchema],
    ['## Prompt files', promptFileSchema],
  ])('has a row for each field, with its other spellings: %s', (heading, schema) => {
    const documented = [...codeRowsOf(sectionOf(heading))].map(([field, [spellings = '']]) => [
      field,
      [...spellings.matchAll(/`([^`]+)`/g)].map(([, spelling]) => spelling),
    ]);
    expect(documented).toEqual(fieldPaths(schema));
  });
});
