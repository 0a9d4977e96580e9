// A process that puts large contents into FileResults until it is killed.

import { createHash, randomBytes } from 'node:crypto';
import '../run-sources.mts';
import type * as Files from '../../src/stores/results/file-results.ts';

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
