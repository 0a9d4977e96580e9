// Reads what travelled deflated. What cannot be read, or is too large, is a typed error: it fails the run, and no worker.

import { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../base/json';
import { limits } from '../protocol/limits';
import { inflateJson } from './deflated-json';

/** `what` names it in the error. */
export function inflated<Value extends object>(bytes: unknown, what: string): Value {
  try {
    if (!(ArrayBuffer.isView(bytes) && bytes instanceof Uint8Array))
      throw new TypeError('no bytes');
    const value = inflateJson<Value>(bytes, limits.inflated);
    if (isJsonObject(value) || Array.isArray(value)) return value;
    throw new TypeError('neither an object nor a list');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LonghaulError('StateError', `${what} cannot be read: ${reason}`, { cause: error });
  }
}
