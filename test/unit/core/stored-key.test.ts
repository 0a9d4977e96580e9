// Pure: no server.

import { storedKey } from '../../../src/core/stored-key';
import { keyValues } from '../../../src/stores/state/state-key';

const userOf = (userId: string, tenant?: string): string =>
  storedKey({ appName: 'app', userId, ...(tenant !== undefined && { tenant }) }).userId;

describe('the key that stores have', () => {
  it('is the key itself without a tenant', () => {
    const key = { appName: 'app', userId: 'a/b', sessionId: 'one' };
    expect(storedKey(key)).toEqual(key);
  });

  it('has no tenant of its own', () => {
    const stored = storedKey({ appName: 'app', userId: 'ada', sessionId: 'one', tenant: 'acme' });
    expect(Object.keys(stored)).toEqual(['appName', 'userId', 'sessionId']);
    expect(stored.userId).toBe('acme\u001fada');
  });

  it('is another one for each tenant and user', () => {
    const long = 'ü'.repeat(200);
    const users = [
      userOf('c', 'a/b'),
      userOf('b/c', 'a'),
      userOf('a/b/c'),
      userOf('b\u001fc', 'a'),
      userOf('c', 'a\u001fb'),
      userOf('c', 'a%1Fb'),
      userOf('c', 'a%b'),
      userOf('c', 'a%25b'),
      userOf('ac'),
      userOf('c', 'a'),
      userOf('b', 'ac'),
      userOf(long, `${long}a`),
      userOf(`a${long}`, long),
      userOf(`${long}\ud800`, long),
      userOf(`${long}\ud801`, long),
    ];
    expect(new Set(users).size).toBe(users.length);
  });

  it('fits into a store, however long the names are', () => {
    const key = storedKey({ appName: 'app', userId: '木'.repeat(200), tenant: '林'.repeat(200) });
    expect(keyValues(key, ['appName', 'userId'])).toEqual(['app', key.userId]);
  });
});
