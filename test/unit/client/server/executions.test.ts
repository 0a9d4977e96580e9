// Pure: no server.
import { Whose, type WhoseFilter } from '../../../../src/client/server/executions';
import { keyHashes } from '../../../../src/core/key-hashes';
import { startMemo } from '../../../../src/core/run-start';
import type { RunKey, RunMemo } from '../../../../src/protocol/run';

const memoWith = (key?: RunKey): RunMemo =>
  startMemo({ agent: 'helper', key: keyHashes(key) }).longhaul;

describe('Whose', () => {
  it.each<{ name: string; filter: WhoseFilter; key?: RunKey; matches: boolean }>([
    { name: 'everybody', filter: {}, matches: true },
    { name: 'an agent', filter: { agent: 'helper' }, matches: true },
    { name: 'another agent', filter: { agent: 'other' }, matches: false },
    { name: 'a user', filter: { key: { userId: 'ada' } }, key: { userId: 'ada' }, matches: true },
    {
      name: 'a user among more',
      filter: { key: { userId: 'ada' } },
      key: { userId: 'ada', appName: 'shop', sessionId: 's' },
      matches: true,
    },
    {
      name: 'another user',
      filter: { key: { userId: 'bob' } },
      key: { userId: 'ada' },
      matches: false,
    },
    { name: 'a user where nobody is named', filter: { key: { userId: 'ada' } }, matches: false },
    {
      name: 'a user of another application',
      filter: { key: { userId: 'ada', appName: 'bank' } },
      key: { userId: 'ada', appName: 'shop' },
      matches: false,
    },
    {
      name: 'an app that has the name of a user',
      filter: { key: { userId: 'ada' } },
      key: { appName: 'ada' },
      matches: false,
    },
  ])('$name: $matches', ({ filter, key, matches }) => {
    expect(new Whose(filter).matches(memoWith(key))).toBe(matches);
  });

  it('matches no memo that anybody wrote', () => {
    const forged = { ...memoWith(), key: 5 } as unknown as RunMemo;
    expect(new Whose({ key: { userId: 'ada' } }).matches(forged)).toBe(false);
  });

  it.each([
    { filter: { userId: 'ada' }, message: "'userId' is not a member of the filter" },
    { filter: { keys: { userId: 'ada' } }, message: "did you mean 'key'?" },
    { filter: { key: undefined }, message: 'key must have at least one of' },
    { filter: { key: {} }, message: 'key must have at least one of' },
    { filter: { key: { user: 'ada' } }, message: "'user' is not a member of key" },
    { filter: { key: { userId: undefined } }, message: 'key.userId must be a text' },
    { filter: { key: { userId: '' } }, message: 'key.userId must be a text' },
    { filter: { key: { userId: 5 } }, message: 'key.userId must be a text' },
  ])('refuses $filter rather than list what is everybody’s', ({ filter, message }) => {
    const filtering = (): Whose => new Whose(filter as WhoseFilter);
    expect(filtering).toThrow(expect.objectContaining({ code: 'InvalidInput' }) as Error);
    expect(filtering).toThrow(message);
  });
});
