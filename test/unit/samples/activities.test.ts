// Pure: reads files. Inputs and results of activities, which workers of two versions hand to each other.
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { version } from '../../../package.json';
import type { Sample } from '../../../scripts/record-histories/samples/write.mts';
import type { Definitions, Shape } from '../contract/shapes';
import { mismatches } from './matches';

type Members = { readonly members: Readonly<Record<string, Shape>> };
type Contract = { readonly wire: Members; readonly definitions: Definitions };
type Call = { readonly activity: string; readonly input: unknown; readonly result: unknown };

const fixtures = resolve(__dirname, '../../fixtures');
const json = (file: string): unknown => JSON.parse(readFileSync(resolve(fixtures, file), 'utf8'));

/** Another test proves that it is that of the code. */
const { wire, definitions } = json(`contract/${version}.json`) as Contract;
const activities = (wire.members['activities'] as Members).members;

const calls = globSync('samples/*/activities.json', { cwd: fixtures })
  .sort()
  .flatMap((file) =>
    (json(file) as Sample[]).map(({ name, value }) => ({ file, name, ...(value as Call) })),
  );

/** The user's own activity, and bytes. */
const withoutShape = ['ChargeCard'];
const bytes = ['pullLog'];

describe('a call of an activity of any version', () => {
  it.each(calls.filter(({ activity }) => !withoutShape.includes(activity)))(
    'has the shapes of today: $file, $name',
    ({ activity, input, result }) => {
      const { input: given = 'null', result: answer = 'null' } =
        (activities[activity] as Members | undefined)?.members ?? {};
      expect(mismatches(given, input, { definitions })).toEqual([]);
      if (bytes.includes(activity)) return;
      expect(mismatches(answer, result, { definitions })).toEqual([]);
    },
  );

  it('is kept of every activity', () => {
    const kept = calls
      .filter(({ file }) => file.includes(`/${version}/`))
      .map(({ activity }) => activity);
    expect([...new Set(kept)].sort()).toEqual([...Object.keys(activities), ...withoutShape].sort());
  });

  it('that lacks a member, or has another type, is told from one of today', () => {
    const { input } = calls.find(({ activity }) => activity === 'callModel') as Call;
    const shape = (activities['callModel'] as Members).members['input'] as Shape;
    const { agentId: _agentId, ...without } = input as Record<string, unknown>;
    expect(mismatches(shape, without, { definitions })).toEqual(['.agentId is missing']);
    expect(mismatches(shape, { ...without, agentId: 7 }, { definitions })).toEqual([
      'agentId is 7, not "string"',
    ]);
    expect(mismatches(shape, { ...(input as object), mood: 'good' }, { definitions })).toEqual([]);
  });
});
