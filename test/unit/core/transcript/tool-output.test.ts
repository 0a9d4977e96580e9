// Pure: no server.
import fc from 'fast-check';
import {
  errorOutput,
  cutOutput,
  toToolOutput,
  type ToolOutput,
} from '../../../../src/core/transcript/tool-output';
import { limits } from '../../../../src/protocol/limits';
import { text } from '../builders';

const seed = 20_261_121;
const ok = (...content: ToolOutput['content']): ToolOutput => ({ isError: false, content });
const json = (value: never) => ({ type: 'json', value }) as const;

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

/** The only text of an output. */
function shown(output: ToolOutput): string {
  const [part] = output.content;
  if (part?.type !== 'text') throw new Error('not a text');
  return part.text;
}

const cutNote = /\n\[cut: the first (\d+) of (\d+) bytes are shown\]$/;

describe('toToolOutput', () => {
  it('says that a result is too long for a text, instead of failing', () => {
    const toJSON = { value: () => 'x'.repeat(2 ** 30) };
    const huge = Object.defineProperty({}, 'toJSON', toJSON);
    expect(shown(toToolOutput('probe', huge))).toBe(
      "The tool 'probe' ran, but its result is too long to be written as JSON.",
    );
  });

  it.each([
    { name: 'a text', value: 'hello', expected: ok(text('hello')) },
    { name: 'an empty text', value: '', expected: ok(text('')) },
    { name: 'an object', value: { a: [1, null] }, expected: ok(json({ a: [1, null] } as never)) },
    { name: 'null', value: null, expected: ok(json(null as never)) },
    {
      name: 'a text that was cut in the middle of a character, as it is',
      value: 'cut \ud83d',
      expected: ok(text('cut \ud83d')),
    },
    { name: 'nothing', value: undefined, expected: ok(json(null as never)) },
    { name: 'false', value: false, expected: ok(json(false as never)) },
    {
      name: 'an object without the keys that have no value',
      value: { a: 1, b: undefined, c: { d: undefined } },
      expected: ok(json({ a: 1, c: {} } as never)),
    },
    { name: 'zero', value: 0, expected: ok(json(0 as never)) },
  ])('shows the model $name', ({ value, expected }) => {
    expect(toToolOutput('probe', value)).toStrictEqual(expected);
  });

  it.each([
    { name: 'NaN', value: { n: NaN }, where: /its result at .*n.* is not JSON/ },
    { name: '-0', value: [-0], where: /its result at .*0.* is not JSON/ },
    { name: 'a BigInt', value: 1n, where: /its result is not JSON/ },
    { name: 'a date', value: { at: new Date(0) }, where: /its result at 'at' is not JSON/ },
    { name: 'a Map', value: new Map(), where: /its result is not JSON/ },
    { name: 'a cycle', value: cycle, where: /its result at .*self.* is not JSON/ },
    {
      name: 'an item of a list without a value',
      value: [1, undefined],
      where: /its result at .*1/,
    },
    { name: 'a function', value: [() => 1], where: /its result at .*0.* is not JSON/ },
  ])('says that $name is not JSON, and where it stands', ({ value, where }) => {
    const output = toToolOutput('probe', value);
    expect(output.isError).toBe(true);
    expect(shown(output)).toMatch(/^The tool 'probe' ran, but /);
    expect(shown(output)).toMatch(where);
  });

  it.each([
    { name: 'by default', maxBytes: undefined, bound: limits.toolResultShown },
    { name: 'as the tool says', maxBytes: 1_000, bound: 1_000 },
    { name: 'never above what is stored', maxBytes: 10_000_000, bound: limits.toolResultStored },
  ])('cuts a long text $name', ({ maxBytes, bound }) => {
    const value = '€'.repeat(200_000);
    const cut = shown(toToolOutput('probe', value, maxBytes));
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(bound);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(bound - 20);
    expect(cut).toMatch(cutNote);
  });

  it('leaves alone what fits exactly', () => {
    const value = 'x'.repeat(limits.toolResultShown);
    expect(toToolOutput('probe', value)).toEqual(ok(text(value)));
  });

  it('cuts long JSON as text, because half of it would not be JSON', () => {
    const value = { list: Array.from({ length: 20_000 }, (_, index) => index) };
    const cut = shown(toToolOutput('probe', value));
    expect(cut).toMatch(/^\{"list":\[0,1,2,/);
    expect(cut).toMatch(cutNote);
  });

  it('never cuts through a code point, and counts right what is shown', () => {
    const unit = fc.constantFrom('a', 'é', '€', '😀', '\u{10ffff}');
    const longText = fc
      .array(unit, { minLength: 80, maxLength: 400 })
      .map((units) => units.join(''));
    fc.assert(
      fc.property(longText, fc.integer({ min: 60, max: 300 }), (value, maxBytes) => {
        const output = shown(toToolOutput('probe', value, maxBytes));
        if (Buffer.byteLength(value) <= maxBytes) return output === value;
        const [note, count, of] = cutNote.exec(output) ?? [''];
        const head = output.slice(0, -note.length);
        return (
          Buffer.byteLength(output) <= maxBytes &&
          value.startsWith(head) &&
          Buffer.from(head).toString() === head &&
          Buffer.byteLength(head) === Number(count) &&
          Buffer.byteLength(value) === Number(of)
        );
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('says how much there was even when nothing of it may be shown', () => {
    expect(shown(toToolOutput('probe', 'x'.repeat(100), 10))).toBe(
      '\n[cut: the first 0 of 100 bytes are shown]',
    );
  });
});

const picture = (bytes: number) =>
  ({
    type: 'media',
    mediaType: 'image/png',
    source: { kind: 'base64', data: 'A'.repeat((bytes / 3) * 4) },
  }) as const;

describe('cutOutput', () => {
  const KiB = 1024;

  it('gives media the room that the texts leave, in their order', () => {
    const { content } = cutOutput(
      ok(text('see'), picture(150 * KiB), picture(60 * KiB), picture(30)),
    );
    expect(content).toEqual([
      text('see'),
      picture(150 * KiB),
      text(
        '[image/png, 61,440 bytes][left out: a result has room for 256 KiB; a worker with a result store keeps larger media]',
      ),
      picture(30),
    ]);
  });

  it('shares the room for text among texts and JSON', () => {
    const value = { list: Array.from({ length: 20_000 }, (_, index) => index) };
    const { content } = cutOutput(
      ok(text('short'), text('x'.repeat(100_000)), json(value as never)),
      10_000,
    );
    const bytes = content.map((part) => (part.type === 'text' ? Buffer.byteLength(part.text) : 0));
    expect(bytes[0]).toBe(5);
    expect(bytes[1]).toBe(bytes[2]);
    expect(bytes.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(10_000);
    expect(content[2]).toMatchObject({
      type: 'text',
      text: expect.stringMatching(cutNote) as string,
    });
  });

  it('keeps references of any size, and the heads of stored texts', () => {
    const stored = { digest: 'd'.repeat(64), bytes: 5_000_000 };
    const head = { ...text(`${'x'.repeat(4_000)}[note]`), stored };
    const media = { ...picture(0), source: { kind: 'stored', ...stored } } as const;
    const link = { ...picture(0), source: { kind: 'url', url: 'https://x/y.png' } } as const;
    expect(cutOutput(ok(head, media, link), 100).content).toEqual([head, media, link]);
  });

  it('leaves room for a long text of an error, whatever the tool says', () => {
    const error: ToolOutput = { isError: true, content: [text('x'.repeat(5_000)), picture(300)] };
    expect(cutOutput(error, 10)).toEqual(error);
  });
});

describe('errorOutput', () => {
  it('is an error for the model, cut like a result', () => {
    expect(errorOutput('no such row')).toEqual({ isError: true, content: [text('no such row')] });
    const long = errorOutput('é'.repeat(100_000));
    expect(Buffer.byteLength(shown(long))).toBeLessThanOrEqual(limits.toolResultShown);
    expect(shown(long)).toMatch(cutNote);
  });
});
