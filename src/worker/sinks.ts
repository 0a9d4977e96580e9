// What workflows tell their worker outside of history.

import { LRUCache } from 'lru-cache';
import type { InjectedSinks } from '@temporalio/worker';
import type { Deltas } from '../deltas/deltas';
import type { HintSinks } from '../protocol/cancel-hint';
import type { TelemetrySinks } from '../protocol/trace';
import type { Telemetry } from '../telemetry/telemetry';
import { passHint } from './cancel-hints';

const remembered = 10_000;

type Listeners = {
  readonly deltas?: Deltas | undefined;
  readonly telemetry?: Telemetry | undefined;
};

/** A worker that replays needs them too: without listeners, they take what a workflow says, and drop it. */
export function longhaulSinks({ deltas, telemetry }: Listeners = {}): InjectedSinks<
  HintSinks & TelemetrySinks
> {
  const told = new LRUCache<string, true>({ max: remembered });
  return {
    longhaul: { callsCancelled: { fn: ({ runId }) => passHint(runId, deltas) } },
    longhaulTelemetry: {
      segment: {
        fn: ({ workflowId, runId, taskQueue }, segment) => {
          // A worker repeats a workflow task that the server did not take, for instance because a signal came in between.
          const key = `${segment.span} ${runId}`;
          if (telemetry === undefined || told.has(key)) return;
          told.set(key, true);
          telemetry.segment({ ...segment, workflowId, runId, taskQueue });
        },
      },
    },
  };
}
