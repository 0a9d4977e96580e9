// The turn that an attempt at a model call sends to the server right before the turn's calls begin inline. From then on the turn stands. If
// the attempt is lost, the next attempt or the run takes the turn from the server, and does not call the model again. Pure.

import { defined, isJsonObject, type Json } from '../base';
import type { CallModelResult } from '../protocol/activities';

type Kept = Pick<CallModelResult, 'entry' | 'session' | 'costUsd'> & {
  /** Indexes of the calls that may have begun. */
  readonly begun: readonly number[];
};

/** The details of a heartbeat. A worker of an older version finds the model's response where it looks for it. */
export function keptTurn({ entry, ...rest }: Kept): Json {
  return { response: entry, ...rest } as unknown as Json;
}

/** The turn that stands. The calls that may have begun have unknown effects. */
export function turnIn(details: unknown): CallModelResult | undefined {
  if (!isJsonObject(details) || !Array.isArray(details['begun'])) return undefined;
  const { response: entry, begun: unfinished, session, costUsd } = details;
  return { entry, unfinished, ...defined({ session, costUsd }) } as unknown as CallModelResult;
}
