// Pure: no server.
import { join } from 'node:path';
import {
  type DataConverter,
  ExternalStorage,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { connect } from '../../../src/client';
import type { Deltas } from '../../../src/stores/deltas/deltas';
import { PostgresDeltas } from '../../../src/stores/deltas/postgres-deltas';
import { ProcessDeltas } from '../../../src/stores/deltas/process-deltas';
import { clientConverter, tryEncryption, workerConverter } from '../../../src/server/encryption';
import { createWorker, LonghaulPlugin } from '../../../src/worker';
import { aesCodec } from '../../encryption/aes-codec';

const codec = aesCodec();
const asIs = (payloads: Payload[]): Promise<Payload[]> => Promise.resolve(payloads);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const plain = (text: string): Payload => ({
  metadata: { encoding: bytes('json/plain') },
  data: bytes(JSON.stringify(text)),
});
const nothing: Payload = { metadata: { encoding: bytes('binary/null') } };
const renaming: PayloadCodec = {
  encode: (payloads) =>
    Promise.resolve(
      payloads.map(({ data }) => ({
        metadata: { encoding: bytes('binary/x') },
        data: data ?? null,
      })),
    ),
  decode: asIs,
};
const forgetting: PayloadCodec = { encode: (payloads) => codec.encode(payloads), decode: asIs };

const codecOf = ({ payloadCodecs = [] }: DataConverter): PayloadCodec => {
  const [only] = payloadCodecs;
  if (only === undefined || payloadCodecs.length > 1) throw new Error('one codec was expected');
  return only;
};

describe('deltas beside encryption', () => {
  const configure = (deltas: Deltas) =>
    new LonghaulPlugin({ encryption: codec, deltas }).configureWorker({ taskQueue: 'q' });

  it('refuses deltas that others can read', () => {
    expect(() => configure(new PostgresDeltas())).toThrow('new PostgresDeltas({ encryption })');
  });

  it('takes deltas that stay in the process, and encrypted ones', () => {
    configure(new ProcessDeltas());
    const encrypted = new PostgresDeltas({ encryption: codec });
    expect(configure(encrypted)).toHaveProperty('activities');
  });
});

describe('encryption', () => {
  it.each([
    { name: 'no codec', options: { encryption: {} }, reason: 'must be a PayloadCodec' },
    { name: 'an empty list', options: { encryption: [] }, reason: 'must be a PayloadCodec' },
    {
      name: 'codecs at two places',
      options: { encryption: codec, dataConverter: { payloadCodecs: [codec] } },
      reason: 'both say how data is encoded',
    },
    {
      name: 'codecs that leave failures in clear',
      options: { dataConverter: { payloadCodecs: [codec] } },
      reason: 'failure messages and stack traces stay in clear',
    },
    {
      name: 'a failure converter that encodes nothing',
      options: {
        dataConverter: {
          payloadCodecs: [codec],
          failureConverterPath: join(__dirname, 'plain-failure-converter.ts'),
        },
      },
      reason: 'failure messages and stack traces stay in clear',
    },
  ])('refuses $name, on both sides', async ({ options, reason }) => {
    const refused = {
      code: 'SpecError',
      message: expect.stringContaining(reason) as string,
    };
    await expect(connect(options as never)).rejects.toMatchObject(refused);
    const { dataConverter, ...ours } = options as { dataConverter?: DataConverter };
    const worker = { taskQueue: 'queue', ...(dataConverter && { dataConverter }) };
    const configure = () => new LonghaulPlugin(ours).configureWorker(worker);
    expect(configure).toThrow(reason);
  });

  it.each([
    { name: 'leaves everything', encryption: { encode: asIs, decode: asIs } },
    { name: 'only renames', encryption: renaming },
    { name: 'does not give back', encryption: forgetting, reason: 'does not give back' },
  ])('is tried: a codec that $name is refused', async ({ encryption, reason = 'in clear' }) => {
    const refused = { code: 'SpecError', message: expect.stringContaining(reason) as string };
    await expect(tryEncryption({ encryption })).rejects.toMatchObject(refused);
    await expect(createWorker({ encryption })).rejects.toMatchObject(refused);
    await expect(connect({ encryption })).rejects.toMatchObject(refused);
  });

  it('says why a codec fails', async () => {
    const encryption = { ...codec, encode: () => Promise.reject(new Error('no key')) };
    await expect(tryEncryption({ encryption })).rejects.toMatchObject({
      message: 'encryption fails: no key. Correct its codec or its key',
    });
  });

  it('gives back what it encoded, in order, and leaves nothing and what was in clear', async () => {
    const { encode, decode } = codecOf(clientConverter({ encryption: [codec, aesCodec()] }));
    const own = codecOf(clientConverter({ encryption: codec }));
    const [first, second] = await own.encode([plain('one'), plain('two')]);
    if (first === undefined || second === undefined) throw new Error('two were expected');
    const texts = (payloads: Payload[]): string[] =>
      payloads.map(({ data }) => Buffer.from(data ?? []).toString());
    expect(texts(await own.decode([second, plain('clear'), nothing, first]))).toEqual([
      '"two"',
      '"clear"',
      '',
      '"one"',
    ]);
    expect([typeof encode, typeof decode]).toEqual(['function', 'function']);
  });

  it.each([
    { name: 'without encryption', options: {} },
    { name: 'with it', options: { encryption: codec } },
  ])("leaves Temporal's external storage as it is, $name", ({ options }) => {
    const driver = { name: 'one', type: 'one', store: () => fail(), retrieve: () => fail() };
    const fail = (): never => {
      throw new Error('nothing is stored here');
    };
    const externalStorage = new ExternalStorage({ drivers: [driver] });
    const given = { ...options, dataConverter: { externalStorage } };
    const converters = [clientConverter(given), workerConverter(given, { refuses: true })];
    expect(converters.map((converter) => converter.externalStorage)).toEqual([
      externalStorage,
      externalStorage,
    ]);
  });

  it('marks for workers what came in clear, and what they cannot read', async () => {
    const [encrypted] = await codec.encode([plain('one')]);
    if (encrypted === undefined) throw new Error('one was expected');
    const marks = async (converter: DataConverter, payload: Payload, type = 'workflow') => {
      const context = { type, namespace: 'n', workflowId: 'w' } as never;
      const [decoded] = await codecOf(converter).decode([payload], context);
      return Object.keys(decoded?.metadata ?? {}).filter((key) => key.startsWith('longhaul-'));
    };
    const encrypting = workerConverter({ encryption: codec }, { refuses: true });
    const clear = workerConverter({}, { refuses: true });
    expect(await marks(encrypting, plain('one'))).toEqual(['longhaul-clear']);
    expect(await marks(encrypting, encrypted)).toEqual([]);
    expect(await marks(encrypting, nothing)).toEqual([]);
    expect(await marks(clear, encrypted)).toEqual(['longhaul-unreadable']);
    expect(await marks(clear, encrypted, 'activity')).toEqual([]);
    expect(await marks(clear, plain('one'))).toEqual([]);
  });
});

describe("a worker's bundle", () => {
  const configure = (
    encryption: PayloadCodec | undefined,
    options: Parameters<LonghaulPlugin['configureWorker']>[0],
  ) => new LonghaulPlugin({ ...(encryption && { encryption }) }).configureWorker(options);

  it('without the failure converter is refused where data is encrypted', () => {
    const workflowBundle = { code: 'of another make' };
    expect(() => configure(codec, { taskQueue: 'queue', workflowBundle })).toThrow(
      /workflowBundle leaves failure messages in clear/,
    );
  });

  it.each(['failureConverterPath', 'payloadConverterPath'])('is built anew for a %s', (name) => {
    const dataConverter = { [name]: '/somewhere.js' };
    const { workflowsPath, workflowBundle } = configure(undefined, {
      taskQueue: 'queue',
      dataConverter,
    });
    expect(workflowBundle).toBeUndefined();
    expect(workflowsPath).toMatch(/workflows/);
  });
});
