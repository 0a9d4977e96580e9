// Pure: no server. The store is a map that counts and can be broken.

import { randomBytes } from 'node:crypto';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { ResultKey, ResultStore } from '../../../../src/stores/results/result-store';
import { scopeOf } from '../../../../src/stores/results/result-store';
import type { ContentCodec } from '../../../../src/stores/results/encoded-content';
import { StoredContent } from '../../../../src/stores/results/stored-content';
import { contentCodecs } from '../../../../src/server/encryption';
import { aesCodec } from '../../../encryption/aes-codec';

const scope = scopeOf('default', 'run-1');
const MiB = 1024 * 1024;

class MapStore implements ResultStore {
  readonly contents = new Map<string, Uint8Array>();
  gets = 0;

  put({ scope: of, digest }: ResultKey, bytes: Uint8Array): Promise<void> {
    this.contents.set(`${of} ${digest}`, Uint8Array.from(bytes));
    return Promise.resolve();
  }

  get({ scope: of, digest }: ResultKey): Promise<Uint8Array | undefined> {
    this.gets += 1;
    return Promise.resolve(this.contents.get(`${of} ${digest}`));
  }

  scopes(): Promise<readonly []> {
    return Promise.resolve([]);
  }

  deleteScope(): Promise<number> {
    return Promise.resolve(0);
  }

  /** Changes what is there. */
  alter(change: (bytes: Uint8Array) => Uint8Array): void {
    for (const [key, bytes] of this.contents) this.contents.set(key, change(bytes));
  }
}

const encryption = aesCodec();
const aes = (): readonly ContentCodec[] => contentCodecs({ encryption });

const flipped = (at: number) => (bytes: Uint8Array) =>
  bytes.map((byte, index) => (index === at || index - bytes.length === at ? byte ^ 1 : byte));

async function failure(call: Promise<unknown>): Promise<LonghaulError> {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!LonghaulError.is(error)) throw new Error(`not a LonghaulError: ${String(error)}`);
  return error;
}

