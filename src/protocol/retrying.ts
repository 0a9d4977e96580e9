// The note of a worker to a run about a call that it tries again, and what the run shows of it.

/** The memo of a run that has such a call has this key, too. It is absent otherwise. */
export const retryingMemoKey = 'longhaulRetrying';

/** A signal to the run that makes the call. */
export type RetryNote = {
  readonly activityId: string;
  /** The attempt that failed. The first one is 1. */
  readonly attempt: number;
  readonly lastError: string;
};

/** A call that fails and is tried again, as the run knows it. The run gets a note for the failures 1, 2, 4, 8 and so on. */
export type RetriedCall = {
  /** `model openai/gpt-5`, `tool lookup`, or the activity's name. */
  readonly what: string;
  /** How many attempts have failed, at least. */
  readonly failures: number;
  /** One line of at most 200 bytes. */
  readonly lastError: string;
  /** When the run first made the call, in ISO 8601. */
  readonly since: string;
};

export const longestRetryError = 200;

/** Whether a run gets a note about a failure of this attempt. A call that fails for an hour costs about six signals. */
export function isTold(attempt: number): boolean {
  return Number.isSafeInteger(attempt) && attempt > 0 && Number.isInteger(Math.log2(attempt));
}

/** The name of a call. The summary of a model call is `#<turn> <provider>/<model>`, that of a tool call `#<turn> <tool> <arguments>`. */
export function calledName(type: string, summary: unknown): string {
  const called = typeof summary === 'string' ? /^#\d+ (\S+)/.exec(summary)?.[1] : undefined;
  if (called === undefined) return type;
  return `${type === 'callModel' ? 'model' : 'tool'} ${called}`;
}
