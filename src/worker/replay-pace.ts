import { availableParallelism } from 'node:os';
import type {
  CustomSlotSupplier,
  SlotPermit,
  SlotReserveContext,
  TunerHolder,
  WorkerOptions,
  WorkflowSlotInfo,
} from '@temporalio/worker';
import { allWorkflowTypes } from '../protocol/names';

/** With more threads, the thread that talks to the server would be the limit. */
const mostThreads = 4;

/** Tasks whose runs are in memory. Temporal's default. */
const warmTasks = 40;

/** Temporal's default. */
const activities = 100;

const ourTypes: ReadonlySet<string> = new Set(allWorkflowTypes);

/** A fresh worker replays its runs on all cores, a few at a time. The user's threads, tuner or number of workflow tasks win. */
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
  // One more than the threads, so that a task is ready when a thread is free.
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

// How many workflow tasks a worker takes at a time. A task of the worker's sticky queue finds its run in memory and takes milliseconds.
// Any other task may replay a long history, which can take a core for a second. With more of them than cores, all may time out, and each
// next attempt starts at the first event again.

type Permit = SlotPermit & { isWarm: boolean };

type WaitingReplay = { readonly isWarm: boolean; readonly give: (permit: Permit) => void };

type SlotLimits = {
  /** The limit for tasks whose run is in memory. */
  readonly warm: number;
  /** The limit for tasks that may have to replay. */
  readonly cold: number;
  /** Whether a workflow type is Longhaul's. Others may keep a task open for local activities, and must not block ours. */
  readonly isOurs: (workflowType: string) => boolean;
};

export class WorkflowTaskSlots implements CustomSlotSupplier<WorkflowSlotInfo> {
  readonly type = 'custom';
  readonly #limits: SlotLimits;
  readonly #waiting = new Set<WaitingReplay>();
  #warm = 0;
  #cold = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  async reserveSlot(
    { isSticky: isWarm }: Pick<SlotReserveContext, 'isSticky'>,
    signal: AbortSignal,
  ): Promise<SlotPermit> {
    const permit = this.#take(isWarm);
    if (permit !== undefined) return permit;
    return await new Promise<SlotPermit>((give, reject) => {
      const waiting: WaitingReplay = { isWarm, give };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', () => {
        if (this.#waiting.delete(waiting)) reject(signal.reason as Error);
      });
    });
  }

  tryReserveSlot({ isSticky }: Pick<SlotReserveContext, 'isSticky'>): SlotPermit | null {
    return this.#take(isSticky) ?? null;
  }

  markSlotUsed({ slotInfo, permit }: { slotInfo: WorkflowSlotInfo; permit: SlotPermit }): void {
    const used = permit as Permit;
    if (used.isWarm || this.#limits.isOurs(slotInfo.workflowType)) return;
    used.isWarm = true;
    this.#cold -= 1;
    this.#warm += 1;
    this.#serve();
  }

  releaseSlot({ permit }: { permit: SlotPermit }): void {
    if ((permit as Permit).isWarm) this.#warm -= 1;
    else this.#cold -= 1;
    this.#serve();
  }

  #take(isWarm: boolean): Permit | undefined {
    if (isWarm ? this.#warm >= this.#limits.warm : this.#cold >= this.#limits.cold)
      return undefined;
    if (isWarm) this.#warm += 1;
    else this.#cold += 1;
    return { isWarm };
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      const permit = this.#take(waiting.isWarm);
      if (permit === undefined) continue;
      this.#waiting.delete(waiting);
      waiting.give(permit);
    }
  }
}
