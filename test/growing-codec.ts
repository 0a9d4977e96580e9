import type { Payload, PayloadCodec } from '@temporalio/common';

const encoding = Buffer.from('test/grown');
const header = Buffer.from('a header, as a key id or a nonce: 48 bytes long.');

/** What an encryption that gives text does to sizes: a header and a third more. */
export const growingCodec: PayloadCodec = {
  encode: async (payloads) => payloads.map(grown),
  decode: async (payloads) => payloads.map(shrunk),
};

function grown(payload: Payload): Payload {
  const metadata = Buffer.from(JSON.stringify(texts(payload.metadata ?? {}))).toString('base64');
  const data = Buffer.from(payload.data ?? []).toString('base64');
  return {
    metadata: { encoding },
    data: Buffer.concat([header, Buffer.from(`${metadata}.${data}`)]),
  };
}

function shrunk(payload: Payload): Payload {
  if (!Buffer.from(payload.metadata?.['encoding'] ?? []).equals(encoding)) return payload;
  const [metadata = '', data = ''] = Buffer.from(payload.data ?? [])
    .subarray(header.length)
    .toString()
    .split('.');
  const kept = JSON.parse(Buffer.from(metadata, 'base64').toString()) as Record<string, string>;
  return {
    metadata: Object.fromEntries(Object.entries(kept).map(([key, text]) => [key, bytes(text)])),
    data: bytes(data),
  };
}

function texts(metadata: NonNullable<Payload['metadata']>): Record<string, string> {
  const entries = Object.entries(metadata).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function bytes(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64');
}
