// Deflates long JSON for travel. Pure. Only this workflow module imports fflate. The bundle shares this module between runs, because
// fflate's tables would take 200 kB in each (`sharedModules` in worker/bundle.ts).
//
// 1. Counts inflated bytes while they grow: a few bytes may stand for a thousand times as many.
// 2. Bytes that are too large or cannot be read throw a typed error. It fails the run, not the worker.

import { deflateSync, Inflate, strFromU8, strToU8 } from 'fflate';
import { limits, LonghaulError } from '../protocol';
import { isJsonObject } from '../base';

/** How many bytes to inflate at a time. A kilobyte becomes a megabyte at most. */
const step = 16 * 1024;

export function deflateJson(value: unknown): Uint8Array {
  return deflateSync(strToU8(JSON.stringify(value)));
}

/** Throws a `SyntaxError` with fflate's message if the bytes are not deflated, and a `RangeError` over `maxBytes`. */
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

/** `what` names the bytes in the error. */
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
