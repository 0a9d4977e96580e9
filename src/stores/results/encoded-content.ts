// Encoded content: a mark, the SHA-256 of what follows, and payloads. With the SHA-256, the reader distinguishes damaged bytes from a codec
// without the right key.

import { createHash } from 'node:crypto';
import { limits } from '../../protocol';
import { databaseError } from '../state/state-rows';

type ContentPayload = {
  readonly metadata?: { [key: string]: Uint8Array } | null;
  readonly data?: Uint8Array | null;
};

/** Temporal's `PayloadCodec`, as far as contents need it. */
export type ContentCodec = {
  encode(payloads: ContentPayload[]): Promise<ContentPayload[]>;
  decode(payloads: ContentPayload[]): Promise<ContentPayload[]>;
};

const mark = new TextEncoder().encode('longhaul content 1\n');

const bodyAt = mark.byteLength + 32;

export function isEncoded(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(mark) === 0;
}

/** It encodes one chunk after the other: a codec gets no more bytes at once than from a history. */
export async function encodeContent(
  codecs: readonly ContentCodec[],
  bytes: Uint8Array,
): Promise<Uint8Array> {
  const encoding = new TextEncoder().encode('binary/plain');
  const frames: Uint8Array[] = [];
  for (let at = 0; at < Math.max(bytes.byteLength, 1); at += limits.contentChunk) {
    let payload: ContentPayload = {
      metadata: { encoding },
      data: bytes.subarray(at, at + limits.contentChunk),
    };
    for (const codec of codecs) payload = await coded(() => codec.encode([payload]));
    frames.push(...framesOf(payload));
  }
  const hash = createHash('sha256');
  for (const frame of frames) hash.update(frame);
  return Buffer.concat([mark, hash.digest(), ...frames]);
}

/** Undefined if the bytes are damaged. */
export async function decodeContent(
  codecs: readonly ContentCodec[],
  encoded: Uint8Array,
): Promise<Uint8Array | undefined> {
  const body = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength).subarray(bodyAt);
  const checksum = encoded.subarray(mark.byteLength, bodyAt);
  if (!createHash('sha256').update(body).digest().equals(checksum)) return undefined;
  const payloads = payloadsOf(body);
  if (payloads === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for (let payload of payloads) {
    for (const codec of [...codecs].reverse()) {
      const current = payload;
      payload = await coded(() => codec.decode([current]));
    }
    chunks.push(payload.data ?? new Uint8Array());
  }
  return Buffer.concat(chunks);
}

/** The metadata as JSON and the data, each after its length. */
function framesOf({ metadata, data }: ContentPayload): readonly Uint8Array[] {
  const texts = Object.entries(metadata ?? {}).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  return [Buffer.from(JSON.stringify(texts)), data ?? new Uint8Array()].flatMap((frame) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(frame.byteLength);
    return [length, frame];
  });
}

/** Undefined for bytes that `framesOf` did not make. */
function payloadsOf(body: Buffer): readonly ContentPayload[] | undefined {
  const next = (at: number): Buffer => body.subarray(at + 4, at + 4 + body.readUInt32BE(at));
  const payloads: ContentPayload[] = [];
  try {
    for (let at = 0; at < body.byteLength;) {
      const texts = next(at);
      const data = next(at + 4 + texts.byteLength);
      const metadata = (JSON.parse(texts.toString()) as [string, string][]).map(
        ([key, value]): [string, Uint8Array] => [key, Buffer.from(value, 'base64')],
      );
      payloads.push({ metadata: Object.fromEntries(metadata), data });
      at += 8 + texts.byteLength + data.byteLength;
    }
    return payloads;
  } catch {
    return undefined;
  }
}

async function coded(call: () => Promise<ContentPayload[]>): Promise<ContentPayload> {
  try {
    const [payload] = await call();
    return payload ?? {};
  } catch (error) {
    throw databaseError('the codec of encryption fails on content', error, () => true);
  }
}
