// Pure: no server.
import { checkToolArguments, parseToolArguments } from '../../../src/providers/tool-arguments';

describe('parseToolArguments', () => {
  it.each([
    ['an object', '{"city":"Paris","days":[1,2]}', { city: 'Paris', days: [1, 2] }],
    ['spaces', ' {"a" : 1} ', { a: 1 }],
    ['nothing', '', {}],
    ['blanks', ' \n', {}],
    ['an undefined text', undefined, {}],
    ['a null text', null, {}],
  ])('reads %s', (_name, text, args) => {
    expect(parseToolArguments(text)).toEqual({ args });
  });

  it.each([
    ['[1]', 'must be a JSON object, not an array'],
    ['null', 'must be a JSON object, not null'],
    ['"Paris"', 'must be a JSON object, not a string'],
    ['3', 'must be a JSON object, not a number'],
    [`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`, 'nested deeper than 200 levels'],
    [`{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 'nested deeper than 200 levels'],
  ])('keeps the text of what is no usable object: %s', (text, argsError) => {
    expect(parseToolArguments(text)).toEqual({ args: null, rawArgs: text, argsError });
  });

  it('keeps the text of what is not JSON and says where it breaks', () => {
    expect(parseToolArguments('{"city":"Par')).toEqual({
      args: null,
      rawArgs: '{"city":"Par',
      argsError: expect.stringMatching(/^not valid JSON: /) as string,
    });
  });

  it('does not throw on ten thousand unclosed levels', () => {
    expect(parseToolArguments('{"a":'.repeat(10_000))).toMatchObject({ args: null });
  });

  it('keeps __proto__ as a plain key', () => {
    const { args } = parseToolArguments('{"__proto__":{"admin":true}}');

    expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
    expect((args as { admin?: boolean }).admin).toBeUndefined();
    expect(JSON.stringify(args)).toBe('{"__proto__":{"admin":true}}');
  });
});

describe('checkToolArguments', () => {
  it.each([
    [{ city: 'Paris' }, { args: { city: 'Paris' } }],
    ['{"city":"Paris"}', { args: { city: 'Paris' } }],
    [undefined, { args: {} }],
    [null, { args: {} }],
    [[1], { args: null, rawArgs: '[1]', argsError: 'must be a JSON object, not an array' }],
    [7, { args: null, rawArgs: '7', argsError: 'must be a JSON object, not a number' }],
  ])('takes %j', (value, expected) => {
    expect(checkToolArguments(value)).toEqual(expected);
  });
});
