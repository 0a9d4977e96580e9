// Pure: no server.

import { limits } from '../../../../src/protocol/limits';
import { checkSessionSize, selectKeys } from '../../../../src/workflows/run/run-session';
import { thrown } from '../../core/builders';

describe('the keys that travel', () => {
  const session = { cart: [1], user: 'ada', empty: null };

  it.each([
    { name: 'none where none is declared', keys: [], expected: undefined },
    { name: 'none where nothing is said', keys: undefined, expected: undefined },
    { name: 'those declared', keys: ['cart', 'empty'], expected: { cart: [1], empty: null } },
    { name: 'no others, and none that are not there', keys: ['x', 'toString'], expected: {} },
  ])('are $name', ({ keys, expected }) => {
    expect(selectKeys(session, keys)).toEqual(expected);
  });
});

describe('the size of a session', () => {
  const sessionOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });

  it('may be just what is kept', () => {
    expect(() => checkSessionSize(sessionOf(limits.session))).not.toThrow();
  });

  it('is refused from the next byte on, saying what to do', () => {
    expect(thrown(() => checkSessionSize(sessionOf(limits.session + 1)))).toMatchObject({
      code: 'SessionTooLarge',
      message: `the session has ${limits.session + 1} bytes of JSON; at most ${limits.session} are kept: put ids into it, not documents`,
    });
  });
});
