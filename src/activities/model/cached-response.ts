// A model's answer that was paid for outlives an attempt that fails after it, because code that checks it threw: the next attempt,
// on whatever worker, checks the same answer. Its place is the heartbeat's details, which the server keeps between attempts.

import { Context } from '@temporalio/activity';
import { utf8Length } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject, type Json } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { ModelResponse } from '../../providers/provider';
import type { Heartbeat } from '../heartbeat';

export class CachedResponse {
  readonly #keep: Heartbeat;
  #response: ModelResponse | undefined = cachedBefore();

  constructor(keep: Heartbeat) {
    this.#keep = keep;
  }

  /** There once the model has answered, in this attempt or an earlier one. */
  get response(): ModelResponse | undefined {
    return this.#response;
  }

  /** Calls the model unless it has answered before. */
  async once(call: () => Promise<ModelResponse>): Promise<ModelResponse> {
    if (this.#response !== undefined) return this.#response;
    const response = await call();
    this.#response = response;
    checkTurnSize(response);
    this.#keep({ response: response as unknown as Json });
    return response;
  }
}

export function checkTurnSize(entry: object): void {
  const bytes = utf8Length(JSON.stringify(entry));
  if (bytes <= limits.modelTurn) return;
  throw new LonghaulError(
    'PayloadTooLarge',
    `the model's turn has ${bytes} bytes; at most ${limits.modelTurn} are kept. Lower maxOutputTokens`,
  );
}

function cachedBefore(): ModelResponse | undefined {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails: unknown };
  if (!isJsonObject(heartbeatDetails)) return undefined;
  return heartbeatDetails['response'] as unknown as ModelResponse | undefined;
}
