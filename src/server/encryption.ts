// Encryption of what the server stores, for workers and clients alike: payloads by a codec, failure messages by a failure converter.
//
// 1. Whole or refused: what a codec leaves in clear is an error, and so is a codec whose failure messages stay in clear.
// 2. What was not encrypted as it should be is not handed on as if it had been: it is marked, or an error.

import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow';
import { payloadMarks, unreadableKey } from '../protocol/encryption';
import { hasCode, LonghaulError } from '../protocol/errors';

type CodecPayload = Parameters<PayloadCodec['encode']>[0][number];
type CodecContext = Parameters<PayloadCodec['encode']>[1];

export type EncryptionOptions = {
  /**
   * Encrypts all that the server stores of runs: Temporal's `PayloadCodec`, or several, of which the first encodes first. Payloads,
   * summaries, memo, failure messages and stack traces are encoded. Clients and workers need the same one: a run between two
   * that differ fails with `EncryptionMismatch`. Throws `SpecError` for a codec that leaves data in clear or does not give it back.
   */
  readonly encryption?: PayloadCodec | readonly PayloadCodec[];
  /** Temporal's own option, for instance for a payload converter. Codecs in it need a failure converter that encodes, too. */
  readonly dataConverter?: DataConverter;
  /** Accepts codecs in `dataConverter` that leave failure messages and stack traces in clear. Default false. */
  readonly clearFailures?: boolean;
};

/** A payload of nothing. */
const nothing = 'binary/null';

/** What Temporal's payload converters write, and anybody can read. */
const clearEncodings: ReadonlySet<string> = new Set([
  nothing,
  'binary/plain',
  'json/plain',
  'json/protobuf',
  'binary/protobuf',
]);

/** The module, for Temporal's `failureConverterPath`. */
export function failureConverterPath(): string {
  return require.resolve('../workflows/failure-converter');
}

/** What a client converts data with. Throws `SpecError` for options that contradict each other or leave something in clear. */
export function clientConverter(options: EncryptionOptions): DataConverter {
  const { encryption, dataConverter } = options;
  checkConverter(options);
  if (encryption !== undefined) return encrypting(options, (payload) => payload);
  return hasOwnEncodings(dataConverter)
    ? { ...dataConverter }
    : { ...dataConverter, payloadCodecs: [new PlainCodec()] };
}

/**
 * What a worker converts data with. `refuses`: its workflows have our interceptors, which refuse what is marked; without them a
 * worker that cannot read a run fails its task.
 */
export function workerConverter(
  options: EncryptionOptions,
  { refuses }: { readonly refuses: boolean },
): DataConverter {
  const { encryption, dataConverter } = options;
  checkConverter(options);
  if (encryption !== undefined) return encrypting(options, marked(payloadMarks.clear));
  if (!refuses || hasOwnEncodings(dataConverter)) return { ...dataConverter };
  return { ...dataConverter, payloadCodecs: [new PlainCodec({ keepsActivities: true })] };
}

function encrypting(
  { encryption = [], dataConverter }: EncryptionOptions,
  inClear: (payload: CodecPayload) => CodecPayload,
): DataConverter {
  return {
    ...dataConverter,
    payloadCodecs: [new EncryptingCodec([encryption].flat(), inClear)],
    failureConverterPath: failureConverterPath(),
  };
}

/** Its codecs or its payload converter decide what an encoding means. */
function hasOwnEncodings(dataConverter: DataConverter | undefined): boolean {
  return (
    dataConverter?.payloadConverterPath !== undefined ||
    (dataConverter?.payloadCodecs ?? []).length > 0
  );
}

function checkConverter({ encryption, dataConverter, clearFailures }: EncryptionOptions): void {
  const hasCodecs = (dataConverter?.payloadCodecs ?? []).length > 0;
  if (encryption !== undefined) {
    checkCodecs([encryption].flat());
    if (hasCodecs || dataConverter?.failureConverterPath !== undefined)
      throw new LonghaulError(
        'SpecError',
        'encryption and dataConverter both say how data is encoded: put all codecs into encryption, and take payloadCodecs and failureConverterPath out of dataConverter',
      );
    return;
  }
  if (!hasCodecs || clearFailures === true || encodesFailures(dataConverter)) return;
  throw new LonghaulError(
    'SpecError',
    'dataConverter has payloadCodecs, but failure messages and stack traces stay in clear: give the codec as `encryption`, which encodes them, too, or say clearFailures: true',
  );
}

function checkCodecs(codecs: readonly unknown[]): void {
  const isCodec = (codec: unknown): boolean =>
    ['encode', 'decode'].every(
      (name) => typeof (Object(codec) as Record<string, unknown>)[name] === 'function',
    );
  if (codecs.length > 0 && codecs.every(isCodec)) return;
  throw new LonghaulError(
    'SpecError',
    "encryption must be a PayloadCodec of Temporal, with encode and decode, or a list of them that isn't empty",
  );
}

