// Pure: compares the page of the cookbook with the files of its recipes; no server. test/e2e/cookbook.test.ts runs them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPage, root, snippetsOf } from '../docs/markdown';

const folder = 'examples/cookbook';
const { path, text } = readPage(`${folder}/README.md`);

/** Each recipe is a section of the page, which links its files. */
const recipes = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split('\n', 1)[0],
    snippets: snippetsOf({ path, text: section }),
    files: [...section.matchAll(/\]\(([\w.-]+ts)\)/g)].map(([, file = '']) => file),
  }));

describe('the page of the cookbook', () => {
  it.each(recipes)('$title: the code is that of its file', ({ snippets, files }) => {
    const code = files.map((file) => readFileSync(join(root, folder, file), 'utf8')).join('\n');
    expect(snippets.length).toBeGreaterThan(0);
    for (const snippet of snippets) expect(code).toContain(snippet.code);
  });

  it('has all recipes, each short', () => {
    const files = recipes.flatMap((recipe) => recipe.files);
    const all = readdirSync(join(root, folder)).filter((file) => file.endsWith('ts'));
    expect(files.toSorted()).toEqual(all.filter((file) => file !== 'demo.mts').toSorted());
    const long = files.filter(
      (file) => readFileSync(join(root, folder, file), 'utf8').split('\n').length > 61,
    );
    expect(long).toEqual([]);
  });
});
