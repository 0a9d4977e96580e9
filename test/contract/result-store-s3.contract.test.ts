// A server that speaks S3: s3rver, on files of a temporary folder.

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import { S3Results } from '../../src/stores/results/s3-results';
import { keyOf, resultStoreContract } from './result-store-contract';

const bytes = Buffer.from('bytes');
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const folder = mkdtempSync(join(tmpdir(), 'longhaul-s3-'));
const clients: S3Client[] = [];
let s3: S3rver;
let endpoint: string;

beforeAll(async () => {
  s3 = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder,
    configureBuckets: [{ name: 'results', configs: [] }],
  });
  const { port } = await s3.run();
  endpoint = `http://127.0.0.1:${port}`;
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
});

type Settings = { at?: string; bucket?: string; prefix?: string; accessKeyId?: string };

function open({ at = endpoint, bucket = 'results', prefix = 'a/b/', accessKeyId }: Settings = {}) {
  const client = new S3Client({
    endpoint: at,
    region: 'us-east-1',
    forcePathStyle: true,
    maxAttempts: 3,
    credentials: { ...credentials, ...(accessKeyId !== undefined && { accessKeyId }) },
  });
  clients.push(client);
  return new S3Results({ bucket, prefix, client });
}

describe('S3Results', () => {
  const cases = resultStoreContract(() => ({ store: open(), other: open() }));
  it.each(cases)('$name', async ({ run }) => await run());

  it('keeps two prefixes of a bucket apart', async () => {
    const [one, other] = [open({ prefix: 'one/' }), open({ prefix: 'other/' })];
    await one.put(keyOf('s', bytes), bytes);
    expect(await other.get(keyOf('s', bytes))).toBeUndefined();
    expect(await other.scopes({ limit: 10 })).toEqual([]);
    expect(await other.deleteScope('s')).toBe(0);
    expect((await one.scopes({ limit: 10 })).map(({ scope }) => scope)).toEqual(['s']);
  });

  it('does not take a key that the server does not know for lost content', async () => {
    const store = open({ accessKeyId: 'nobody' });
    const failed = { code: 'StoreError', retryable: true };
    await expect(store.get(keyOf('s', bytes))).rejects.toMatchObject(failed);
    await expect(store.put(keyOf('s', bytes), bytes)).rejects.toMatchObject(failed);
    await expect(store.scopes({ limit: 1 })).rejects.toMatchObject(failed);
    await expect(store.deleteScope('s')).rejects.toMatchObject(failed);
  });

  it('does not take a bucket that is not there for lost content', async () => {
    const double = await listening(
      createServer((_request, response) => {
        response.writeHead(404).end('<Error><Code>NoSuchBucket</Code><Message>m</Message></Error>');
      }),
    );
    const failed = { code: 'StoreError', retryable: true };
    const store = open({ at: double.url });
    await expect(store.get(keyOf('s', bytes))).rejects.toMatchObject(failed);
    await expect(store.deleteScope('s')).rejects.toMatchObject(failed);
    double.server.close();
  });

  it('fails as one that may be retried when nothing listens', async () => {
    const store = open({ at: 'http://127.0.0.1:1' });
    const failed = { code: 'StoreError', retryable: true };
    await expect(store.get(keyOf('s', bytes))).rejects.toMatchObject(failed);
  });

  it('signs every request, and says the length and a checksum of what it puts', async () => {
    const seen: Record<string, unknown>[] = [];
    const double = await listening(
      createServer((request, response) => {
        seen.push({ method: request.method, url: request.url, ...request.headers });
        request.resume().once('end', () => response.writeHead(200).end());
      }),
    );
    await open({ at: double.url }).put(keyOf('s', bytes), bytes);
    double.server.close();
    expect(seen).toHaveLength(2);
    for (const { authorization } of seen)
      expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=S3RVER\//);
    expect(seen[1]).toMatchObject({ method: 'PUT', 'content-length': '5' });
    expect(Object.keys(seen[1] ?? {}).some((name) => name.startsWith('x-amz-checksum-'))).toBe(
      true,
    );
  });

  it.each([
    { status: 503, retryable: true },
    { status: 403, retryable: true },
    { status: 400, retryable: false },
  ])('says whether the answer $status may pass', async ({ status, retryable }) => {
    const double = await listening(
      createServer((request, response) => {
        request.resume().once('end', () => response.writeHead(status).end());
      }),
    );
    const store = open({ at: double.url });
    await expect(store.put(keyOf('s', bytes), bytes)).rejects.toMatchObject({
      code: 'StoreError',
      retryable,
    });
    double.server.close();
  });

  it('refuses options without a bucket', () => {
    expect(() => new S3Results({ bucket: '' })).toThrow('S3Results needs the name of a bucket');
  });
});

async function listening(server: Server): Promise<{ server: Server; url: string }> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
