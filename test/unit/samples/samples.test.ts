// Reads the samples of every version with the code of today. Of files, and of databases and folders in temporary files; no server.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { version } from '../../../package.json';
import { doors } from '../../../scripts/record-histories/samples/doors.mts';
import type { Sample } from '../../../scripts/record-histories/samples/write.mts';
import { signalNames } from '../../../src/protocol/names';
import { load } from './load';

const folder = resolve(__dirname, '../../fixtures/samples');
const files = globSync('*/*.json', { cwd: folder }).sort();

const samplesOf = (file: string): readonly Sample[] =>
  JSON.parse(readFileSync(resolve(folder, file), 'utf8')) as Sample[];

const read = files.filter((file) => basename(file) !== 'activities.json');
const all = read.flatMap((file) =>
  samplesOf(file).map((sample) => ({ file, form: basename(file, '.json'), ...sample })),
);

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

describe('a stored form of any version', () => {
  it.each(all)('reads as it did: $file, $name', async ({ form, value, reads }) => {
    expect(plain(await doors[form]?.(value as never, load))).toEqual(reads);
  });

  it('is kept of this version, for each door', () => {
    const own = read
      .filter((file) => dirname(file) === version)
      .map((file) => basename(file, '.json'));
    expect(own).toEqual(Object.keys(doors).sort());
  });

  it('is kept of every signal with a payload', () => {
    const { detach: _detach, halt: _halt, askAgain: _askAgain, ...withPayload } = signalNames;
    const kept = samplesOf(`${version}/signals.json`).map(({ name }) => name.split(' ')[0]);
    expect([...new Set(kept)].sort()).toEqual(Object.values(withPayload).sort());
  });

  it('is kept of a run in every state', () => {
    const kept = samplesOf(`${version}/agent-runs.json`).map(({ name }) => name.split(' ')[0]);
    expect([...new Set(kept)].sort()).toEqual([
      'awaiting-advance',
      'awaiting-input',
      'awaiting-model',
      'done',
      'executing-tools',
      'failed',
      'preparing',
      'resolving-tool-calls',
    ]);
  });
});
