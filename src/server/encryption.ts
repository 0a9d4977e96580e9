// Encryption of what the server stores, for workers and clients: a codec for payloads, a failure converter for failure messages.
//
// 1. All or nothing: a codec that leaves data in clear is an error, and so is a codec whose failure messages stay in clear.
// 2. If data is not encrypted as it should be, nothing passes it on as if it were: it gets a mark, or it is an error.

import type { DataConverter, PayloadCodec } from '@temporalio/common';
import { hasCode, LonghaulError, payloadMarks, unreadableKey } from '../protocol';
import { sdkPart } from './temporal-sdk';

type CodecPayload = Parameters<PayloadCodec['encode']>[0][number];
type CodecContext = Parameters<PayloadCodec['encode']>[1];

export type EncryptionOptions = {
  /**
   * Encrypts everything that the server stores about runs: payloads, summaries, memo, failure messages and stack traces. Takes Temporal's
   * `PayloadCodec`, or a list; the first codec of the list encodes first. Clients and workers need the same codecs: otherwise a run fails
   * with `EncryptionMismatch`. Throws `SpecError` for a codec that leaves data in clear or does not give it back.
   */
  readonly encryption?: PayloadCodec | readonly PayloadCodec[];
  /** Temporal's own option, for instance for a payload converter. If it has codecs, it also needs a failure converter that encodes. */
  readonly dataConverter?: DataConverter;
  /** Accepts codecs in `dataConverter` although failure messages and stack traces stay in clear. Default false. */
  readonly clearFailures?: boolean;
};

/** The encoding of a payload without data. */
const nothing = 'binary/null';

/** The encodings of Temporal's payload converters. Anybody can read them. */
const clearEncodings: ReadonlySet<string> = new Set([
  nothing,
  'binary/plain',
  'json/plain',
  'json/protobuf',
  'binary/protobuf',
]);

/** The path of the module, for Temporal's `failureConverterPath`. */
export function failureConverterPath(): string {
  return require.resolve('../workflows/failure-converter');
}

/** The data converter of a client. Throws `SpecError` if options contradict each other or leave data in clear. */
export function clientConverter(options: EncryptionOptions): DataConverter {
  const { encryption, dataConverter } = options;
  checkConverter(options);
  if (encryption !== undefined) return encrypting(options, (payload) => payload);
  return hasOwnEncodings(dataConverter)
    ? { ...dataConverter }
    : { ...dataConverter, payloadCodecs: [new PlainCodec()] };
}

/**
 * The data converter of a worker. `refuses`: its workflows have our interceptors, which refuse marked data. Without them, a worker that
 * cannot read a run fails its workflow task.
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

/** The codecs for what a result store keeps: those of histories. */
export function contentCodecs({
  encryption,
  dataConverter,
}: EncryptionOptions): readonly PayloadCodec[] {
  return encryption === undefined
    ? (dataConverter?.payloadCodecs ?? [])
    : [new EncryptingCodec([encryption].flat(), (payload) => payload)];
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

/** The user's codecs or payload converter decide what an encoding means. */
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
  const { failureConverter, payloadConverter } = sdkPart('loadDataConverter')(dataConverter);
  const probe = new Error('longhaul-probe');
  const { message, stackTrace } = failureConverter.errorToFailure(probe, payloadConverter);
  return !`${message ?? ''}${stackTrace ?? ''}`.includes(probe.message);
}

/** Encodes and decodes once, to find a codec that fails or does not encrypt before anything depends on it. */
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

/** Wraps the user's codecs: no data leaves in clear, and data that arrives in clear never reaches them. */
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

/** For a side without encryption. Marks data that arrives encrypted. */
class PlainCodec implements PayloadCodec {
  readonly #keepsActivities: boolean;

  /**
   * With `keepsActivities`, leaves payloads of activities as they are: an activity that cannot read its input, or a run that cannot read a
   * result, must fail and be tried elsewhere.
   */
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

/** Also true for a payload without an encoding. Nobody can read that one: its reader fails. */
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
