export type Retry = {
  /** Whether it makes sense to try again after this error. Attempts count from 1. */
  readonly while: (error: unknown, attempt: number) => boolean | Promise<boolean>;
  /** Resolves when the next attempt may begin. Default: at once. */
  readonly pause?: (attempt: number) => Promise<unknown>;
  /** Once it is aborted, there is no further attempt. */
  readonly signal?: { readonly aborted: boolean };
};

/** Does the work again while its errors may pass. Throws the last one. */
// eslint-disable-next-line no-restricted-syntax -- it waits for nothing but the promises that it is given
export async function retry<Result>(
  work: () => Result | Promise<Result>,
  { while: mayPass, pause, signal }: Retry,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(await mayPass(error, attempt))) throw error;
      await pause?.(attempt);
      if (signal?.aborted === true) throw error;
    }
  }
}
