// Pure: opens no database.

import { checkSqlitePath } from '../../../../../src/stores/state/sqlite/sqlite-stores';

describe('the path of a SQLite database', () => {
  it.each([
    'state.db',
    './state.db',
    '/var/lib/app/state.db',
    'a..b/state..db',
    '...',
    'C:\\data\\state.db',
    ':memory:',
  ])('may be %j', (path) => {
    expect(() => checkSqlitePath(path)).not.toThrow();
  });

  it.each([
    { path: '../state.db', problem: "have '..' as a part" },
    { path: 'data/../state.db', problem: "have '..' as a part" },
    { path: 'data\\..\\state.db', problem: "have '..' as a part" },
    { path: '/data/..', problem: "have '..' as a part" },
    { path: 'state.db?mode=memory', problem: "contain '?' or '#'" },
    { path: 'state#1.db', problem: "contain '?' or '#'" },
    { path: 'file:%2e%2e/state.db', problem: 'be a URI' },
    { path: 'FILE:state.db', problem: 'be a URI' },
  ])('may not be $path', ({ path, problem }) => {
    expect(() => checkSqlitePath(path)).toThrow(
      expect.objectContaining({
        code: 'StoreError',
        retryable: false,
        message: `the path of a SQLite database must not ${problem}: '${path}'`,
      }) as Error,
    );
  });

  it.each([undefined, null, 7, '', ' ', 'a\0b'])('may not be %j', (path) => {
    expect(() => checkSqlitePath(path)).toThrow(
      'the path of a SQLite database must be a text that is not empty',
    );
  });
});
