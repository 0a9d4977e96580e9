import type * as S3 from '@aws-sdk/client-s3';
import { defined } from '../../base';
import { loadPeer, LonghaulError, timeouts } from '../../protocol';
import { databaseError } from '../state/state-rows';
import {
  checkDigest,
  type DeleteScopeOptions,
  isDigest,
  oldEnough,
  type ResultKey,
  type ResultScope,
  type ResultStore,
  scopeName,
  type ScopePage,
} from './result-store';

/** The part of an `S3Client` of the package `@aws-sdk/client-s3` that we use. */
type S3ClientLike = { send(command: never, options?: never): Promise<unknown> };

export type S3ResultsOptions = {
  readonly bucket: string;
  /** The prefix of the names of all objects, such as `longhaul/`. Default: none. */
  readonly prefix?: string;
  /** Your own `S3Client`, for instance with special credentials or TLS settings. It replaces `region` and `endpoint`. */
  readonly client?: S3ClientLike;
  /** Default: what the AWS SDK finds in its environment. */
  readonly region?: string;
  /** The URL of a server that speaks S3. Then the bucket stands in the path of each request. Default: AWS. */
  readonly endpoint?: string;
};

/** The object of a scope that has its name. Its time is that of the last write. */
const nameObject = 'scope';

/** Client errors that may pass: a wrong clock or key that an operator repairs, a missing bucket or right, time-outs, conflicts, load. */
const passing: ReadonlySet<number> = new Set([401, 403, 404, 408, 409, 425, 429]);

/** The most objects that one call lists or deletes. */
const batch = 1_000;

const connectMs = 5_000;

type Content = { readonly digest: string; readonly writtenAt: Date };

/**
 * Keeps results as objects of a bucket, in S3 or a server with the same API, by the package `@aws-sdk/client-s3`. Needs the rights to list
 * the bucket, and to get, put and delete objects. A failed call rejects with `StoreError`; `retryable` is true if another attempt may
 * succeed.
 *
 * @example
 * const results = new S3Results({ bucket: 'my-results', prefix: 'longhaul/' });
 */
export class S3Results implements ResultStore {
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #sdk: typeof S3;
  readonly #client: S3.S3Client;

  constructor({ bucket, prefix = '', client, region, endpoint }: S3ResultsOptions) {
    if (typeof bucket !== 'string' || bucket === '')
      throw new LonghaulError('StoreError', 'S3Results needs the name of a bucket');
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- Jest cannot run a native import() of the built package
    this.#sdk = loadPeer('@aws-sdk/client-s3', () => require('@aws-sdk/client-s3') as typeof S3);
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#client = (client ?? this.#newClient({ region, endpoint })) as S3.S3Client;
  }

  async put({ scope, digest }: ResultKey, bytes: Uint8Array): Promise<void> {
    checkDigest(digest);
    const folder = this.#folderOf(scopeName(scope));
    await this.#name(folder, scope);
    await this.#write(`${folder}${digest}`, bytes);
  }

  async get({ scope, digest }: ResultKey): Promise<Uint8Array | undefined> {
    checkDigest(digest);
    return (await this.#read(`${this.#folderOf(scopeName(scope))}${digest}`))?.bytes;
  }

  async scopes({ after, limit }: ScopePage): Promise<readonly ResultScope[]> {
    const found: ResultScope[] = [];
    let from = after === undefined ? undefined : this.#folderOf(scopeName(after));
    while (found.length < limit) {
      const folders = await this.#folders(from, limit - found.length);
      if (folders.length === 0) break;
      from = folders.at(-1);
      const named = folders.map((folder) => this.#read(`${folder}${nameObject}`));
      for (const name of await Promise.all(named))
        if (name !== undefined)
          found.push({ scope: Buffer.from(name.bytes).toString(), lastWrittenAt: name.writtenAt });
    }
    return found;
  }

  /**
   * The object with the name goes last: if the process ends before, the next call goes on. It stays if somebody writes meanwhile. A content
   * that was written since it was listed stays, too, unless it was there before.
   */
  async deleteScope(scope: string, options: DeleteScopeOptions = {}): Promise<number> {
    const { unlessWrittenSince, except = [] } = options;
    const before = oldEnough(options);
    const folder = this.#folderOf(scopeName(scope));
    const name = await this.#read(`${folder}${nameObject}`);
    if (name === undefined) return 0;
    if (unlessWrittenSince !== undefined && name.writtenAt >= unlessWrittenSince) return 0;
    const isUnused = ({ digest, writtenAt }: Content): boolean =>
      !except.includes(digest) && (before === undefined || writtenAt < before);
    let deleted = 0;
    for (let after: string | undefined; ;) {
      const contents = await this.#contents(folder, after);
      const unused = contents.filter(isUnused);
      if (unused.length > 0) await this.#delete(unused.map(({ digest }) => `${folder}${digest}`));
      deleted += unused.length;
      after = contents.at(-1)?.digest;
      if (after === undefined) break;
    }
    if (await this.#isEmpty(folder)) await this.#delete([`${folder}${nameObject}`]);
    if (!(await this.#isEmpty(folder))) await this.#name(folder, scope);
    return deleted;
  }

  #newClient({
    region,
    endpoint,
  }: {
    region: string | undefined;
    endpoint: string | undefined;
  }): S3.S3Client {
    return new this.#sdk.S3Client({
      ...defined({ region, endpoint }),
      forcePathStyle: endpoint !== undefined,
      maxAttempts: 2,
      requestHandler: { connectionTimeout: connectMs, requestTimeout: timeouts.storedContent },
    });
  }

  #folderOf(name: string): string {
    return `${this.#prefix}${name}/`;
  }

