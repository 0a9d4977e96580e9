import { Context } from '@temporalio/activity';
import type { Json } from '../protocol/json';

const defaultHeartbeatMs = 10_000;

/** Beats with the latest details: the timer's own beats keep them. */
export type Heartbeat = (details?: Json) => void;

/** Runs `work` while a timer beats, so that a slow provider is not taken for a dead worker; `signal` is the activity's cancellation. */
export async function withHeartbeat<Result>(
  work: (signal: AbortSignal, heartbeat: Heartbeat) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  const everyMs = (context.info.heartbeatTimeoutMs ?? defaultHeartbeatMs) / 3;
  let details: Json | undefined;
  const heartbeat = (latest?: Json): void => {
    details = latest ?? details;
    context.heartbeat(details);
  };
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    return await work(context.cancellationSignal, heartbeat);
  } finally {
    clearInterval(timer);
  }
}
