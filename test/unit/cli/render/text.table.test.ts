// Pure: no server.
import { clipToWidth, padToWidth, textWidth } from '../../../../src/cli/render/text';

describe('textWidth', () => {
  it.each([
    ['plain', 5],
    ['漢字', 4],
    ['👩‍👩‍👧!', 3],
    ['e\u0301', 1],
    ['', 0],
  ])('counts the columns of %j: %i', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});

describe('clipToWidth', () => {
  it.each([
    { text: 'short', columns: 5, clipped: 'short' },
    { text: 'too long', columns: 5, clipped: 'too…' },
    { text: '漢字漢字', columns: 5, clipped: '漢字…' },
    { text: 'ab👩‍👩‍👧cd', columns: 4, clipped: 'ab…' },
    { text: 'x'.repeat(1_000_000), columns: 3, clipped: 'xx…' },
  ])('cuts to $columns columns: $clipped', ({ text, columns, clipped }) => {
    expect(clipToWidth(text, columns)).toBe(clipped);
  });
});

describe('padToWidth', () => {
  it('pads by columns', () => {
    expect([padToWidth('漢', 4), padToWidth('long', 2)]).toEqual(['漢  ', 'long']);
  });
});
