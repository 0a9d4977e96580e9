const defaultGraceMs = 2000;

/** Takes a response chunk by chunk. */
export type StreamReader<Chunk> = {
  accept(chunk: Chunk): void;
  /** The answer is whole; what may still come is usage and the end of the stream. */
  readonly isComplete: boolean;
};

/**
 * Reads a stream to its end, so that the connection can be used again. Once the answer is whole, neither a cut nor a server
 * that does not hang up can spoil it any more. A stream that was cut is left where it stands, unless the answer is whole: what
 * may still come of that costs no tokens, and tells the usage.
 */
export async function readStream<Chunk>(
  stream: AsyncIterable<Chunk>,
  reader: StreamReader<Chunk>,
  {
    onChunk,
    wasCut,
    graceMs = defaultGraceMs,
  }: {
    readonly onChunk?: () => void;
    readonly wasCut?: () => boolean;
    readonly graceMs?: number;
  } = {},
): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await (reader.isComplete ? within(graceMs, iterator.next()) : iterator.next());
    if (next.done === true) return;
    onChunk?.();
    reader.accept(next.value);
    if (wasCut?.() === true && !reader.isComplete) return;
  }
}

async function within<Chunk>(
  graceMs: number,
  next: Promise<IteratorResult<Chunk>>,
): Promise<IteratorResult<Chunk>> {
  const end: IteratorResult<Chunk> = { done: true, value: undefined };
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<IteratorResult<Chunk>>((resolve) => {
    timer = setTimeout(() => resolve(end), graceMs);
  });
  try {
    return await Promise.race([next.catch(() => end), grace]);
  } finally {
    clearTimeout(timer);
  }
}
