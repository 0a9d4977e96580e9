import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';

const { Payload } = temporal.api.common.v1;
const encoding = new TextEncoder().encode('binary/encrypted');

/** AES-256-GCM over whole payloads, their metadata included. What it did not encode it cannot decode. */
export function aesCodec(key = randomBytes(32)): PayloadCodec {
  return {
    encode: (payloads) =>
      Promise.resolve(
        payloads.map((payload) => {
          const iv = randomBytes(12);
          const cipher = createCipheriv('aes-256-gcm', key, iv);
          const text = [cipher.update(Payload.encode(payload).finish()), cipher.final()];
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
          return Payload.decode(Buffer.concat(text));
        }),
      ),
  };
}
