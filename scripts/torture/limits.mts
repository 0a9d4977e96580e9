// Limits as docs/operating.md promises them, in bytes: not read from the code, which they are held against.

const KiB = 1024;

export const limits = {
  input: 256 * KiB,
  session: 64 * KiB,
  context: 16 * KiB,
  /** Of an answer's text. */
  answer: 64 * KiB,
  toolArguments: 256 * KiB,
  /** Of a result whose tool asks for as much as there is. */
  result: 256 * KiB,
  /** Of a result in a round with a result store, where tools ask for this. */
  resultInStore: 16 * KiB,
  /** What is surely shown of a longer one. */
  shownOfStored: 3 * KiB,
  /** Of the pictures in a result, as base64, with its texts. */
  pictures: 256 * KiB,
} as const;
