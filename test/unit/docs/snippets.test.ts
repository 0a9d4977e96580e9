// Pure: reads the pages of the repository and type-checks their code; no server.

import { readPages, snippetsOf, type Page } from './markdown';
import { typeErrors } from './snippet-program';

const minute = 60_000;

const wrongPage: Page = {
  path: 'docs/wrong.md',
  text: [
    '# Page',
    '```ts',
    '// file: agent.ts',
    "import { defineAgent } from 'longhaul';",
    "export const agent = defineAgent({ id: 'a', model: 'openai/gpt-5-mini' });",
    '```',
    '',
    '<!-- ts',
    "import type { RunHandle } from 'longhaul/client';",
    'declare const run: RunHandle;',
    '-->',
    '',
    '```ts',
    "import { agent } from './agent.ts';",
    'await run.resume(agent.id);',
    'await run.resme(agent.id);',
    '```',
  ].join('\n'),
};

describe('the TypeScript of the docs', () => {
  const snippets = readPages()
    // The code of the cookbook is parts of its files: test/unit/examples/cookbook.test.ts.
    .filter(({ path }) => /^(?:README\.md|docs\/|examples\/(?!cookbook\/))/.test(path))
    .flatMap(snippetsOf);
  let errors: readonly string[] = [];

  beforeAll(() => {
    errors = typeErrors([...snippets, ...snippetsOf(wrongPage)]);
  }, 3 * minute);

  it('compiles against the package', () => {
    expect(snippets.length).toBeGreaterThan(20);
    expect(errors.filter((error) => !error.startsWith(wrongPage.path))).toEqual([]);
  });

  it('is refused with its place in the page when it is wrong', () => {
    expect(errors.filter((error) => error.startsWith(wrongPage.path))).toEqual([
      "docs/wrong.md:16: Property 'resme' does not exist on type 'RunHandle<RunTypes>'. Did you mean 'resume'?",
    ]);
  });
});
