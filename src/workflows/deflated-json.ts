// Long JSON travels deflated. Pure. No other workflow module imports fflate: the bundle shares this one between runs, for fflate's
// tables would take 200 kB of each (scripts/build-workflow-bundle.mjs).
//
// 1. Inflated bytes are counted while they grow: a few bytes may stand for a thousand times as many.
// 2. Bytes that cannot be read, or are too large, are a typed error: it fails the run, and no worker.

import { deflateSync, Inflate, strFromU8, strToU8 } from 'fflate';
import { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../base/json';
import { limits } from '../protocol/limits';

/** Of what is inflated at a time: a kilobyte gives a megabyte at most. */
const step = 16 * 1024;

export function deflateJson(value: unknown): Uint8Array {
  return deflateSync(strToU8(JSON.stringify(value)));
}

/** Throws what fflate says of bytes that are not deflated, a `SyntaxError`, or a `RangeError` over `maxBytes`. */
export function inflateJson<Value>(bytes: Uint8Array, maxBytes: number): Value {
  return JSON.parse(strFromU8(inflate(bytes, maxBytes))) as Value;
}

function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const inflating = new Inflate((chunk) => {
    length += chunk.length;
    if (length > maxBytes) throw new RangeError(`more than ${maxBytes} bytes inflated`);
    chunks.push(chunk);
  });
  for (let at = 0; at < bytes.length || at === 0; at += step) {
    inflating.push(bytes.subarray(at, at + step), at + step >= bytes.length);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

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