function encodesFailures(dataConverter: DataConverter | undefined): boolean {
  const { failureConverter, payloadConverter } = loadDataConverter(dataConverter);
  const probe = new Error('longhaul-probe');
  const { message, stackTrace } = failureConverter.errorToFailure(probe, payloadConverter);
  return !`${message ?? ''}${stackTrace ?? ''}`.includes(probe.message);
}

/** Encodes and decodes once, so that a codec that does not encrypt, or cannot, is known before anything depends on it. */
export async function tryEncryption({ encryption }: EncryptionOptions): Promise<void> {
  if (encryption === undefined) return;
  const codec = new EncryptingCodec([encryption].flat(), (payload) => payload);
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const data = bytes('"longhaul-probe longhaul-probe"');
  let decoded: CodecPayload[];
  try {
    const probe = { metadata: { encoding: bytes('json/plain') }, data };
    const encoded = await codec.encode([probe]);
    const text = Buffer.from(encoded[0]?.data ?? []).toString('latin1');
    if (text.includes('longhaul-probe')) throw leftInClear();
    decoded = await codec.decode(encoded);
  } catch (error) {
    if (hasCode(error, 'SpecError')) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LonghaulError(
      'SpecError',
      `encryption fails: ${reason}. Correct its codec or its key`,
      {
        cause: error,
      },
    );
  }
  if (Buffer.from(decoded[0]?.data ?? []).equals(data)) return;
  throw new LonghaulError(
    'SpecError',
    'encryption does not give back what it encoded: correct its codec',
  );
}

/** The user's codecs, watched: nothing leaves in clear, and what arrives in clear never reaches them. */
class EncryptingCodec implements PayloadCodec {
  readonly #codecs: readonly PayloadCodec[];
  readonly #inClear: (payload: CodecPayload) => CodecPayload;

  constructor(codecs: readonly PayloadCodec[], inClear: (payload: CodecPayload) => CodecPayload) {
    this.#codecs = codecs;
    this.#inClear = inClear;
  }

  async encode(payloads: CodecPayload[], context?: CodecContext): Promise<CodecPayload[]> {
    let encoded = payloads;
    for (const codec of this.#codecs) encoded = await codec.encode(encoded, context);
    const isLeft = (payload: CodecPayload): boolean =>
      isInClear(payload) && payloadEncoding(payload) !== nothing;
    if (encoded.length !== payloads.length || encoded.some(isLeft)) throw leftInClear();
    return encoded;
  }

  async decode(payloads: CodecPayload[], context?: CodecContext): Promise<CodecPayload[]> {
    let encoded = payloads.filter((payload) => !isInClear(payload));
    for (const codec of [...this.#codecs].reverse()) encoded = await codec.decode(encoded, context);
    const rest = encoded.values();
    return payloads.map((payload) =>
      isInClear(payload) ? this.#inClear(payload) : (rest.next().value ?? payload),
    );
  }
}

/** Of those that do not encrypt: what is encrypted all the same is marked as such. */
class PlainCodec implements PayloadCodec {
  readonly #keepsActivities: boolean;

  /** `keepsActivities`: an activity that cannot read its input, or a run its result, must fail and be tried elsewhere. */
  constructor({ keepsActivities = false } = {}) {
    this.#keepsActivities = keepsActivities;
  }

  encode(payloads: CodecPayload[]): Promise<CodecPayload[]> {
    return Promise.resolve(payloads);
  }

  decode(payloads: CodecPayload[], context?: CodecContext): Promise<CodecPayload[]> {
    if (this.#keepsActivities && context?.type === 'activity') return Promise.resolve(payloads);
    return Promise.resolve(
      payloads.map((payload) => (isInClear(payload) ? payload : unreadable(payload))),
    );
  }
}

function leftInClear(): Error {
  return new LonghaulError(
    'SpecError',
    'encryption leaves data in clear: its last codec must encode every payload, and give it an encoding of its own in metadata.encoding',
  );
}

function payloadEncoding({ metadata }: CodecPayload): string {
  return new TextDecoder().decode(metadata?.['encoding'] ?? new Uint8Array());
}

/** A payload without an encoding cannot be read by anybody: it is left to those who fail for it. */
function isInClear(payload: CodecPayload): boolean {
  const encoding = payloadEncoding(payload);
  return encoding === '' || clearEncodings.has(encoding);
}

function marked(mark: string): (payload: CodecPayload) => CodecPayload {
  const withMark = (payload: CodecPayload): CodecPayload => ({
    ...payload,
    metadata: { ...payload.metadata, [mark]: new Uint8Array([1]) },
  });
  return (payload) => (payloadEncoding(payload) === nothing ? payload : withMark(payload));
}

function unreadable(payload: CodecPayload): CodecPayload {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  return marked(payloadMarks.unreadable)({
    metadata: { encoding: text('json/plain') },
    data: text(JSON.stringify({ [unreadableKey]: payloadEncoding(payload) })),
  });
}
