// Lists the open calls of an execution, with the notes of workers about calls that they try again. Knows no runs, and holds nothing at
// module level.
//
// 1. Anybody may send a note. A note changes nothing if its call is not open, or if it is not new.
// 2. Each call takes at most one note for each power of two. So forged notes cost few events.

import { isJsonObject, oneLine } from '../../base';
import {
  calledName,
  isTold,
  longestRetryError,
  type RetriedCall,
  type RetryNote,
} from '../../protocol';

const longestName = 100;

type OpenCall = Pick<RetriedCall, 'what' | 'since'> & {
  readonly failed?: Pick<RetriedCall, 'failures' | 'lastError'>;
};

type StartedCall = {
  readonly activityId: string;
  readonly type: string;
  readonly summary: string | undefined;
};

export class RetriedCalls {
  readonly #open = new Map<string, OpenCall>();
  #show: (() => void) | undefined;

  /** Follows a call to its end. Adds nothing to the promise itself: replays wait for it as before. */
  watch({ activityId, type, summary }: StartedCall, ended: Promise<unknown>): void {
    const what = oneLine(calledName(type, summary), longestName);
    this.#open.set(activityId, { what, since: new Date().toISOString() });
    const close = (): void => this.#close(activityId);
    ended.then(close, close);
  }

  /** True if the note is new. */
  take(payload: unknown): boolean {
    const note = readNote(payload);
    if (note === undefined) return false;
    const { activityId, attempt: failures, lastError } = note;
    const call = this.#open.get(activityId);
    if (call === undefined || failures <= (call.failed?.failures ?? 0)) return false;
    this.#open.set(activityId, { ...call, failed: { failures, lastError } });
    return true;
  }

  /** Shows every change from now on. */
  follow(show: () => void): void {
    this.#show = show;
    show();
  }

  /** The call that has failed most often. */
  get worst(): RetriedCall | undefined {
    const failing = [...this.#open.values()].flatMap(({ failed, ...call }) =>
      failed === undefined ? [] : [{ ...call, ...failed }],
    );
    return failing.sort((one, other) => other.failures - one.failures)[0];
  }

  #close(activityId: string): void {
    const hadFailed = this.#open.get(activityId)?.failed !== undefined;
    this.#open.delete(activityId);
    if (hadFailed) this.#show?.();
  }
}

function readNote(payload: unknown): RetryNote | undefined {
  if (!isJsonObject(payload)) return undefined;
  const { activityId, attempt, lastError } = payload;
  if (typeof activityId !== 'string' || typeof lastError !== 'string') return undefined;
  if (typeof attempt !== 'number' || !isTold(attempt)) return undefined;
  return { activityId, attempt, lastError: oneLine(lastError, longestRetryError) };
}
