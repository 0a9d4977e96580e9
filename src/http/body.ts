// Reads the body of a request: JSON, within bounds of size, depth and time.

import { isJsonObject, type JsonObject } from '../base';
import { HttpProblem } from './problems';

export type BodyLimits = { readonly maxBytes: number; readonly timeoutMs: number };

/** Deeper than any value that runs take. */
const deepest = 200;

/** More values than any conversation has. The readers of a body read each value several times. */
const mostValues = 50_000;

/** How long the rest of a refused body is read. */
const longestRest = 5_000;

/**
 * A request that changes something must have the content type of JSON, even without a body. A form on a foreign page cannot set it, and so
 * cannot use the cookies of a browser.
 */
export function requireJson({ headers }: Request): void {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (/^application\/(?:[\w.-]+\+)?json$/i.test(type.trim())) return;
  throw new HttpProblem('UnsupportedMediaType');
}

/** The body as a JSON object. An empty body is `{}`. */
export async function readJson(request: Request, limits: BodyLimits): Promise<JsonObject> {
  const bytes = await readBytes(request, limits);
  checkStructure(bytes);
  const text = decode(bytes);
  if (text.trim() === '') return {};
  const value = parse(text);
  if (isJsonObject(value)) return value;
  throw invalid('the body must be a JSON object');
}

async function readBytes(request: Request, { maxBytes, timeoutMs }: BodyLimits): Promise<Buffer> {
  if (request.body === null) return Buffer.alloc(0);
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const slow = deadline(timeoutMs);
  try {
    if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), slow.passed]);
      if (done) return Buffer.concat(chunks);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } catch (error) {
    void discard(reader, Math.min(timeoutMs, longestRest));
    throw error instanceof HttpProblem ? error : invalid('the body broke off', error);
  } finally {
    slow.clear();
  }
}

/** A server that closes a connection while the client writes loses its own answer. So it reads on for a while, and keeps nothing. */
async function discard(reader: ReadableStreamDefaultReader, ms: number): Promise<void> {
  const stop = (): void => void reader.cancel().catch(() => undefined);
  AbortSignal.timeout(ms).addEventListener('abort', stop, { once: true });
  try {
    while (!(await reader.read()).done);
  } catch {
    // The client is gone.
  }
}

function deadline(ms: number): { readonly passed: Promise<never>; readonly clear: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new HttpProblem('RequestTimeout')), ms);
  });
  return { passed, clear: () => clearTimeout(timer) };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalid('the body is not UTF-8', error);
  }
}

/** Characters as bytes of UTF-8. No other character has these bytes. */
const quoteMark = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const isOpening = (byte: number): boolean => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

/** Counts levels and values before the parser makes the whole value. It reads each byte once, for any body. */
function checkStructure(bytes: Uint8Array): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quoteMark) at = endOfText(bytes, at);
    else if (isClosing(byte)) depth -= 1;
    else if (isOpening(byte)) depth += 1;
    if (byte === comma || isOpening(byte)) values += 1;
    if (depth > deepest) throw invalid(`the body has more than ${deepest} levels`);
    if (values > mostValues) throw invalid(`the body has more than ${mostValues} values`);
  }
}

/** The end of the text that begins at `from`: its quote, or the end of the bytes. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quoteMark) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid('the body is not JSON', error);
  }
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem('PayloadTooLarge', { detail: `the body has more than ${maxBytes} bytes` });
}

function invalid(detail: string, cause?: unknown): HttpProblem {
  return new HttpProblem('InvalidInput', { detail, cause });
}
