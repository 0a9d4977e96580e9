import { LonghaulError, type RunKey } from '../../protocol';
import type { SessionKey, UserKey } from './state-store';

export type KeyPart = keyof SessionKey;

const maxBytes = 512;
const defaultName = 'default';

/** The parts of a key in this order, checked. */
export function keyValues(
  key: Readonly<Partial<Record<KeyPart, unknown>>>,
  parts: readonly KeyPart[],
): readonly string[] {
  return parts.map((part) => keyText(part, key[part]));
}

/** Checks a part of a key. Databases refuse NUL, and store every lone surrogate as the same character. */
export function keyText(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw new LonghaulError('StoreError', `${name} must be a text that is not empty`);
  if (/\0|\p{Surrogate}/u.test(value))
    throw new LonghaulError('StoreError', `${name} must be well-formed Unicode without NUL`);
  if (Buffer.byteLength(value) > maxBytes)
    throw new LonghaulError('StoreError', `${name} must have at most ${maxBytes} bytes`);
  return value;
}

/** Names that a run leaves out are `default`. */
export function userKeyOf({ appName = defaultName, userId = defaultName }: RunKey): UserKey {
  return { appName, userId };
}