describe.each([
  { name: 'in clear', codecs: (): readonly ContentCodec[] => [] },
  { name: 'encrypted', codecs: aes },
])('StoredContent $name', ({ codecs }) => {
  it.each([0, 1, MiB, 2 * MiB + 17])('gives back %d bytes to another process', async (size) => {
    const store = new MapStore();
    const bytes = randomBytes(size);
    const stored = await new StoredContent(store, { codecs: codecs() }).keep(scope, bytes);
    const read = await new StoredContent(store, { codecs: codecs() }).read(scope, stored);
    expect(stored.bytes).toBe(size);
    expect(Buffer.from(read.bytes ?? []).equals(bytes)).toBe(true);
  });

  it('gives back bytes that begin like encoded ones: a file may say anything', async () => {
    const store = new MapStore();
    const bytes = Buffer.concat([Buffer.from('longhaul content 1\n'), randomBytes(100)]);
    const stored = await new StoredContent(store, { codecs: codecs() }).keep(scope, bytes);
    const read = await new StoredContent(store, { codecs: codecs() }).read(scope, stored);
    expect(Buffer.from(read.bytes ?? []).equals(bytes)).toBe(true);
  });

  it('says that content is lost when the store does not have it', async () => {
    const store = new MapStore();
    const stored = await new StoredContent(store, { codecs: codecs() }).keep(scope, randomBytes(9));
    const reader = new StoredContent(store, { codecs: codecs() });
    expect(await reader.read(scopeOf('default', 'run-2'), stored)).toEqual({
      lost: 'the result store no longer has it',
    });
    store.contents.clear();
    expect(await reader.read(scope, stored)).toEqual({ lost: 'the result store no longer has it' });
  });

  it.each([
    { what: 'a changed byte at the end', change: flipped(-1) },
    { what: 'a changed byte in the middle', change: flipped(40) },
    { what: 'less bytes', change: (bytes: Uint8Array) => bytes.subarray(0, 30) },
    { what: 'no bytes', change: () => new Uint8Array() },
    { what: 'other bytes', change: () => Buffer.from('something else') },
  ])('says that content is lost when the store returns $what', async ({ change }) => {
    const store = new MapStore();
    const bytes = randomBytes(1_000);
    const stored = await new StoredContent(store, { codecs: codecs() }).keep(scope, bytes);
    store.alter(change);
    const reader = new StoredContent(store, { codecs: codecs() });
    const lost = { lost: 'the result store returned other bytes than were kept' };
    expect(await reader.read(scope, stored)).toEqual(lost);
    // A damaged answer is not remembered: the next one may be right.
    await new StoredContent(store, { codecs: codecs() }).keep(scope, bytes);
    expect((await reader.read(scope, stored)).bytes?.byteLength).toBe(1_000);
    expect(await reader.read(scope, { ...stored, bytes: 999 })).toEqual(lost);
  });

  it('passes an error of the store on as one that may pass, unless the store says otherwise', async () => {
    const store = new MapStore();
    const content = new StoredContent(store, { codecs: codecs() });
    const down = () => Promise.reject(new Error('connection refused'));
    store.put = down;
    store.get = down;
    const error = await failure(content.keep(scope, randomBytes(3)));
    expect(error).toMatchObject({ code: 'StoreError', retryable: true });
    expect(error.message).toBe('the result store: connection refused');
    const stored = { digest: 'a'.repeat(64), bytes: 3 };
    expect(await failure(content.read(scope, stored))).toMatchObject({ retryable: true });
    store.get = () => Promise.reject(new LonghaulError('StoreError', 'no such table'));
    expect(await failure(content.read(scope, stored))).toMatchObject({ retryable: false });
  });

  it('gives up on a store that does not answer', async () => {
    const store = new MapStore();
    store.put = () => new Promise(() => undefined);
    store.get = () => new Promise(() => undefined);
    const content = new StoredContent(store, { codecs: codecs(), timeoutMs: 5 });
    const late = {
      code: 'StoreError',
      retryable: true,
      message: 'the result store: no answer within 5 ms',
    };
    expect(await failure(content.keep(scope, randomBytes(3)))).toMatchObject(late);
    const stored = { digest: 'a'.repeat(64), bytes: 3 };
    expect(await failure(content.read(scope, stored))).toMatchObject(late);
  });
});

describe('StoredContent', () => {
  it('makes one call for many readers, and none for what is in memory', async () => {
    const store = new MapStore();
    const stored = await new StoredContent(store).keep(scope, randomBytes(100));
    const reader = new StoredContent(store);
    const reads = await Promise.all(Array.from({ length: 20 }, () => reader.read(scope, stored)));
    expect(new Set(reads.map(({ bytes }) => bytes)).size).toBe(1);
    await reader.read(scope, stored);
    expect(store.gets).toBe(1);
  });

  it('asks again after a failed read', async () => {
    const store = new MapStore();
    const stored = await new StoredContent(store).keep(scope, randomBytes(100));
    const reader = new StoredContent(store);
    const get = store.get.bind(store);
    store.get = () => Promise.reject(new Error('down'));
    const reads = [reader.read(scope, stored), reader.read(scope, stored)];
    for (const read of reads) expect(await failure(read)).toMatchObject({ code: 'StoreError' });
    store.get = get;
    expect((await reader.read(scope, stored)).bytes?.byteLength).toBe(100);
  });

  it('keeps no more in memory than it may, and reads the rest again', async () => {
    const store = new MapStore();
    const content = new StoredContent(store, { cacheBytes: 250 });
    const first = await content.keep(scope, randomBytes(100));
    const second = await content.keep(scope, randomBytes(100));
    const third = await content.keep(scope, randomBytes(100));
    const large = await content.keep(scope, randomBytes(300));
    for (const stored of [second, third]) await content.read(scope, stored);
    expect(store.gets).toBe(0);
    for (const stored of [first, large])
      expect((await content.read(scope, stored)).bytes?.byteLength).toBe(stored.bytes);
    expect(store.gets).toBe(2);
  });

  it('never serves one scope from the memory of another', async () => {
    const content = new StoredContent(new MapStore());
    const stored = await content.keep(scope, randomBytes(100));
    expect(await content.read(scopeOf('default', 'run-2'), stored)).toHaveProperty('lost');
    expect(await content.read(scopeOf('other', 'run-1'), stored)).toHaveProperty('lost');
  });

  it('refuses more than 64 MiB', async () => {
    const content = new StoredContent(new MapStore());
    expect(await failure(content.keep(scope, new Uint8Array(64 * MiB + 1)))).toMatchObject({
      code: 'PayloadTooLarge',
      retryable: false,
    });
  });
});

