// Pure: no server.
import fc from 'fast-check';
import { printable, printableJson, printableLine } from '../../../../src/cli/render/text';

const dangerous = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('printable', () => {
  it.each([
    { name: 'colours', text: '\u001b[1;31mred\u001b[0m', shown: 'red' },
    { name: 'cursor movement', text: 'a\u001b[2J\u001b[Hb', shown: 'ab' },
    { name: 'a window title', text: 'a\u001b]0;title\u0007b', shown: 'ab' },
    { name: 'a link', text: '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', shown: 'text' },
    { name: 'a device control string', text: 'a\u001bPq#0\u001b\\b', shown: 'ab' },
    { name: '8-bit sequences', text: 'a\u009b31mb\u009d0;t\u009cc', shown: 'abc' },
    { name: 'an unfinished sequence', text: 'a\u001b]0;title', shown: 'a0;title' },
    { name: 'a split escape', text: '\u001b\u001b[31m[31mx', shown: '[31mx' },
    { name: 'other controls', text: 'a\u0000\u0007\u0008b\u007f', shown: 'ab' },
    { name: 'a carriage return', text: 'shown\rhidden\r\nnext', shown: 'shown\nhidden\nnext' },
    { name: 'right-to-left overrides', text: 'a\u202egnp.exe\u2066b', shown: 'agnp.exeb' },
    { name: 'lone surrogates', text: 'a\ud800b\udc00', shown: 'a\ufffdb\ufffd' },
    { name: 'emoji, tabs and lines', text: '👩‍👩‍👧\té\n漢', shown: '👩‍👩‍👧\té\n漢' },
  ])('leaves the text of $name', ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });

  it('never leaves a control character, whatever it is given', () => {
    const pieces = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\u0007',
      '\u009b',
      '\\',
      '0',
      'm',
      'é',
      '\r',
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        expect(printable(parts.join(''))).not.toMatch(dangerous);
      }),
    );
  });

  it('takes no more than linear time', () => {
    const text = '\u001b]'.repeat(200_000);
    expect(printable(text)).toBe('');
  });
});

describe('printableLine', () => {
  it('joins lines', () => {
    expect(printableLine('  a\n\tb \u001b[0m c ')).toBe('a b c');
  });
});

describe('printableJson', () => {
  it.each([['\u001b[31m\u009b31m\u007f'], ['a\u202eb\u2028c'], ['é漢👩']])(
    'reads back as it was: %j',
    (text) => {
      const line = printableJson({ text });
      expect(JSON.parse(line)).toEqual({ text });
      expect(line).not.toMatch(dangerous);
    },
  );
});
