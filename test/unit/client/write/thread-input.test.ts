// Pure: no server.
import fc from 'fast-check';
import { threadId, threadKey } from '../../../../src/client/write/thread-input';

describe('threadId', () => {
  it.each([
    { key: ['app', 'ada', 'chat-1'], id: 'thread:app/ada/chat-1' },
    { key: ['a/b', 'c', 'd'], id: 'thread:a%2Fb/c/d' },
    { key: ['100%', 'ä', '~!'], id: 'thread:100%25/%C3%A4/%7E%21' },
    { key: ['a', 'b', '\uD800'], id: 'thread:a/b/%ud800' },
  ])('is $id', ({ key: [appName = '', userId = '', sessionId = ''], id }) => {
    expect(threadId({ appName, userId, sessionId })).toBe(id);
  });

  it('is another for another key, and never too long', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }),
      fc.constantFrom('a', 'a/b', 'b', 'a%2Fb', 'x'.repeat(200), `${'x'.repeat(199)}y`),
    );
    const key = fc.record({ appName: name, userId: name, sessionId: name });
    fc.assert(
      fc.property(key, key, (left, right) => {
        const isSame = JSON.stringify(left) === JSON.stringify(right);
        expect(threadId(left) === threadId(right)).toBe(isSame);
        expect(threadId(left).length).toBeLessThanOrEqual(200);
      }),
    );
  });
});

describe('threadKey', () => {
  it('names the user by default', () => {
    const key = { appName: 'shop', userId: 'default', sessionId: 's' };
    expect(threadKey({ appName: 'shop', sessionId: 's' })).toEqual(key);
  });

  it.each([{ sessionId: '' }, { sessionId: 'a\nb' }, { sessionId: 'x'.repeat(201) }, {}])(
    'refuses %j',
    (names) => {
      expect(() =>
        threadKey({ appName: 'shop', ...names } as { appName: string; sessionId: string }),
      ).toThrow(expect.objectContaining({ code: 'InvalidInput' }) as Error);
    },
  );
});
