// Writes the samples of a version: every form that outlives a process, with what this version reads of it. `doors.mts` says how.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RecordedHistory } from '../histories.mts';
import { doors, type Load } from './doors.mts';
import { activitiesOf, carriedThreadsOf, carriedRunsOf, signalsOf } from './from-histories.mts';
import { made } from './made.mts';

/** `reads`: what the version that wrote the sample reads. Null for what only a running worker reads. */
export type Sample = { readonly name: string; readonly value: unknown; readonly reads: unknown };

type Named = readonly (readonly [name: string, value: unknown])[];

export async function writeSamples(
  project: string,
  recorded: readonly RecordedHistory[],
  folder: string,
): Promise<number> {
  // What no version wrote yet.
  const histories = recorded.filter(({ name }) => !name.startsWith('newer-messages'));
  const load: Load = async (path) =>
    (await import(pathToFileURL(join(project, 'dist', `${path}.js`)).href)) as never;
  const forms: Readonly<Record<string, Named>> = {
    ...(await made(load)),
    'carried-runs': carriedRunsOf(histories),
    'carried-threads': carriedThreadsOf(histories),
    signals: signalsOf(histories),
    activities: activitiesOf(histories),
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (const [form, values] of Object.entries(forms)) {
    const samples: Sample[] = [];
    for (const [name, value] of values) {
      const stored = plain(value);
      samples.push({ name, value: stored, reads: plain(await read(form, stored, load)) });
    }
    const lines = samples.map(({ name, value, reads }) =>
      [
        `{"name":${JSON.stringify(name)},`,
        `"value":${JSON.stringify(value)},`,
        `"reads":${JSON.stringify(reads)}}`,
      ].join('\n'),
    );
    const json = `[\n${lines.join(',\n')}\n]\n`;
    bytes += json.length;
    writeFileSync(join(folder, `${form}.json`), json);
  }
  return bytes;
}

async function read(form: string, value: unknown, load: Load): Promise<unknown> {
  return (await doors[form]?.(value as never, load)) ?? null;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;