describe('encrypted content', () => {
  it('reaches the store without a trace of its text, in chunks that a codec takes', async () => {
    const store = new MapStore();
    const sizes: number[] = [];
    const [codec] = aes();
    const counting: ContentCodec = {
      encode: (payloads) => {
        sizes.push(...payloads.map(({ data }) => data?.byteLength ?? 0));
        return codec?.encode(payloads) ?? Promise.resolve(payloads);
      },
      decode: (payloads) => codec?.decode(payloads) ?? Promise.resolve(payloads),
    };
    const text = Buffer.from('the customer is ada lovelace. '.repeat(100_000));
    const stored = await new StoredContent(store, { codecs: [counting] }).keep(scope, text);
    const [kept = new Uint8Array()] = store.contents.values();
    expect(Buffer.from(kept).includes('ada lovelace')).toBe(false);
    expect(Math.max(...sizes)).toBe(MiB);
    const reader = new StoredContent(store, { codecs: [counting] });
    expect((await reader.read(scope, stored)).bytes?.byteLength).toBe(text.byteLength);
  });

  it('is not read by a side without the codec, and clear content is not read by one with it', async () => {
    const store = new MapStore();
    const bytes = randomBytes(10);
    const stored = await new StoredContent(store, { codecs: aes() }).keep(scope, bytes);
    expect(await failure(new StoredContent(store).read(scope, stored))).toMatchObject({
      code: 'EncryptionMismatch',
    });
    for (const clear of [bytes, Buffer.from('longhaul content 1\nin clear')]) {
      const kept = await new StoredContent(store).keep(scope, clear);
      const reader = new StoredContent(store, { codecs: aes() });
      expect(await failure(reader.read(scope, kept))).toMatchObject({ code: 'EncryptionMismatch' });
    }
  });

  it('waits for a codec that fails, such as one whose key service is down', async () => {
    const store = new MapStore();
    const down: ContentCodec = {
      encode: () => Promise.reject(new Error('no key service')),
      decode: () => Promise.reject(new Error('no key service')),
    };
    const stored = await new StoredContent(store, { codecs: aes() }).keep(scope, randomBytes(10));
    const content = new StoredContent(store, { codecs: [down] });
    const failed = { code: 'StoreError', retryable: true };
    expect(await failure(content.keep(scope, randomBytes(10)))).toMatchObject(failed);
    expect(await failure(content.read(scope, stored))).toMatchObject(failed);
  });

  it('takes several codecs, and undoes them in the other order', async () => {
    const store = new MapStore();
    const tagged = (tag: string): ContentCodec => ({
      encode: (payloads) =>
        Promise.resolve(
          payloads.map(({ data }) => ({
            data: Buffer.concat([Buffer.from(tag), data ?? new Uint8Array()]),
          })),
        ),
      decode: (payloads) =>
        Promise.resolve(
          payloads.map(({ data }) => {
            const text = Buffer.from(data ?? []);
            if (text.toString('latin1', 0, 1) !== tag) throw new Error(`not tagged ${tag}`);
            return { data: text.subarray(1) };
          }),
        ),
    });
    const codecs = [tagged('a'), tagged('b')];
    const stored = await new StoredContent(store, { codecs }).keep(scope, Buffer.from('text'));
    const { bytes } = await new StoredContent(store, { codecs }).read(scope, stored);
    expect(Buffer.from(bytes ?? []).toString()).toBe('text');
  });
});
