// Texts that are told by their name alone, so that who writes one and who expects it need not share it.
import { hashOf, Random } from './random.mts';

/** How long a text is, and whether it can be deflated: words repeat, random characters do not. */
export type Size = { readonly bytes: number; readonly deflates: boolean };

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const words = 'the worker goes on where another one stopped and nothing is done twice ';
/** Of a number the random source gives, so many characters are made. */
const charactersADraw = 5;

/** ASCII, of at least the name's length. */
export function payload(name: string, { bytes, deflates }: Size): string {
  const head = `${name}: `;
  const left = Math.max(0, bytes - head.length);
  if (deflates) return head + words.repeat(Math.ceil(left / words.length)).slice(0, left);
  const random = new Random(hashOf(name));
  const parts: string[] = [];
  for (let length = 0; length < left; length += charactersADraw) {
    let draw = random.below(alphabet.length ** charactersADraw);
    for (let index = 0; index < charactersADraw; index += 1) {
      parts.push(alphabet[draw % alphabet.length] ?? '');
      draw = Math.floor(draw / alphabet.length);
    }
  }
  return head + parts.join('').slice(0, left);
}
