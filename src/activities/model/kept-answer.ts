// A model's answer that was paid for outlives an attempt that fails after it, because code that judges it threw: the next attempt,
// on whatever worker, judges the same answer. Its place is the heartbeat's details, which the server keeps between attempts.

import { Context } from '@temporalio/activity';
import { utf8Length } from '../../base/text';
import { PayloadTooLarge } from '../../protocol/error-classes';
import { isJsonObject, type Json } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { ModelResponse } from '../../providers/provider';
import type { Heartbeat } from '../heartbeat';

export class KeptAnswer {
  readonly #keep: Heartbeat;
  #answer: ModelResponse | undefined = keptBefore();

  constructor(keep: Heartbeat) {
    this.#keep = keep;
  }

  /** There once the model has answered, in this attempt or an earlier one. */
  get answer(): ModelResponse | undefined {
    return this.#answer;
  }

  /** Calls the model unless it has answered before. */
  async once(call: () => Promise<ModelResponse>): Promise<ModelResponse> {
    if (this.#answer !== undefined) return this.#answer;
    const answer = await call();
    this.#answer = answer;
    checkTurnSize(answer);
    this.#keep({ answer: answer as unknown as Json });
    return answer;
  }
}

export function checkTurnSize(entry: object): void {
  const bytes = utf8Length(JSON.stringify(entry));
  if (bytes <= limits.modelTurn) return;
  throw new PayloadTooLarge(
    `the model's turn has ${bytes} bytes; at most ${limits.modelTurn} are kept. Lower maxOutputTokens`,
  );
}

function keptBefore(): ModelResponse | undefined {
  const { heartbeatDetails } = Context.current().info as { heartbeatDetails: unknown };
  if (!isJsonObject(heartbeatDetails)) return undefined;
  return heartbeatDetails['answer'] as unknown as ModelResponse | undefined;
}
