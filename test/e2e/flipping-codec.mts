import { deserialize, serialize } from 'node:v8';
import type { Payload, PayloadCodec } from '@temporalio/common';

const flip = (data: Uint8Array): Uint8Array => data.map((byte) => byte ^ 0xff);

/** Hides what a payload is. The same payload always becomes the same bytes. */
export const flippingCodec: PayloadCodec = {
  encode: (payloads) =>
    Promise.resolve(
      payloads.map(({ metadata, data }) => ({
        metadata: { encoding: new TextEncoder().encode('binary/flipped') },
        data: flip(serialize({ metadata, data })),
      })),
    ),
  decode: (payloads) =>
    Promise.resolve(
      payloads.map(({ data }) => deserialize(flip(data ?? new Uint8Array())) as Payload),
    ),
};
