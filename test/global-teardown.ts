import { rm } from 'node:fs/promises';
import { shared } from './servers';

/** Stops what the set-up started. Jest calls this once, after all tests. */
export default async function globalTeardown(): Promise<void> {
  await shared.devServer?.stop();
  if (shared.folder !== undefined) await rm(shared.folder, { recursive: true, force: true });
}
