import { Context } from '@temporalio/activity';
import { utf8Length } from '../base/text';
import { LonghaulError } from '../protocol/errors';
import type { Json } from '../base/json';
import { limits } from '../protocol/limits';
import { untilAborted } from './user-code';

const defaultHeartbeatMs = 10_000;

/** Sends a heartbeat with these details. Later beats of the timer repeat them. Throws `PayloadTooLarge` over `limits.heartbeat`. */
export type Heartbeat = (details?: Json) => void;

/**
 * Runs `work` while a timer sends heartbeats, so that a slow provider does not look like a dead worker. `keep` stores details without a
 * beat: they go out with the next beat, or when the attempt fails. It also keeps details of an earlier attempt.
 */
export async function withHeartbeat<Result>(
  work: (signal: AbortSignal, heartbeat: Heartbeat, keep: Heartbeat) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  const everyMs = (context.info.heartbeatTimeoutMs ?? defaultHeartbeatMs) / 3;
  let details = (context.info.heartbeatDetails ?? undefined) as Json | undefined;
  let isSent = details === undefined;
  const keep = (latest?: Json): void => {
    details = latest ?? details;
    isSent = false;
  };
  const heartbeat = (latest?: Json): void => {
    if (latest !== undefined) details = ownDetails(latest);
    isSent = true;
    context.heartbeat(details);
  };
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    const signal = context.cancellationSignal;
    return await untilAborted(() => work(signal, heartbeat, keep), signal);
  } catch (error) {
    if (!isSent) heartbeat();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** A copy of the details, because the user's code may change them later. The server refuses details that are too large. */
function ownDetails(details: Json): Json {
  const text = JSON.stringify(details);
  const bytes = utf8Length(text);
  if (bytes <= limits.heartbeat) return JSON.parse(text) as Json;
  throw new LonghaulError(
    'PayloadTooLarge',
    `the details of a heartbeat have ${bytes} bytes; at most ${limits.heartbeat} are kept. Store them elsewhere and send a reference`,
  );
}
