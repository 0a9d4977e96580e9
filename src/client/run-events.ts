import { timeouts } from '../protocol/limits';
import type { LogEntry } from '../protocol/log';
import { hasEnded, type RunView } from './run-view';

/** One entry of a run's log as it is added; `index` is where it stands. */
export type RunEvent = { readonly index: number; readonly entry: LogEntry };

const shortestPauseMs = 100;

/** Yields entries as they come and ends with the run. Asks less often while nothing happens. */
export async function* followLog(
  view: RunView,
  options: { from?: number; signal?: AbortSignal },
): AsyncGenerator<RunEvent, void, void> {
  const { signal } = options;
  let next = Math.max(0, options.from ?? 0);
  let pauseMs = shortestPauseMs;
  for (;;) {
    const { status } = await view.state();
    const entries = await view.entries(next);
    for (const entry of entries) {
      yield { index: next, entry };
      next += 1;
    }
    if (hasEnded(status)) return;
    pauseMs = entries.length > 0 ? shortestPauseMs : Math.min(pauseMs * 1.5, timeouts.eventsPause);
    if (!(await pause(pauseMs, signal))) return;
  }
}

/** False when the signal ended the pause. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return false;
  return await new Promise((resolve) => {
    const timer = setTimeout(() => finish(true), ms);
    const stop = (): void => finish(false);
    const finish = (goesOn: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(goesOn);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
