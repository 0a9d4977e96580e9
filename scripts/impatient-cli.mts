// The Temporal CLI, but its server suggests to continue as new soon. For scripts that run after a build.
import { chmod, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** How long a history is when the server suggests it. */
export type Suggestion = { readonly events?: number; readonly bytes?: number };

/** Writes it into the folder. Returns the path of the executable. */
export async function impatientCli(folder: string, { events, bytes }: Suggestion): Promise<string> {
  const module = resolve(import.meta.dirname, '../dist/server/dev/dev-server.js');
  const { findTemporalCli } = (await import(module)) as {
    readonly findTemporalCli: () => Promise<string>;
  };
  const path = await findTemporalCli();
  const settings = [
    ...(events === undefined ? [] : [`limit.historyCount.suggestContinueAsNew=${events}`]),
    ...(bytes === undefined ? [] : [`limit.historySize.suggestContinueAsNew=${bytes}`]),
  ];
  const options = settings.map((setting) => `--dynamic-config-value ${setting}`).join(' ');
  const wrapper = join(folder, 'temporal');
  await writeFile(wrapper, `#!/bin/sh\nexec '${path}' "$@" ${options}\n`);
  await chmod(wrapper, 0o755);
  return wrapper;
}
