// Pure: no server.
import { codeMarkdown, plainLine, plainMarkdown } from '../../../../src/core/transcript/markdown';

describe('plainMarkdown', () => {
  it.each([
    ['a heading', '### Waiting for you', '\\### Waiting for you'],
    ['a heading below', 'ok\n# Approved', 'ok\n\\# Approved'],
    ['an underlined heading', 'Approved\n===', 'Approved\n\\==='],
    ['a rule', '---', '\\---'],
    ['a quotation', '> said', '\\> said'],
    ['a list', '- a\n  1. b\n+ c', '\\- a\n  1\\. b\n\\+ c'],
    ['a picture', '![x](//evil)', '!\\[x\\](//evil)'],
    ['a link', '[x](javascript:1)', '\\[x\\](javascript:1)'],
    ['HTML', '<img src=x>', '\\<img src=x\\>'],
    ['an entity', '&lt;', '\\&lt;'],
    ['code', '`a` and ~~~', '\\`a\\` and \\~\\~\\~'],
    ['weights', '**a** __b__', '\\*\\*a\\*\\* \\_\\_b\\_\\_'],
    ['an escape', 'a \\* b', 'a \\\\\\* b'],
    ['a table', '|a|', '\\|a\\|'],
    ['an address', 'see https://evil/?q', 'see https\u200b://evil/?q'],
    ['a host', 'www.evil.org', 'www\u200b.evil.org'],
    ['mail', 'a@evil.org', 'a@\u200bevil.org'],
    ['controls', 'a\u202eb\u0007c\u001b[2J', 'abc\\[2J'],
  ])('shows %s as text', (_name, text, expected) => {
    expect(plainMarkdown(text)).toBe(expected);
  });

  it('leaves plain text as it is', () => {
    const text = 'Celsius or Fahrenheit? It is 22.5 °C (about 72 °F), a 3-day high: yes!';
    expect(plainMarkdown(text)).toBe(text);
  });
});

describe('codeMarkdown', () => {
  it.each([
    ['get_weather {"a":1}', '`get_weather {"a":1}`'],
    ['x` ![](//evil) `', "`x' ![](//evil) '`"],
    ['a\u202eb', '`ab`'],
  ])('ends where it should: %s', (text, expected) => {
    expect(codeMarkdown(text)).toBe(expected);
  });
});

describe('plainLine', () => {
  it('is one line of text within its bytes, however much of it is escaped', () => {
    expect(plainLine('# Approved\n![x](//evil)', 120)).toBe('\\# Approved !\\[x\\](//evil)');
    const line = plainLine('*'.repeat(200), 120);
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(120);
    expect(line).toMatch(/^(?:\\\*)+\\?…$/);
  });
});
