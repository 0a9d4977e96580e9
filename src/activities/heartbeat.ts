import { Context } from '@temporalio/activity';

const defaultHeartbeatMs = 10_000;

/** Runs `work` while a timer beats, so that a slow provider is not taken for a dead worker; `signal` is the activity's cancellation. */
export async function withHeartbeat<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const context = Context.current();
  const everyMs = (context.info.heartbeatTimeoutMs ?? defaultHeartbeatMs) / 3;
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