  async #name(folder: string, scope: string): Promise<void> {
    await this.#write(`${folder}${nameObject}`, Buffer.from(scope));
  }

  async #write(Key: string, Body: Uint8Array): Promise<void> {
    const { PutObjectCommand } = this.#sdk;
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key, Body });
    await this.#call((abortSignal) => this.#client.send(command, { abortSignal }));
  }

  async #read(Key: string): Promise<{ bytes: Uint8Array; writtenAt: Date } | undefined> {
    const { GetObjectCommand } = this.#sdk;
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key });
    return await this.#call(async (abortSignal) => {
      try {
        const { Body, LastModified } = await this.#client.send(command, { abortSignal });
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
        return { bytes, writtenAt: LastModified ?? new Date() };
      } catch (error) {
        // Only for this name: a missing bucket does not mean that the content is lost.
        if ((error as Error).name === 'NoSuchKey') return undefined;
        throw error;
      }
    });
  }

  /** The folders of scopes, in the order of their names, after `from`. */
  async #folders(from: string | undefined, limit: number): Promise<readonly string[]> {
    const { CommonPrefixes = [] } = await this.#list({
      Prefix: this.#prefix,
      Delimiter: '/',
      // `0` follows `/`: the folder itself is not listed again.
      ...(from !== undefined && { StartAfter: `${from.slice(0, -1)}0` }),
      MaxKeys: Math.min(limit, batch),
    });
    return CommonPrefixes.flatMap(({ Prefix = [] }) => Prefix).slice(0, limit);
  }

  async #contents(folder: string, after?: string): Promise<readonly Content[]> {
    const { Contents = [] } = await this.#list({
      Prefix: folder,
      MaxKeys: batch,
      ...(after !== undefined && { StartAfter: `${folder}${after}` }),
    });
    const found = Contents.map(({ Key = '', LastModified = new Date() }) => ({
      digest: Key.slice(folder.length),
      writtenAt: LastModified,
    }));
    return found.filter(({ digest }) => isDigest(digest));
  }

  async #isEmpty(folder: string): Promise<boolean> {
    return (await this.#contents(folder)).length === 0;
  }

  async #list(input: Partial<S3.ListObjectsV2CommandInput>): Promise<S3.ListObjectsV2Output> {
    const command = new this.#sdk.ListObjectsV2Command({ Bucket: this.#bucket, ...input });
    return await this.#call((abortSignal) => this.#client.send(command, { abortSignal }));
  }

  async #delete(keys: readonly string[]): Promise<void> {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
    const command = new this.#sdk.DeleteObjectsCommand({ Bucket: this.#bucket, Delete });
    const { Errors: [failed] = [] } = await this.#call((abortSignal) =>
      this.#client.send(command, { abortSignal }),
    );
    if (failed === undefined) return;
    throw new LonghaulError('StoreError', `S3: ${failed.Code}: ${failed.Message}`, {
      retryable: true,
    });
  }

  /** Ends the request itself after a time, because a server that sends nothing would hold it. */
  async #call<Result>(send: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    try {
      return await send(AbortSignal.timeout(timeouts.storedContent));
    } catch (error) {
      throw databaseError('S3', error, () => isPassing(error));
    }
  }
}

/** An error without a status is a lost or failed connection. */
function isPassing(error: unknown): boolean {
  const { $metadata } = Object(error) as { readonly $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return status === undefined || status >= 500 || status < 400 || passing.has(status);
}
