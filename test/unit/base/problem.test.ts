// Pure: no server.
import { didYouMean, editDistance, nearest } from '../../../src/base/problem';

describe('nearest', () => {
  const words = ['maxIterations', 'maxTurns', 'model', 'tools', 'toolChoice', 'id'];

  it.each([
    ['maxIteration', ['maxIterations']],
    ['maxturns', ['maxTurns']],
    ['modle', ['model']],
    ['tool', ['tools']],
    ['di', ['id']],
    ['x', []],
    ['temperature', []],
    ['', []],
    ['m'.repeat(500), []],
  ])('finds for %j %j', (word, found) => {
    expect(nearest(word, words)).toEqual(found);
  });

  it('gives at most three, the nearest first, then by name', () => {
    expect(nearest('search', ['searchd', 'searchc', 'search_x', 'searchb', 'search'])).toEqual([
      'search',
      'searchb',
      'searchc',
    ]);
  });

  it('asks whether one of them was meant', () => {
    expect(didYouMean('modl', words)).toBe("; did you mean 'model'?");
    expect(didYouMean('ab_1', ['ab_2', 'ab_3'])).toBe("; did you mean 'ab_2' or 'ab_3'?");
    expect(didYouMean('zzz', words)).toBe('');
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['abcd', 'abdc', 1],
    ['ca', 'abc', 3],
  ])('of %j and %j is %d', (left, right, distance) => {
    expect(editDistance(left, right)).toBe(distance);
    expect(editDistance(right, left)).toBe(distance);
  });
});
