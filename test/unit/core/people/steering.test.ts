// Pure: no server.
import { readSteer, steerText } from '../../../../src/core/people/steering';
import { limits } from '../../../../src/protocol/limits';
import { thrown } from '../builders';

const message = { messageId: 'm1', text: 'In metres.' };

describe('a message to an agent that works', () => {
  it.each([
    ['the least', message, message],
    ['null members', { ...message, when: null, by: null }, message],
    [
      'all members',
      { ...message, when: 'now', by: { id: 'ada', roles: ['lead'], name: 'Ada' } },
      { ...message, when: 'now', by: { id: 'ada', roles: ['lead'], name: 'Ada' } },
    ],
    ['the default in words', { ...message, when: 'next' }, { ...message, when: 'next' }],
  ])('is taken with %s', (_what, given, taken) => {
    expect(readSteer(given)).toEqual(taken);
  });

  it.each([
    ['a text', 'In metres.', /JSON object of messageId, text, when, by/],
    ['an unknown member', { ...message, txet: 'x' }, /txet/],
    ['no id', { text: 'x' }, /messageId/],
    ['an empty id', { ...message, messageId: '' }, /messageId/],
    ['a control character in the id', { ...message, messageId: 'a\u0000' }, /messageId/],
    ['no text', { messageId: 'm1' }, /text is required/],
    ['blanks', { ...message, text: ' \n' }, /not empty/],
    ['half a pair', { ...message, text: 'a\ud800' }, /surrogate/],
    ['a long text', { ...message, text: 'x'.repeat(limits.answer + 1) }, /65537 bytes/],
    ['another time', { ...message, when: 'later' }, /when must be one of 'next', 'now'/],
    ['an actor without an id', { ...message, by: {} }, /by\.id is required/],
  ])('is refused with %s', (_what, given, problem) => {
    expect(thrown(() => readSteer(given))).toMatchObject({
      code: 'InvalidInput',
      message: expect.stringMatching(problem) as string,
    });
  });

  it('is text, also as parts of a message to a thread', () => {
    expect(steerText('Hi.')).toBe('Hi.');
    const [one, two] = ['In metres.', 'Please.'].map((text) => ({ type: 'text' as const, text }));
    expect(steerText([one ?? two, two ?? one].flatMap((part) => part ?? []))).toBe(
      'In metres.\nPlease.',
    );
    const picture = { type: 'media' as const, mediaType: 'image/png', source: { data: '' } };
    expect(thrown(() => steerText([picture as never]))).toMatchObject({ code: 'InvalidInput' });
  });
});
