import { rm } from 'node:fs/promises';
import { shared } from './servers';

/** Stops what the first set-up started, once the last user is done. */
export default async function globalTeardown(): Promise<void> {
  shared.users -= 1;
  if (shared.users > 0) return;
  await shared.devServer?.stop();
  if (shared.folder !== undefined) await rm(shared.folder, { recursive: true, force: true });
}
