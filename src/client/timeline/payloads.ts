// Decodes what histories and descriptions hold: payloads and failures.

import type { Client } from '@temporalio/client';
import type { ProtoFailure } from '@temporalio/common';
import { oneLine } from '../../base';
import { limits } from '../../protocol';
import { sdkPart } from '../../server';
import { asLonghaulError, readable, storageMissing } from '../server/failures';

type StoredPayload = {
  readonly metadata?: Record<string, Uint8Array> | null;
  readonly data?: Uint8Array | null;
};

/** A value as it is stored, if there is one. */
export type Payload = StoredPayload | null | undefined;

/** An error as it is stored, if there is one. */
export type Failure = ProtoFailure | null | undefined;

export async function decode(client: Client, payload: Payload): Promise<unknown> {
  if (!payload) return undefined;
  const { payloadCodecs, payloadConverter, externalStorage } = client.options.loadedDataConverter;
  let payloads = [payload];
  if (externalStorage) {
    const Runner = sdkPart('ExternalStorageRunner');
    payloads = await new Runner(externalStorage).retrieve(payloads);
  } else if (isReference(payload)) throw storageMissing();
  for (const codec of [...payloadCodecs].reverse()) payloads = await codec.decode(payloads);
  return payloads[0] === undefined ? undefined : payloadConverter.fromPayload(payloads[0]);
}

/** The payload itself is in an external storage of Temporal's SDK. The SDK's oldest tested minor cannot tell. */
function isReference({ metadata }: StoredPayload): boolean {
  const type = metadata?.['messageType'];
  return Buffer.from(type ?? []).toString() === 'temporal.api.sdk.v1.ExternalStorageReference';
}

export async function errorOf(client: Client, failure: Failure): Promise<Error | undefined> {
  const { loadedDataConverter } = client.options;
  return await sdkPart('decodeOptionalFailureToOptionalError')(loadedDataConverter, failure);
}

/** The outermost failure with a code; the innermost failure if none has one. */
export function codedFailure(failure: Failure): Failure {
  let found = failure;
  while (found?.cause && !found.applicationFailureInfo) found = found.cause;
  return found;
}

/** For readers who show what they can. What this client cannot decode is absent, and noted. */
export class Decoder {
  readonly #client: Client;
  readonly #gaps = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** What it could not decode, each reason once. */
  get gaps(): readonly string[] {
    return [...this.#gaps];
  }

  async value(payload: Payload): Promise<unknown> {
    try {
      return readable(await decode(this.#client, payload));
    } catch (error) {
      return this.#note(error);
    }
  }

  /** One line, with the type of an error that has one. Undefined without a failure. */
  async text(failure: Failure): Promise<string | undefined> {
    if (!failure) return undefined;
    const coded = codedFailure(failure);
    const error = await errorOf(this.#client, coded).catch((problem) => this.#note(problem));
    const text = oneLine(error?.message ?? 'unreadable', limits.failureMessage);
    const type = coded?.applicationFailureInfo?.type;
    return error && type && type !== 'Error' ? `${type}: ${text}` : text || undefined;
  }

  #note(error: unknown): undefined {
    this.#gaps.add(asLonghaulError(error).message);
  }
}
