// The Temporal CLI, but its server suggests to continue as new soon. For scripts that run after a build.
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Writes it into the folder. `events`: how long a history is when the server suggests it. Returns the path of the executable. */
export async function impatientCli(folder: string, events: number): Promise<string> {
  const module = resolve(import.meta.dirname, '../dist/server/dev/dev-server.js');
  const { findTemporalCli } = (await import(module)) as {
    readonly findTemporalCli: () => Promise<string>;
  };
  const path = await findTemporalCli();
  const setting = `limit.historyCount.suggestContinueAsNew=${events}`;
  const wrapper = join(folder, 'temporal');
  await writeFile(wrapper, `#!/bin/sh\nexec '${path}' "$@" --dynamic-config-value ${setting}\n`);
  await chmod(wrapper, 0o755);
  return wrapper;
}
