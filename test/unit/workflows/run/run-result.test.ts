// Pure: no server.
import { jsonBytes } from '../../../../src/core/transcript/fit-texts';
import type { Json } from '../../../../src/base/json';
import type { PlanResult } from '../../../../src/core/orchestration/plan';
import { fitResult } from '../../../../src/workflows/run/run-result';

const maxBytes = 10_000;
const source = 'ask the run';
const fit = (result: PlanResult): PlanResult => fitResult(result, { maxBytes, source });

type Said = {
  readonly text?: string;
  readonly content?: string;
  readonly structured?: Json;
  readonly texts?: object;
};

const resultOf = ({ text = '', content, structured, texts }: Said): PlanResult => ({
  finalResponse: {
    text,
    content: content === undefined ? [] : [{ type: 'text', text: content }],
    ...(structured !== undefined && { structured }),
  },
  iterations: 0,
  completionReason: 'text response',
  ...(texts && { combinedText: JSON.stringify(texts) }),
});
const around = jsonBytes(resultOf({ content: '' }));
const x = (count: number): string => 'x'.repeat(count);

describe('a result', () => {
  it('is whole when it is just as long as it may be', () => {
    const result = resultOf({ content: x(maxBytes - around) });
    expect(fit(result)).toBe(result);
  });

  const value = { answer: x(4_000) };
  const text = JSON.stringify(value);
  const other = { other: x(4_000) };
  const warnings = {
    content: `finalResponse.content was left out for its size: ${source}`,
    structured:
      'finalResponse.structured was left out for its size: finalResponse.text is its JSON',
    texts: `texts of combinedText were cut for their size: ${source}`,
    reply: `finalResponse was cut for its size: ${source}`,
  };

  it.each<{ name: string; said: Said; kept: Said; left: readonly (keyof typeof warnings)[] }>([
    {
      name: 'a byte too long leaves out its content',
      said: { content: x(maxBytes - around + 1) },
      kept: {},
      left: ['content'],
    },
    {
      name: 'then the value that its text says',
      said: { text, content: text, structured: value, texts: [x(3_000)] },
      kept: { text, texts: [x(3_000)] },
      left: ['content', 'structured'],
    },
    {
      name: 'keeps a value that its text does not say, and cuts the texts',
      said: { text, structured: other, texts: ['short', x(9_000)] },
      kept: { text: text.slice(0, 200), structured: other, texts: ['short', x(2_000)] },
      left: ['texts', 'reply'],
    },
    {
      name: 'cuts the longest of its texts alone',
      said: { text: 'last', texts: { a: 'short', b: x(4_000), c: x(40_000) } },
      kept: { text: 'last', texts: { a: 'short', b: x(4_000), c: x(5_000) } },
      left: ['texts'],
    },
    {
      name: 'cuts its text last',
      said: { text: x(1_000_000), content: x(1_000_000) },
      kept: { text: x(9_000) },
      left: ['content', 'reply'],
    },
    {
      name: 'keeps a value rather than a text that must be cut, too',
      said: { text: JSON.stringify('"'.repeat(4_000)), structured: '"'.repeat(4_000) },
      kept: { text: '"', structured: '"'.repeat(4_000) },
      left: ['reply'],
    },
    {
      name: 'leaves out a value that is too long itself',
      said: { text: 'Here it is', structured: x(1_000_000) },
      kept: { text: 'Here it is' },
      left: ['reply'],
    },
  ])('$name', ({ said, kept, left }) => {
    const fitted = fit(resultOf(said));
    expect(jsonBytes(fitted)).toBeLessThanOrEqual(maxBytes);
    expect(fitted.warnings).toEqual(left.map((what) => warnings[what]));
    const { text: head = '', structured } = kept;
    expect(fitted.finalResponse.text.startsWith(head)).toBe(true);
    expect(fitted.finalResponse.structured).toEqual(structured);
    const texts = JSON.parse(fitted.combinedText ?? '{}') as Record<string, string>;
    expect(Object.keys(texts)).toEqual(Object.keys(said.texts ?? {}));
    for (const [key, whole] of Object.entries(kept.texts ?? {}))
      expect(texts[key]?.startsWith(String(whole).slice(0, -1_500) || String(whole))).toBe(true);
  });

  it.each([
    { of: 'plain text', character: 'x' },
    { of: 'quotes', character: '"' },
    { of: 'line ends', character: '\n' },
    { of: 'control characters', character: '\u0001' },
    { of: 'pairs', character: '😀' },
    { of: 'halves', character: '\ud83d' },
  ])('fits however its $of count, and each branch has as much', ({ character }) => {
    const whole = character.repeat(1_000);
    const texts = Array.from({ length: 100 }, () => whole);
    const last = { text: whole, content: [{ type: 'text', text: whole } as const] };
    const wide = { ...resultOf({ texts }), finalResponse: last };
    const bound = 40_000;
    const fitted = fitResult(wide, { maxBytes: bound, source });
    expect(jsonBytes(fitted)).toBeLessThanOrEqual(bound);
    expect(jsonBytes(fitted)).toBeGreaterThan(bound * 0.9);
    const shown = JSON.parse(fitted.combinedText ?? '') as readonly string[];
    expect(new Set(shown).size).toBe(1);
    expect(shown[99]).toMatch(/\n\[cut: the first \d+ of \d+ bytes are shown\]$/);
  });
});
