// Pure: no server.
import fc from 'fast-check';
import { differenceOf, sealedField, withDifference } from '../../../src/providers/seal';

const origin = { provider: 'openai', api: 'openai-chat', model: 'gpt-5-mini' };

describe('differenceOf', () => {
  it.each([
    ['nothing for the same block', { type: 'text', text: 'a' }, { type: 'text', text: 'a' }, {}],
    ['what is added', { type: 'text', id: '1' }, { type: 'text' }, { id: '1' }],
    ['what is different', { status: 'cut' }, { status: 'completed' }, { status: 'cut' }],
    ['what is missing', { a: 1 }, { a: 1, b: [] }, { $absent: ['b'] }],
  ])('keeps %s', (_name, block, projection, expected) => {
    expect(differenceOf(block, projection)).toEqual(expected);
  });

  it('gives any block back', () => {
    const block = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue());
    fc.assert(
      fc.property(block, block, (original, projection) => {
        const wire = JSON.parse(JSON.stringify(original)) as Record<string, never>;
        const neutral = JSON.parse(JSON.stringify(projection)) as Record<string, never>;
        expect(withDifference(neutral, differenceOf(wire, neutral))).toEqual(wire);
      }),
    );
  });
});

describe('sealedField', () => {
  it('is left out when there is nothing to keep', () => {
    expect(sealedField(origin, {})).toEqual({});
    expect(sealedField(origin, { id: 'x' })).toEqual({
      sealed: { api: 'openai-chat', model: 'gpt-5-mini', data: { id: 'x' } },
    });
  });
});
