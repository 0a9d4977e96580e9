// Watches one execution's history grow. It knows when the run must continue as new, when nothing new may start, and when the run must end.
//
// 1. A run continues as new only after a step, and only if its history has grown since the execution loaded. Loading takes history, too,
//    and the next execution would load the same again.
// 2. The history must grow by a share of what was loaded, so that a run does not load a long log for every turn.
// 3. A thread that Worker Versioning pins to an older version moves to the current one. An execution that is already on an older version
//    when it has loaded does not move again: the last move has not helped, and the thread would do nothing else.
// 4. A run that waits decides in `look` whether to move. A task with nothing but a refused update makes the history longer, too, but a replay
//    leaves that task out.
// 5. Open work has room for its largest possible result, so that the server never ends a run for its size.

import {
  makeContinueAsNewFunc,
  patched,
  workflowInfo,
  type WorkflowInfo,
} from '@temporalio/workflow';
import { limits, LonghaulError, retryingMemoKey } from '../../protocol';
import type { RunLog } from './run-log';

export const noHistory: ExecutionSize = { bytes: 0, events: 0, updates: 0, isSuggested: false };

const namedEntries = 5;

export class HistoryWatch {
  #loaded = noHistory;
  #isLoadedOutdated = false;
  #steps = 0;
  #wasDue = false;
  #wasOver = false;
  readonly #taken: { readonly updates: number };

  /** `taken`: how many updates this execution has taken. */
  constructor(taken: { readonly updates: number }) {
    this.#taken = taken;
  }

  /** The execution has loaded. Its history grows from now on. */
  loaded(): void {
    this.#loaded = this.#now();
    this.#isLoadedOutdated = workflowInfo().targetWorkerDeploymentVersionChanged;
  }

  stepped(): void {
    this.#steps += 1;
  }

  /** Call it when something has come that history has, so that a replay finds it, too. */
  look(): void {
    this.#wasDue = this.isDue;
    this.#wasOver = this.isOver;
  }

  /** As `isDue` when something came last. */
  get wasDue(): boolean {
    return this.#wasDue;
  }

  get wasOver(): boolean {
    return this.#wasOver;
  }

  get isDue(): boolean {
    return isDue({ now: this.#now(), loaded: this.#loaded, steps: this.#steps });
  }

  /** True if workers of another version should go on. Not for validators and queries: it may add a marker to the history. */
  get isOutdated(): boolean {
    const { targetWorkerDeploymentVersionChanged: isOutdated } = workflowInfo();
    return isOutdated && !this.#isLoadedOutdated && patched('longhaul:to-current-version');
  }

  get isOver(): boolean {
    return isOver(this.#now());
  }

  isFull(open: number): boolean {
    return isFull(this.#now(), open);
  }

  /** The error with which the run ends. It names the entries that take the most room. */
  tooLarge(log: Pick<RunLog, 'largest'>): LonghaulError {
    const { bytes, events } = this.#now();
    const largest = log.largest(namedEntries);
    const named = largest.map(({ kind, tool, turn, bytes: size }) => {
      const what = tool === undefined ? kind : `${kind} of '${tool}'`;
      return `${what}${turn === undefined ? '' : ` in turn ${turn}`} (${size} bytes)`;
    });
    const what = named.length > 0 ? ` The largest entries: ${named.join(', ')}.` : '';
    return new LonghaulError(
      'TranscriptTooLarge',
      `the run's history has ${bytes} bytes and ${events} events, the server would soon terminate it.${what} Return less from tools, or split the work into several runs`,
      { details: { bytes, events, largest } },
    );
  }

  #now(): ExecutionSize {
    return historySize(workflowInfo(), this.#taken.updates);
  }
}

/** The size of one execution's history. */
export type ExecutionSize = {
  readonly bytes: number;
  readonly events: number;
  /** The updates that the execution has taken. The server allows 2,000. */
  readonly updates: number;
  /** True if the server suggests to continue as new. */
  readonly isSuggested: boolean;
};

type Growth = {
  readonly now: ExecutionSize;
  /** The size when the execution had loaded. */
  readonly loaded: ExecutionSize;
  /** Steps since then. */
  readonly steps: number;
};

function historySize(info: WorkflowInfo, updates = 0): ExecutionSize {
  return {
    bytes: info.historySize,
    events: info.historyLength,
    updates,
    isSuggested: info.continueAsNewSuggested,
  };
}

/** True if the run should continue as new as soon as it can. */
export function isDue({ now, loaded, steps }: Growth): boolean {
  if (steps === 0) return false;
  const bytes = now.bytes - loaded.bytes;
  const hasGrown = bytes >= loaded.bytes * limits.historyGrowth;
  return (
    (hasGrown && (now.isSuggested || bytes > limits.historyBytes)) ||
    now.events - loaded.events > limits.historyEvents ||
    now.updates > limits.historyUpdates
  );
}

/** True if nothing more may start beside the `open` items. An item alone may start, because the loop checked the history before. */
export function isFull(now: ExecutionSize, open: number): boolean {
  if (open === 0) return false;
  return (
    now.bytes > limits.fullHistoryBytes ||
    now.events > limits.fullHistoryEvents ||
    now.bytes + (open + 1) * limits.childResult > limits.maxHistoryBytes ||
    now.updates + (open + 1) * limits.updatesPerChild > limits.maxUpdates
  );
}

/** True if the run must end, because the server would soon terminate it. */
export function isOver({ bytes, events }: ExecutionSize): boolean {
  return bytes > limits.maxHistoryBytes || events > limits.maxHistoryEvents;
}

type ContinueOptions = {
  readonly memo?: Record<string, unknown>;
  readonly initialVersioningBehavior?: 'AUTO_UPGRADE';
};

/** Ends this execution. The next one starts with `input`, and with the state that this one carries. Never returns. */
export async function continueAsNew(input: object, carried: Uint8Array): Promise<void> {
  type Workflow = (input: object, carried: Uint8Array) => Promise<unknown>;
  await makeContinueAsNewFunc<Workflow>(continueOptions())(input, carried);
}

/**
 * The options of `continueAsNew`. Without the memo, the server would show that of the first execution. With Worker Versioning, the next
 * execution of a pinned run begins on the version that is current, or ramping for it.
 */
function continueOptions(): ContinueOptions {
  const { memo, targetWorkerDeploymentVersionChanged: isOutdated } = workflowInfo();
  return {
    ...(memo && { memo: withoutRetrying(memo) }),
    ...(isOutdated && { initialVersioningBehavior: 'AUTO_UPGRADE' }),
  };
}

/** The next execution has none of the calls of this one. */
function withoutRetrying(memo: Record<string, unknown>): Record<string, unknown> {
  const { [retryingMemoKey]: _retrying, ...kept } = memo;
  return kept;
}
