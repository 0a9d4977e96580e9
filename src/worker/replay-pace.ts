import { availableParallelism } from 'node:os';
import type { TunerHolder, WorkerOptions } from '@temporalio/worker';
import { threadType, workflowTypes } from '../protocol/names';
import { WorkflowTaskSlots } from './workflow-task-slots';

/** Beyond this many threads the one that talks to the server is what a worker waits for. */
const mostThreads = 4;
/** Of the tasks whose runs are in memory, as Temporal's own default. */
const warmTasks = 40;
/** Temporal's own default. */
const activities = 100;

const ourTypes: ReadonlySet<string> = new Set([...Object.values(workflowTypes), threadType]);

/**
 * A worker with nothing in memory replays its runs on all its cores, and a few at a time. Whoever sets threads, a tuner or a number
 * of workflow tasks has the last word.
 */
export function replayPace(options: WorkerOptions): WorkerOptions {
  const threads = options.workflowThreadPoolSize ?? Math.min(availableParallelism(), mostThreads);
  const isSet =
    options.tuner !== undefined || options.maxConcurrentWorkflowTaskExecutions !== undefined;
  if (isSet) return { ...options, workflowThreadPoolSize: threads };
  const {
    maxConcurrentActivityTaskExecutions,
    maxConcurrentLocalActivityExecutions,
    maxConcurrentNexusTaskExecutions,
    ...rest
  } = options;
  const fixed = (numSlots: number = activities): { type: 'fixed-size'; numSlots: number } => ({
    type: 'fixed-size',
    numSlots,
  });
  // One more than the threads: it is fetched while they are busy.
  const slots = {
    warm: warmTasks,
    cold: threads + 1,
    isOurs: (type: string) => ourTypes.has(type),
  };
  const tuner: TunerHolder = {
    workflowTaskSlotSupplier: new WorkflowTaskSlots(slots),
    activityTaskSlotSupplier: fixed(maxConcurrentActivityTaskExecutions),
    localActivityTaskSlotSupplier: fixed(maxConcurrentLocalActivityExecutions),
    nexusTaskSlotSupplier: fixed(maxConcurrentNexusTaskExecutions),
  };
  return { ...rest, workflowThreadPoolSize: threads, tuner };
}
