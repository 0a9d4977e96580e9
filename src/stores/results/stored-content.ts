// Puts contents of runs and clients into a result store, and reads them back.
//
// 1. Bytes are never returned if their digest is not the one in the log.
// 2. Content that is gone or wrong is a fact for the caller. A store that does not work is an error, and another attempt may succeed.
// 3. With a codec, nothing reaches the store in clear, and nothing in clear is taken from it.

import { LRUCache } from 'lru-cache';
import { limits, LonghaulError, type MediaSource, type Stored, timeouts } from '../../protocol';
import { databaseError } from '../state/state-rows';
import { ByteGate } from './byte-gate';
import { type ContentCodec, decodeContent, encodeContent, isEncoded } from './encoded-content';
import { type DeleteScopeOptions, memoryMark, type ResultStore, sha256Of } from './result-store';

export type StoredContentOptions = {
  /** They encode contents before these reach the store; the first one first. */
  readonly codecs?: readonly ContentCodec[];
  /** Bytes of memory for contents. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** Bytes of contents that requests to models hold at a time. Default 256 MiB. */
  readonly requestBytes?: number;
  /** Milliseconds that a call of the store may take. Default 30,000. */
  readonly timeoutMs?: number;
};

/** `lost` is the reason why nobody can read the content any more. */
export type ReadContent =
  | { readonly bytes: Uint8Array; readonly lost?: never }
  | { readonly lost: string; readonly bytes?: never };

const gone = 'the result store no longer has it';
const wrong = 'the result store returned other bytes than were kept';

/** Each worker and client has one. It keeps contents in memory, and many readers of one content make one call. */
export class StoredContent {
  readonly #store: ResultStore;
  readonly #codecs: readonly ContentCodec[];
  readonly #timeoutMs: number;
  readonly #held: LRUCache<string, Uint8Array>;
  readonly #reading = new Map<string, Promise<ReadContent>>();
  readonly #inRequests: ByteGate;

  constructor(store: ResultStore, options: StoredContentOptions = {}) {
    const { codecs = [], cacheBytes, requestBytes, timeoutMs } = options;
    this.#store = store;
    this.#codecs = codecs;
    this.#timeoutMs = timeoutMs ?? timeouts.storedContent;
    this.#inRequests = new ByteGate(requestBytes ?? limits.contentInRequests);
    this.#held = new LRUCache({
      maxSize: cacheBytes ?? limits.contentCacheBytes,
      sizeCalculation: ({ byteLength }) => byteLength + 1,
    });
  }

  /** Throws `PayloadTooLarge` for more than 64 MiB, and `StoreError` if the store does not keep the bytes. */
  async keep(scope: string, bytes: Uint8Array): Promise<Stored> {
    if (bytes.byteLength > limits.storedContent)
      throw new LonghaulError(
        'PayloadTooLarge',
        `a content of ${bytes.byteLength} bytes is too large: a result store takes ${limits.storedContent}`,
      );
    const digest = sha256Of(bytes);
    const encoded = this.#codecs.length === 0 ? bytes : await encodeContent(this.#codecs, bytes);
    await this.#call(() => this.#store.put({ scope, digest }, encoded));
    this.#held.set(nameOf(scope, digest), bytes);
    return { digest, bytes: bytes.byteLength };
  }

  /** Readers share the bytes: do not change them. Throws `StoreError` if the store or the codec fails. */
  async read(
    scope: string,
    { digest, bytes: size }: Pick<Stored, 'digest'> & Partial<Stored>,
  ): Promise<ReadContent> {
    const read = await this.#readOnce(scope, digest);
    const isWhole = size === undefined || read.bytes?.byteLength === size;
    return read.bytes === undefined || isWhole ? read : { lost: wrong };
  }

  /** Keeps the scope for as long as a memory store has the conversation. */
  async mark(scope: string): Promise<void> {
    await this.keep(scope, memoryMark);
  }

  /** Deletes contents of the scope, also from this process's memory. Throws `StoreError` if the store fails. */
  async erase(scope: string, options: DeleteScopeOptions): Promise<void> {
    await this.#call(() => this.#store.deleteScope(scope, options));
    for (const name of [...this.#held.keys()])
      if (name.endsWith(` ${scope}`)) this.#held.delete(name);
  }

  /** Does work that holds this many bytes of content until it ends. It waits until there is room for them. */
  async holding<Result>(
    bytes: number,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return await this.#inRequests.hold(bytes, signal, work);
  }

  async #readOnce(scope: string, digest: string): Promise<ReadContent> {
    const name = nameOf(scope, digest);
    const held = this.#held.get(name);
    if (held !== undefined) return { bytes: held };
    const reading = this.#reading.get(name) ?? this.#fetch(scope, digest);
    this.#reading.set(name, reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(name);
    }
  }

  async #fetch(scope: string, digest: string): Promise<ReadContent> {
    const got = await this.#call(() => this.#store.get({ scope, digest }));
    if (got === undefined) return { lost: gone };
    const bytes = await this.#decoded(got, digest);
    if (bytes === undefined) return { lost: wrong };
    this.#held.set(nameOf(scope, digest), bytes);
    return { bytes };
  }

  /**
   * Undefined if the store returned other bytes than it got. The digest decides what they are: content in clear may begin with the mark of
   * encoded content.
   */
  async #decoded(got: Uint8Array, digest: string): Promise<Uint8Array | undefined> {
    const encodes = this.#codecs.length > 0;
    const bytes = encodes && isEncoded(got) ? await decodeContent(this.#codecs, got) : undefined;
    if (bytes !== undefined && sha256Of(bytes) === digest) return bytes;
    if (sha256Of(got) === digest) {
      if (encodes) throw new LonghaulError('EncryptionMismatch', cameInClear);
      return got;
    }
    if (!encodes && isEncoded(got)) throw new LonghaulError('EncryptionMismatch', cameEncoded);
    return undefined;
  }

  /** Also ends the wait for a store that does not answer. */
  async #call<Result>(call: () => Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(new Error(`no answer within ${this.#timeoutMs} ms`));
      timer = setTimeout(fail, this.#timeoutMs);
    });
    try {
      return await Promise.race([call(), late]);
    } catch (error) {
      throw databaseError('the result store', error, () => true);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Works on all items, a few at once. Throws the first error. */
export async function atOnce<Item>(
  limit: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const workers = Array.from({ length: limit }, async () => {
    for (const item of waiting) await work(item);
  });
  await Promise.all(workers);
}

/** The bytes of inline media that are too large for a history. Undefined for other media. */
export function largeMedia(source: MediaSource): Uint8Array | undefined {
  if (source.kind !== 'base64') return undefined;
  const bytes = Buffer.from(source.data, 'base64');
  return bytes.byteLength > limits.storedMedia ? bytes : undefined;
}

function nameOf(scope: string, digest: string): string {
  return `${digest} ${scope}`;
}

const cameInClear =
  'the result store has this content in clear: give the side that wrote it the `encryption` of this side';
const cameEncoded =
  'the result store has this content encoded: give this side the `encryption` of the side that wrote it';
