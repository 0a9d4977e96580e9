// Pure: no server.
import { canonicalJson } from '../../../src/base/json';
import { hashDefinition } from '../../../src/define/definition';
import { createRegistry } from '../../../src/define/registry';
import { anAgent, aTool } from '../define/builders';

describe('canonicalJson', () => {
  it.each([
    ['keys out of order', { b: 1, a: { d: 2, c: 3 } }, '{"a":{"c":3,"d":2},"b":1}'],
    ['keys by UTF-16 code units', { é: 1, z: 2, '€': 3, Z: 4 }, '{"Z":4,"z":2,"é":1,"€":3}'],
    ['arrays in their order', [3, 1, 2], '[3,1,2]'],
    ['numbers as JavaScript writes them', [1e21, 0.000001, -0, 1.5], '[1e+21,0.000001,0,1.5]'],
    ['text with escapes', { a: 'x\n"\u0001' }, '{"a":"x\\n\\"\\u0001"}'],
    ['members that are undefined', { a: undefined, b: [undefined, null] }, '{"b":[null,null]}'],
    ['scalars', null, 'null'],
  ])('writes %s', (_name, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each([
    ['NaN', NaN, 'NaN is not JSON'],
    ['a function', () => 1, 'A function is not JSON'],
    ['a BigInt', 1n, 'A bigint is not JSON'],
  ])('refuses %s', (_name, value, message) => {
    expect(() => canonicalJson({ value })).toThrow(new TypeError(message));
  });
});

describe('hashDefinition', () => {
  const registry = createRegistry({ runners: [anAgent({ tools: [aTool()] })] });
  const definition = registry.definition('weather');

  it('gives the SHA-256 of the canonical JSON', () => {
    expect(hashDefinition(definition)).toBe(
      'af7f8866896dd7dc50f2973aead3855b61cef9e825f81a194dc53b69b824144f',
    );
  });

  it('does not depend on the order of keys', () => {
    const { format, runner, runners, tools } = definition;
    expect(hashDefinition({ tools, runners, runner, format })).toBe(hashDefinition(definition));
  });

  it('changes with the definition', () => {
    const other = { ...definition, tools: {} };
    expect(hashDefinition(other)).not.toBe(hashDefinition(definition));
  });
});
