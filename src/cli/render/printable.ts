/** Escape sequences of terminals (colours, cursor movement, window titles, links, …), in their 7-bit and 8-bit forms. */
const sequences =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]?/g;

/** What is left of control characters, and what makes text read in another order than it is written. */
const controls =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const unsafeInJson = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const ownStyles = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

/** Text of a model, a tool or a user as a terminal may show it: it can neither command the terminal nor hide what it says. */
export function printable(text: string): string {
  return text
    .replace(loneSurrogates, '\ufffd')
    .replace(sequences, '')
    .replace(/\r\n?/g, '\n')
    .replace(controls, '');
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** What may reach a terminal, from wherever its parts are: text, and the colours and weights of `createStyle`. */
export function terminalText(text: string): string {
  return text
    .split(ownStyles)
    .map((piece, index) => (index % 2 === 0 ? printable(piece) : piece))
    .join('');
}

/** One line of JSON that reads back as the value and that a terminal only shows. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replace(
    unsafeInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
