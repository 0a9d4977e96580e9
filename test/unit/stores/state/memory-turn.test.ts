// Pure: no database.

import { decodeTurn, encodeTurn, instantOf } from '../../../../src/stores/state/memory-turn';
import { faithfulTurns, refusedTurns } from '../../../../src/testing/memory-store-turns';

const turn = {
  id: '0193f2a0-0000-7000-8000-000000000001',
  appName: 'travel',
  userId: 'ada',
  sessionId: 's1',
  invocationId: 'run-1',
  user: 'Where to?',
  assistant: 'Oslo.',
  createdAt: '2026-03-01T12:00:00.000Z',
};
const refusal = { code: 'StoreError', retryable: false };

describe('a turn as text', () => {
  it.each(Object.entries(faithfulTurns))('gives back %s', (_name, content) => {
    expect(decodeTurn(encodeTurn({ ...turn, ...content }))).toEqual({ ...turn, ...content });
  });

  it.each(Object.entries(refusedTurns))('refuses %s', (_name, makeFields) => {
    expect(() => encodeTurn({ ...turn, ...makeFields() })).toThrow(
      expect.objectContaining(refusal) as Error,
    );
  });

  it.each([
    { fields: { id: undefined }, message: 'id must be a text that is not empty' },
    { fields: { userId: 'a'.repeat(513) }, message: 'userId must have at most 512 bytes' },
    { fields: { user: null }, message: 'user must be a text or a list of text and media parts' },
    { fields: { assistant: 1 }, message: 'assistant must be a text' },
    {
      fields: { createdAt: '2026-03-01' },
      message: 'createdAt must be a time in ISO 8601 with its time zone',
    },
    {
      fields: { eventData: { calls: [{ args: undefined }] } },
      message:
        "the turn is not JSON at 'eventData.calls[0].args': a value of type undefined is not JSON",
    },
    {
      fields: { assistant: 'x'.repeat(2 * 1024 * 1024) },
      message: expect.stringMatching(
        /^the turn has 20\d{5} bytes of JSON; at most 2097152 are kept$/,
      ) as string,
    },
  ])('says what is wrong: $message', ({ fields, message }) => {
    expect(() => encodeTurn({ ...turn, ...fields })).toThrow(
      expect.objectContaining({ ...refusal, message }) as Error,
    );
  });

  it('leaves out event data that is undefined', () => {
    expect(encodeTurn({ ...turn, eventData: undefined })).toBe(JSON.stringify(turn));
  });

  it.each(['', '{', 'null', '[]', '{}', '{"id":"a"}'])('refuses the damaged text %j', (text) => {
    expect(() => decodeTurn(text)).toThrow(expect.objectContaining(refusal) as Error);
  });
});

describe('the instant of a turn', () => {
  it.each([
    ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00Z', '2026-03-01T12:00:00.000Z'],
    ['2026-03-01T12:00:00.123456789+02:00', '2026-03-01T10:00:00.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('is, of %s, %s', (createdAt, instant) => {
    expect(instantOf({ createdAt })).toBe(instant);
  });

  it.each([
    '',
    'today',
    '2026-03-01T12:00:00',
    '2026-13-01T12:00:00Z',
    '2026-03-01T25:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+010000-01-01T00:00:00Z',
  ])('is refused as %j', (createdAt) => {
    expect(() => instantOf({ createdAt })).toThrow(expect.objectContaining(refusal) as Error);
  });
});
