// Pure: no server. The samples of this version as a newer version would write them, as an older one did, and as somebody broke them.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { version } from '../../../package.json';
import { doors } from '../../../scripts/record-histories/samples/doors.mts';
import type { Sample } from '../../../scripts/record-histories/samples/write.mts';
import { load } from './load';

type Json = Record<string, unknown>;

const samplesOf = (form: string): readonly Sample[] =>
  JSON.parse(
    readFileSync(resolve(__dirname, '../../fixtures/samples', version, `${form}.json`), 'utf8'),
  ) as Sample[];

const sampleOf = (form: string, name: string): Sample => {
  const found = samplesOf(form).find((sample) => sample.name === name);
  if (found === undefined) throw new Error(`no sample ${name} of ${form}`);
  return found;
};

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null)) as unknown;

const read = async (form: string, value: unknown): Promise<unknown> =>
  plain(await doors[form]?.(plain(value) as never, load));

const thrownBy = async (form: string, value: unknown): Promise<unknown> =>
  await read(form, value).then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );

/** The state within a sample: a plan stands beside its config. */
const forms = [
  { form: 'carried-runs', name: 'carries-everything.2', within: undefined },
  { form: 'carried-runs', name: 'graph-continues.2', within: undefined },
  { form: 'carried-threads', name: 'thread-stored.2', within: undefined },
  { form: 'plans', name: 'sequential pipeline after a child', within: 'plan' },
  { form: 'plans', name: 'parallel all after a child', within: 'plan' },
  { form: 'plans', name: 'graph review after a child', within: 'plan' },
] as const;

/** What a state may lack: a version that did not know it wrote none, or there was nothing to say. */
const optional = [
  'erasure',
  'steering',
  'segments',
  'notices',
  'prompt',
  'remembered',
  'memory',
  'context',
  'hooks',
  'lastClear',
  'entries',
  'log',
  'firstFailure',
  'finalResponse',
  'outcome',
];

const cases = forms.map(({ form, name, within }) => {
  const { value, reads } = sampleOf(form, name);
  const state = (within === undefined ? value : (value as Json)[within]) as Json;
  const withState = (changed: Json): unknown =>
    within === undefined ? changed : { ...(value as Json), [within]: changed };
  return { form, name, reads, state, withState };
});

const members = cases.flatMap((each) =>
  Object.keys(each.state)
    .filter((member) => member !== 'format' && member !== 'kind')
    .map((member) => ({ ...each, member })),
);

describe('a state', () => {
  it.each(cases)('of a newer format waits for a newer version: $name', async (each) => {
    const { form, state, withState } = each;
    expect(await thrownBy(form, withState({ ...state, format: 2 }))).toMatchObject({
      code: 'StateError',
      retryable: true,
      message: expect.stringContaining('A newer version of Longhaul wrote it') as string,
    });
  });

  it.each(cases)('may have members that this version does not know: $name', async (each) => {
    const { form, reads, state, withState } = each;
    const members = Object.entries(state).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null && !Array.isArray(value) && isOurs(name)
        ? { ...value, mood: 'good' }
        : value,
    ]);
    const grown = { ...(Object.fromEntries(members) as Json), weather: { is: 'fine' } };
    expect(await read(form, withState(grown))).toEqual(reads);
  });

  it.each(members.filter(({ member }) => optional.includes(member)))(
    'may lack what is optional: $member of $name',
    async ({ form, state, withState, member }) => {
      const { [member]: _left, ...rest } = state;
      expect(await thrownBy(form, withState(rest))).toBe('nothing was thrown');
    },
  );

  it.each(members.filter(({ member }) => !optional.includes(member)))(
    'that lacks what it needs cannot be read: $member of $name',
    async ({ form, state, withState, member }) => {
      const { [member]: _left, ...rest } = state;
      expect(await thrownBy(form, withState(rest))).toMatchObject({
        code: 'StateError',
        retryable: false,
        message: expect.stringMatching(
          new RegExp(`damaged: .*${member}|lacks .*${member}`),
        ) as string,
      });
    },
  );

  it.each(members.filter(({ member }) => !optional.includes(member) && member !== 'input'))(
    'with a member of another type cannot be read: $member of $name',
    async ({ form, state, withState, member }) => {
      expect(await thrownBy(form, withState({ ...state, [member]: 'broken' }))).toMatchObject({
        code: 'StateError',
        retryable: false,
      });
    },
  );
});

/** A session and what people wrote have members of their own. */
function isOurs(name: string): boolean {
  return ['requests', 'definition', 'budget', 'turns', 'machine', 'plan', 'totals'].includes(name);
}
