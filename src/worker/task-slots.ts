import { availableParallelism, totalmem } from 'node:os';
import type {
  ActivitySlotInfo,
  CustomSlotSupplier,
  SlotPermit,
  SlotReserveContext,
  SlotSupplier,
  TunerHolder,
  WorkerOptions,
  WorkflowSlotInfo,
} from '@temporalio/worker';
import { allWorkflowTypes, type LonghaulActivities } from '../protocol';

/** With more threads, the thread that talks to the server would be the limit. */
const mostThreads = 4;

/** Tasks of runs that are in memory. Temporal's default. */
const warmTasks = 40;

/** Activities that may compute. Temporal's default. */
const activities = 100;

const mostModelCalls = 1_000;

/** The memory of a model call with a long prompt. All model calls together get a quarter of the memory. */
const modelCallBytes = 1024 ** 2;

const ourTypes: ReadonlySet<string> = new Set(allWorkflowTypes);
const modelCalls: ReadonlySet<string> = new Set<keyof LonghaulActivities>([
  'callModel',
  'summarise',
]);

/**
 * How many tasks a worker takes at a time. A fresh worker replays its runs on all cores, a few at a time, and model calls, which wait, take
 * no slots from activities that compute. The user's threads, tuner and numbers win.
 */
export function taskSlots(options: WorkerOptions): WorkerOptions {
  const threads = options.workflowThreadPoolSize ?? Math.min(availableParallelism(), mostThreads);
  if (options.tuner !== undefined) return { ...options, workflowThreadPoolSize: threads };
  const {
    maxConcurrentWorkflowTaskExecutions: workflowTasks,
    maxConcurrentActivityTaskExecutions: activityTasks,
    maxConcurrentLocalActivityExecutions: localActivities = activities,
    maxConcurrentNexusTaskExecutions: nexusTasks = activities,
    ...rest
  } = options;
  const tuner: TunerHolder = {
    workflowTaskSlotSupplier: fixed(workflowTasks) ?? workflowSlots(threads),
    activityTaskSlotSupplier: fixed(activityTasks) ?? activitySlots(modelCallsAtOnce()),
    localActivityTaskSlotSupplier: { type: 'fixed-size', numSlots: localActivities },
    nexusTaskSlotSupplier: { type: 'fixed-size', numSlots: nexusTasks },
  };
  return { ...rest, workflowThreadPoolSize: threads, tuner };
}

function fixed(numSlots: number | undefined): SlotSupplier<never> | undefined {
  return numSlots === undefined ? undefined : { type: 'fixed-size', numSlots };
}

/**
 * A task of the worker's sticky queue finds its run in memory and takes milliseconds. Any other task may replay a long history, which can
 * take a core for a second. With more of them than cores, all may time out, and each next attempt starts at the first event again. Tasks of
 * other workflow types may stay open for local activities, and must not block ours.
 */
export function workflowSlots(threads: number): TaskSlots<WorkflowSlotInfo> {
  // One more than the threads, so that a task is ready when a thread is free.
  const limits = { heavy: threads + 1, light: warmTasks };
  return new TaskSlots(limits, ({ workflowType }) => !ourTypes.has(workflowType));
}

/** A model call waits for its provider, while any other activity may compute. */
export function activitySlots(light: number, heavy = activities): TaskSlots<ActivitySlotInfo> {
  const limits = { heavy, light };
  return new TaskSlots(limits, ({ activityType }) => modelCalls.has(activityType));
}

/** How many model calls fit in the memory of the container, or else of the machine. */
export function modelCallsAtOnce(
  bytes = Math.min(process.constrainedMemory(), totalmem()),
): number {
  const fitting = Math.floor(bytes / 4 / modelCallBytes);
  return Math.max(activities, Math.min(mostModelCalls, fitting));
}

type Permit = SlotPermit & { isLight: boolean };

type Waiting = { readonly isLight: boolean; readonly give: (permit: Permit) => void };

/**
 * Slots for two kinds of tasks. A sticky task is light. The kind of any other task shows only when its slot is used: until then it counts
 * as heavy. If there are too many light tasks, they keep the slots that they took.
 */
export class TaskSlots<
  Info extends WorkflowSlotInfo | ActivitySlotInfo,
> implements CustomSlotSupplier<Info> {
  readonly type = 'custom';
  readonly #limits: { readonly heavy: number; readonly light: number };
  readonly #isLight: (info: Info) => boolean;
  readonly #waiting = new Set<Waiting>();
  #heavy = 0;
  #light = 0;

  constructor(
    limits: { readonly heavy: number; readonly light: number },
    isLight: (info: Info) => boolean,
  ) {
    this.#limits = limits;
    this.#isLight = isLight;
  }

  async reserveSlot(
    { isSticky: isLight }: Pick<SlotReserveContext, 'isSticky'>,
    signal: AbortSignal,
  ): Promise<SlotPermit> {
    const permit = this.#take(isLight);
    if (permit !== undefined) return permit;
    return await new Promise<SlotPermit>((give, reject) => {
      const waiting: Waiting = { isLight, give };
      this.#waiting.add(waiting);
      signal.addEventListener('abort', () => {
        if (this.#waiting.delete(waiting)) reject(signal.reason as Error);
      });
    });
  }

  tryReserveSlot({ isSticky }: Pick<SlotReserveContext, 'isSticky'>): SlotPermit | null {
    return this.#take(isSticky) ?? null;
  }

  markSlotUsed({ slotInfo, permit }: { slotInfo: Info; permit: SlotPermit }): void {
    const used = permit as Permit;
    if (used.isLight || !this.#isLight(slotInfo)) return;
    used.isLight = true;
    this.#heavy -= 1;
    this.#light += 1;
    this.#serve();
  }

  releaseSlot({ permit }: { permit: SlotPermit }): void {
    if ((permit as Permit).isLight) this.#light -= 1;
    else this.#heavy -= 1;
    this.#serve();
  }

  #take(isLight: boolean): Permit | undefined {
    const { heavy, light } = this.#limits;
    const tooMany = Math.max(0, this.#light - light);
    if (isLight ? this.#light >= light : this.#heavy + tooMany >= heavy) return undefined;
    if (isLight) this.#light += 1;
    else this.#heavy += 1;
    return { isLight };
  }

  #serve(): void {
    for (const waiting of this.#waiting) {
      const permit = this.#take(waiting.isLight);
      if (permit === undefined) continue;
      this.#waiting.delete(waiting);
      waiting.give(permit);
    }
  }
}

/**
 * How long a workflow may compute before Temporal's SDK stops it and tries its task again: by default 5 seconds, which a busy machine alone
 * may take. If that happens in a promise, Node before 24 ends the whole process ("async hook stack has become corrupted",
 * nodejs/node#38503). So there the limit stops only work that will hardly end by itself. The SDK reads the option, but its types do not
 * name it.
 */
export function workflowTime(
  { debugMode = false }: Pick<WorkerOptions, 'debugMode'>,
  nodeVersion = process.versions.node,
): { readonly isolateExecutionTimeout?: string } {
  const survives = Number.parseInt(nodeVersion, 10) >= 24;
  return survives || debugMode ? {} : { isolateExecutionTimeout: '1 minute' };
}
