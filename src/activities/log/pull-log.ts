import { deflateRawSync } from 'node:zlib';
import { endOfPage, pageThatTravels } from '../../core/transcript/log-page';
import { utf8Length } from '../../base';
import {
  type FetchInputResult,
  type InputRef,
  type LogEntry,
  type LogPage,
  type LogRef,
  LonghaulError,
  type PullLogInput,
  queryNames,
  type RunInput,
} from '../../protocol';
import type { ActivityDependencies } from '../dependencies';
import { withHeartbeat } from '../heartbeat';
import { askClosedLog, askRun, readClosedLog } from './read-log';
import { WorkflowNotFoundError } from '@temporalio/common';

/** A page of an earlier execution's log, from entry `from` on, as long as one result may be: a `LogPage` as deflated JSON. */
export async function pullLog(
  dependencies: ActivityDependencies,
  { log, from }: PullLogInput,
): Promise<Uint8Array> {
  const { logCache } = dependencies;
  return await withHeartbeat(dependencies, async (signal) => {
    if (logCache.held(log.workflowId) <= from) return await askClosedLog(log, from);
    return pageOf(log, await readClosedLog(logCache, log, signal), from);
  });
}

function pageOf(
  { length, digest }: LogRef,
  entries: readonly LogEntry[],
  from: number,
): Uint8Array {
  const sizes = entries.map((entry) => utf8Length(JSON.stringify(entry)));
  return pageThatTravels({
    page: (maxBytes): LogPage => {
      const end = endOfPage(sizes, from, maxBytes);
      return { from, entries: entries.slice(from, end), length, digest };
    },
    deflate: (page) => deflateRawSync(JSON.stringify(page)),
  });
}

/** The input of a child, from this process or from the run that started the child. */
export async function fetchInput(
  dependencies: Pick<ActivityDependencies, 'inputs' | 'loopWatch'>,
  ref: InputRef,
): Promise<FetchInputResult> {
  const input = await withHeartbeat(dependencies, () =>
    dependencies.inputs.get(ref, () => askCaller(ref)),
  );
  return { input };
}

/** An input that the caller does not have now will never come back. */
async function askCaller({ number, ...caller }: InputRef): Promise<RunInput['input']> {
  const input = await askKnown(caller, number);
  if (input !== null && input !== undefined) return input;
  throw new LonghaulError(
    'StateError',
    `run '${caller.workflowId}', which called this one, does not have its input any more`,
  );
}

async function askKnown(
  caller: Omit<InputRef, 'number'>,
  number: number,
): Promise<RunInput['input'] | null | undefined> {
  try {
    return await askRun(caller, queryNames.childInput, { number });
  } catch (error) {
    if (!(error instanceof Error && error.cause instanceof WorkflowNotFoundError)) throw error;
    throw new LonghaulError(
      'RunNotFound',
      `run '${caller.workflowId}', which called this one, is gone`,
      {
        details: { workflowId: caller.workflowId },
      },
    );
  }
}
