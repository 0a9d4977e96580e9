import { Context } from '@temporalio/activity';
import { utf8Length } from '../base/text';
import { LonghaulError } from '../protocol/errors';
import type { Json } from '../base/json';
import { limits, timeouts } from '../protocol/limits';
import { untilAborted } from './user-code';

const defaultHeartbeatMs = 10_000;

/** Sends a heartbeat with these details. Later beats of the timer repeat them. Throws `PayloadTooLarge` over `limits.heartbeat`. */
export type Heartbeat = (details?: Json) => void;

/** What an attempt tells the server, beside its result. */
export type Beats = {
  readonly heartbeat: Heartbeat;
  /** Stores details without a beat: they go out with the next beat, or when the attempt fails. */
  readonly keep: (details: Json) => void;
  /** Sends the kept details, and waits until the server has them. Rejects if the server does not take them, or wants the attempt to end. */
  readonly tell: () => Promise<void>;
};

/**
 * Runs `work` while a timer sends heartbeats, so that a slow provider does not look like a dead worker. Keeps the details of an earlier
 * attempt.
 */
export async function withHeartbeat<Result>(
  work: (signal: AbortSignal, beats: Beats) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  const everyMs = (context.info.heartbeatTimeoutMs ?? defaultHeartbeatMs) / 3;
  let details = (context.info.heartbeatDetails ?? undefined) as Json | undefined;
  let isSent = details === undefined;
  let hasBeaten = false;
  const keep = (latest: Json): void => {
    details = latest;
    isSent = false;
  };
  const heartbeat = (latest?: Json): void => {
    if (latest !== undefined) details = ownDetails(latest);
    isSent = true;
    hasBeaten = true;
    context.heartbeat(details);
  };
  const tell = async (): Promise<void> => {
    // The SDK may hold an earlier beat back. It must not replace these details later.
    if (hasBeaten) heartbeat();
    await sendDetails(context, details);
    isSent = true;
  };
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    const signal = context.cancellationSignal;
    return await untilAborted(() => work(signal, { heartbeat, keep, tell }), signal);
  } catch (error) {
    if (!isSent) heartbeat();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** The SDK's own beats are held back for seconds, and nobody learns when they arrive. This one goes out at once. */
async function sendDetails({ client, info }: Context, details: Json | undefined): Promise<void> {
  const serializationContext = {
    type: 'activity' as const,
    namespace: info.namespace,
    activityId: info.activityId,
    isLocal: info.isLocal,
    ...(info.workflowExecution && { workflowId: info.workflowExecution.workflowId }),
  };
  await client.withDeadline(Date.now() + timeouts.serverCheck, () =>
    client.activity.heartbeat(info.taskToken, details, { serializationContext }),
  );
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
