// The Temporal CLI, but its server suggests to continue as new soon.
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Events of one execution. */
const suggestedAt = 80;

export async function impatientCli(folder: string): Promise<string> {
  const module = resolve(import.meta.dirname, '../../dist/server/dev-server.js');
  const { findTemporalCli } = (await import(module)) as {
    readonly findTemporalCli: () => Promise<{ readonly path: string }>;
  };
  const { path } = await findTemporalCli();
  const setting = `limit.historyCount.suggestContinueAsNew=${suggestedAt}`;
  const wrapper = join(folder, 'temporal');
  await writeFile(wrapper, `#!/bin/sh\nexec '${path}' "$@" --dynamic-config-value ${setting}\n`);
  await chmod(wrapper, 0o755);
  return wrapper;
}
