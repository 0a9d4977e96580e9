// Checks media types and data. Pure.

import type { MediaSource } from './message';

/** A picture, a document, sound: of a message, or of a tool's result. */
export type Media = { readonly mediaType: string; readonly source: MediaSource };

/** A MIME type with a subtype, such as `image/png`. */
const mediaTypePattern = /^[A-Za-z0-9][\w.+-]*\/[A-Za-z0-9][\w.+-]*$/;
const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/;

/** The types of pictures that most providers take. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

export const pdfType = 'application/pdf';

/** How the base64 of each type begins. */
const beginnings = [
  ['image/png', /^iVBORw0KGg/],
  ['image/jpeg', /^\/9j\//],
  ['image/gif', /^R0lGOD[dl]h/],
  ['image/webp', /^UklGR.{6}XRUJQ/],
  [pdfType, /^JVBERi/],
] as const;

export function isMediaType(value: unknown): value is string {
  return typeof value === 'string' && mediaTypePattern.test(value);
}

/** True for base64 with its padding, and not for an empty text. */
export function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && base64Pattern.test(value);
}

/**
 * The type of the data, or the given type if the data do not show it. Undefined for a picture with other data. Providers refuse data of
 * another type, in this call and in every later one.
 */
export function checkedType(mediaType: string, base64: string): string | undefined {
  const [found] = beginnings.find(([, pattern]) => pattern.test(base64)) ?? [];
  const isPicture = pictureTypes.some((type) => type === mediaType);
  return found ?? (isPicture ? undefined : mediaType);
}
