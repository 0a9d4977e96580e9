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
  return head + randomText(name, left);
}

export const pictureType = 'image/png';

/** The base64 of how a PNG begins. Nobody looks at the rest. */
const beginning = 'iVBORw0KGgoA';

/** The base64 of a picture, in whole groups of four characters. */
export function picture(name: string, { bytes, deflates }: Size): string {
  const length = Math.max(0, bytes - (bytes % 4) - beginning.length);
  if (deflates) return beginning + 'AAAA'.repeat(length / 4);
  return beginning + randomText(name, length).replaceAll('-', '+').replaceAll('_', '/');
}

/** How a picture is told of where its data would be too long. */
export const shownPicture = (data: string): string =>
  `[picture of ${data.length} characters, ${hashOf(data)}]`;

function randomText(name: string, length: number): string {
  const random = new Random(hashOf(name));
  const parts: string[] = [];
  for (let made = 0; made < length; made += charactersADraw) {
    let draw = random.below(alphabet.length ** charactersADraw);
    for (let index = 0; index < charactersADraw; index += 1) {
      parts.push(alphabet[draw % alphabet.length] ?? '');
      draw = Math.floor(draw / alphabet.length);
    }
  }
  return parts.join('').slice(0, length);
}
