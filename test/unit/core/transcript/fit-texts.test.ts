import {
  cutText,
  fairShare,
  fitTexts,
  sizeInJson,
} from '../../../../src/core/transcript/fit-texts';

describe('cutText', () => {
  const whole = 'é'.repeat(1_000);

  it.each([
    { bytes: 2_000, shown: whole },
    { bytes: 1_999, shown: `${'é'.repeat(976)}\n[cut: the first 1952 of 2000 bytes are shown]` },
    { bytes: 100, shown: `${'é'.repeat(27)}\n[cut: the first 54 of 2000 bytes are shown]` },
    { bytes: 11, shown: 'ééééé' },
    { bytes: 0, shown: '' },
    { bytes: -5, shown: '' },
  ])('shows what fits in $bytes bytes', ({ bytes, shown }) => {
    expect(cutText(whole, bytes)).toBe(shown);
  });

  it('is the same at once and in steps', () => {
    const text = `${'"\n😀'.repeat(1_000)}`;
    const inSteps = [5_000, 3_000, 1_000].reduce(
      (cut, bytes) => cutText(cut, bytes, sizeInJson),
      text,
    );
    expect(inSteps).toBe(cutText(text, 1_000, sizeInJson));
  });
});

describe('fairShare', () => {
  it.each([
    { sizes: [], maxBytes: 0, share: Infinity },
    { sizes: [5, 5], maxBytes: 10, share: Infinity },
    { sizes: [5, 6], maxBytes: 10, share: 5 },
    { sizes: [100, 1, 100], maxBytes: 21, share: 10 },
    { sizes: [100, 100], maxBytes: -1, share: 0 },
  ])('of $maxBytes among $sizes is $share', ({ sizes, maxBytes, share }) => {
    expect(fairShare(sizes, maxBytes)).toBe(share);
  });
});

describe('fitTexts', () => {
  it('keeps the short ones and the order', () => {
    const long = 'x'.repeat(1_000);
    const [a, b, c] = fitTexts([long, 'short', long], 505, sizeInJson);
    expect([b, a]).toEqual(['short', c]);
    expect(sizeInJson(a ?? '')).toBeLessThanOrEqual(250);
  });
});
