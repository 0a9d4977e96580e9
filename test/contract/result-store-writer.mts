// A process that puts large contents into FileResults until it is killed. It runs the sources, whose imports have no extensions.

import { createHash, randomBytes } from 'node:crypto';
import { registerHooks } from 'node:module';
import type * as Files from '../../src/stores/results/file-results.ts';

registerHooks({
  resolve: (specifier, context, next) =>
    next(/^\.\.?\/(?:.*\/)?[\w-]+$/.test(specifier) ? `${specifier}.ts` : specifier, context),
});

const { FileResults } = (await import(
  new URL('../../src/stores/results/file-results.ts', import.meta.url).href
)) as typeof Files;

const store = new FileResults({ folder: process.argv[2] ?? '' });
process.stdout.write('ready\n');
for (;;) {
  const bytes = randomBytes(4 * 1024 * 1024);
  const digest = createHash('sha256').update(bytes).digest('hex');
  await store.put({ scope: 'killed', digest }, bytes);
}
