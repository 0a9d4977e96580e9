// Pure: no server.
import fc from 'fast-check';
import { clipText, headOf, oneLine, utf8Length, textOfParts } from '../../../src/base/text';

const seed = 20_261_121;
const bytesOf = (value: string): number => Buffer.byteLength(value);

/** Any sequence of UTF-16 units: ASCII, accents, CJK, emoji, and halves of pairs. */
const unit = fc.oneof(
  fc.constantFrom(
    ' ',
    '\n',
    'a',
    'é',
    'ÿ',
    '€',
    '漢',
    '\u07ff',
    '\u0800',
    '\uffff',
    '😀',
    '\u{10ffff}',
  ),
  fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
);
const anyText = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''));
const bound = fc.nat({ max: 120 });

const check = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>): void =>
  fc.assert(property, { seed, numRuns: 2_000 });

/** The code points of a text that has no lone surrogate. */
const endsWhole = (head: string, text: string): boolean =>
  [...text].slice(0, [...head].length).join('') === head;

describe('utf8Length', () => {
  it('counts what an encoder writes, lone surrogates included', () => {
    check(fc.property(anyText, (text) => utf8Length(text) === bytesOf(text)));
  });
});

describe('headOf', () => {
  it('is a head within the bound that ends at a code point', () => {
    check(
      fc.property(anyText, bound, (text, maxBytes) => {
        const head = headOf(text, maxBytes);
        return text.startsWith(head) && bytesOf(head) <= maxBytes && endsWhole(head, text);
      }),
    );
  });

  it('is the longest of them', () => {
    check(
      fc.property(anyText, bound, (text, maxBytes) => {
        const head = headOf(text, maxBytes);
        const next = text.slice(head.length).codePointAt(0);
        return next === undefined || bytesOf(head + String.fromCodePoint(next)) > maxBytes;
      }),
    );
  });

  it.each([
    { name: 'nothing at all', text: 'abc', maxBytes: 0, expected: '' },
    { name: 'a bound below zero', text: 'abc', maxBytes: -5, expected: '' },
    { name: 'a text that fits exactly', text: 'a€😀', maxBytes: 8, expected: 'a€😀' },
    { name: 'one byte too few for a pair', text: 'a€😀', maxBytes: 7, expected: 'a€' },
    { name: 'a lone surrogate', text: '\ud83dx', maxBytes: 3, expected: '\ud83d' },
  ])('gives $name', ({ text, maxBytes, expected }) => {
    expect(headOf(text, maxBytes)).toBe(expected);
  });
});

describe('clipText', () => {
  it('keeps what fits and marks what was cut', () => {
    check(
      fc.property(anyText, fc.integer({ min: 3, max: 120 }), (text, maxBytes) => {
        const clipped = clipText(text, maxBytes);
        const whole = text.toWellFormed();
        if (bytesOf(text) <= maxBytes) return clipped === whole;
        return (
          bytesOf(clipped) <= maxBytes &&
          whole.startsWith(clipped.slice(0, -1)) &&
          clipped.endsWith('…')
        );
      }),
    );
  });
});

describe('oneLine', () => {
  it('is one line within the bound', () => {
    check(
      fc.property(anyText, fc.integer({ min: 3, max: 120 }), (text, maxBytes) => {
        const line = oneLine(text, maxBytes);
        return bytesOf(line) <= maxBytes && !/[\r\n\t\u2028\u2029]| {2}|^ | $/.test(line);
      }),
    );
  });

  it.each([
    { name: 'short texts', text: ' two\n\n  lines ', expected: 'two lines' },
    { name: 'long ones', text: 'word '.repeat(20), expected: 'word word…' },
    {
      name: 'what stands after much white space',
      text: `${' '.repeat(500)}late`,
      expected: 'late',
    },
    { name: 'that something was cut', text: `a${'\n'.repeat(500)}b`, expected: 'a…' },
  ])('shows $name', ({ text, expected }) => {
    expect(oneLine(text, 12)).toBe(expected);
  });

  it('does not read a huge text to its end', () => {
    const replace = jest.spyOn(String.prototype, 'replace');
    oneLine('x'.repeat(1_000_000), 120);
    expect(replace.mock.contexts.map(String).map(({ length }) => length)).toEqual([480]);
    replace.mockRestore();
  });
});

describe('textOfParts', () => {
  const parts = [
    { type: 'text', text: 'Hel' },
    { type: 'reasoning', text: 'hidden' },
    { type: 'media', mediaType: 'image/png' },
    { type: 'text', text: 'lo' },
  ];

  it('joins the text parts, and no others, with nothing between', () => {
    expect(textOfParts(parts)).toBe('Hello');
  });

  it('joins them with what is given', () => {
    expect(textOfParts(parts, '\n')).toBe('Hel\nlo');
  });
});
