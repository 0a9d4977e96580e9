// Pure: no server.
import { wholeCharacters } from '../../../../src/activities/model/model-request';

const sealed = { api: 'a', model: 'm', data: '\ud83d' };

describe('wholeCharacters', () => {
  it('returns what is whole as it is', () => {
    const request = { messages: [{ role: 'user', parts: [{ type: 'text', text: '👋', sealed }] }] };
    expect(wholeCharacters(request)).toBe(request);
  });

  it('mends halves wherever they stand, but for what is sealed', () => {
    const part = { type: 'json', value: { 'a\ud83d': ['\udc4b', 1, null, true] }, sealed };
    expect(wholeCharacters({ instructions: 'cut \ud83d', parts: [part] })).toEqual({
      instructions: 'cut \ufffd',
      parts: [{ type: 'json', value: { 'a\ufffd': ['\ufffd', 1, null, true] }, sealed }],
    });
  });

  it('keeps a key named like the prototype', () => {
    const args = JSON.parse('{"__proto__":"\\ud83d"}') as object;
    expect(JSON.stringify(wholeCharacters(args))).toBe('{"__proto__":"\ufffd"}');
  });
});
