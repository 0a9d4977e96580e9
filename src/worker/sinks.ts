// The sinks of workflows: they call their worker outside of history.

import { LRUCache } from 'lru-cache';
import type { InjectedSinks } from '@temporalio/worker';
import type { WorkerLogger } from '../activities/options';
import type { Deltas } from '../stores/index';
import type { HintSinks, TelemetrySinks } from '../protocol';
import type { Telemetry } from '../telemetry';
import { passHint } from './cancel-hints';

const remembered = 10_000;

type LogSinks = { readonly defaultWorkerLogger: Record<keyof WorkerLogger | 'trace', LogLine> };

type LogLine = (message: string, fields?: Record<string, unknown>) => void;

type Listeners = {
  readonly logger?: WorkerLogger | undefined;
  readonly deltas?: Deltas | undefined;
  readonly telemetry?: Telemetry | undefined;
  readonly warn?: LogLine;
};

/** A worker that replays needs them, too. Without listeners they drop each call. */
export function longhaulSinks({ deltas, telemetry, logger, warn }: Listeners = {}): InjectedSinks<
  HintSinks & TelemetrySinks & Partial<LogSinks>
> {
  const told = new LRUCache<string, true>({ max: remembered });
  return {
    longhaul: {
      callsCancelled: { fn: ({ runId }) => passHint(runId, deltas) },
      // Most such tasks are replays. Each attempt calls with the same message.
      newerVersion: {
        callDuringReplay: true,
        fn: ({ workflowId, runId }, message) => {
          if (told.has(runId)) return;
          told.set(runId, true);
          warn?.(message, { workflowId });
        },
      },
    },
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
    ...(logger && { defaultWorkerLogger: logSink(logger) }),
  };
}

/** Takes the place of the SDK's own sink, which writes what workflows log to the logger of its `Runtime`. */
function logSink(logger: WorkerLogger): InjectedSinks<LogSinks>['defaultWorkerLogger'] {
  const write = (level: keyof WorkerLogger) => ({
    fn: (_: unknown, message: string, fields?: Record<string, unknown>): void =>
      logger[level](message, { ...fields, sdkComponent: 'workflow' }),
  });
  return {
    trace: write('debug'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
}
