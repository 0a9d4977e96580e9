import { Context } from '@temporalio/activity';
import { utf8Length } from '../base/text';
import { LonghaulError } from '../protocol/errors';
import type { Json } from '../base/json';
import { limits } from '../protocol/limits';
import { untilAborted } from './until-aborted';

const defaultHeartbeatMs = 10_000;

/** Beats with the latest details: the timer's own beats keep them. Throws `PayloadTooLarge` over `limits.heartbeat`. */
export type Heartbeat = (details?: Json) => void;

/**
 * Runs `work` while a timer beats, so that a slow provider is not taken for a dead worker; `signal` is the activity's cancellation.
 * What is kept, or was by an earlier attempt, goes along with the next beat, and at the latest with the failure of the attempt.
 */
export async function withHeartbeat<Result>(
  work: (signal: AbortSignal, heartbeat: Heartbeat, keep: Heartbeat) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  const everyMs = (context.info.heartbeatTimeoutMs ?? defaultHeartbeatMs) / 3;
  let details = (context.info.heartbeatDetails ?? undefined) as Json | undefined;
  let isTold = details === undefined;
  const keep = (latest?: Json): void => {
    details = latest ?? details;
    isTold = false;
  };
  const heartbeat = (latest?: Json): void => {
    if (latest !== undefined) details = ownDetails(latest);
    isTold = true;
    context.heartbeat(details);
  };
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    const signal = context.cancellationSignal;
    return await untilAborted(() => work(signal, heartbeat, keep), signal);
  } catch (error) {
    if (!isTold) heartbeat();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** The server refuses an attempt whose details are too large; and what code of users changes or cuts later must not be held here. */
function ownDetails(details: Json): Json {
  const text = JSON.stringify(details);
  const bytes = utf8Length(text);
  if (bytes <= limits.heartbeat) return JSON.parse(text) as Json;
  throw new LonghaulError(
    'PayloadTooLarge',
    `the details of a heartbeat have ${bytes} bytes; at most ${limits.heartbeat} are kept. Keep them elsewhere and beat with a reference`,
  );
}
