import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import type { Payload, PayloadCodec } from '@temporalio/common';

const encoding = new TextEncoder().encode('binary/encrypted');

/** AES-256-GCM over whole payloads, their metadata included. What it did not encode it cannot decode. */
export function aesCodec(key = randomBytes(32)): PayloadCodec {
  return {
    encode: (payloads) =>
      Promise.resolve(
        payloads.map((payload) => {
          const iv = randomBytes(12);
          const cipher = createCipheriv('aes-256-gcm', key, iv);
          const text = [
            cipher.update(serialize({ metadata: payload.metadata, data: payload.data })),
            cipher.final(),
          ];
          return {
            metadata: { encoding },
            data: Buffer.concat([iv, ...text, cipher.getAuthTag()]),
          };
        }),
      ),
    decode: (payloads) =>
      Promise.resolve(
        payloads.map(({ data }) => {
          const bytes = Buffer.from(data ?? []);
          const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
          decipher.setAuthTag(bytes.subarray(-16));
          const text = [decipher.update(bytes.subarray(12, -16)), decipher.final()];
          return deserialize(Buffer.concat(text)) as Payload;
        }),
      ),
  };
}
