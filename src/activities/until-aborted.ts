/** Code of users that ignores its signal holds up neither a cancelled run nor a worker that shuts down. */
export async function untilAborted<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
