import type { RunEvent, RunHandle } from '../../client';

export type ShownEvents = {
  /** Stops watching and shows what came meanwhile; resolves with the index of the next event. */
  finish(): Promise<number>;
};

const finishTimeoutMs = 2_000;

/**
 * Shows a run's events from an index on, in the background. What they cannot tell is no reason to fail: the run itself is waited
 * for elsewhere.
 */
export function showEvents(
  run: RunHandle,
  from: number,
  show: (event: RunEvent) => void,
): ShownEvents {
  const watching = new AbortController();
  let next = from;
  const showNext = (event: RunEvent): void => {
    if (event.index !== next) return;
    next += 1;
    show(event);
  };
  const watched = watch(run, { from, signal: watching.signal, show: showNext });
  const catchUp = async (): Promise<void> => {
    watching.abort();
    await watched;
    for (const entry of await run.log({ from: next })) showNext({ index: next, entry });
  };
  return {
    finish: async () => {
      await withTimeout(catchUp().catch(() => undefined));
      return next;
    },
  };
}

async function watch(
  run: RunHandle,
  options: { from: number; signal: AbortSignal; show: (event: RunEvent) => void },
): Promise<void> {
  const { from, signal, show } = options;
  try {
    for await (const event of run.events({ from, signal })) {
      if (signal.aborted) return;
      show(event);
    }
  } catch {
    // The server or the worker is away: `outcome` says so.
  }
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, finishTimeoutMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
