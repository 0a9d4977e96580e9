// Decodes what a trace shows. What this client cannot decode is absent, and noted.

import type { Client } from '@temporalio/client';
import { oneLine } from '../../../base/text';
import { limits } from '../../../protocol/limits';
import { asLonghaulError, readable } from '../../server/failures';
import { codedFailure, decode, errorOf, type Failure, type Payload } from '../payloads';

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
