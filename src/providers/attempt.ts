import { limits, LonghaulError } from '../protocol';
import type { CallOptions, ModelDelta } from './provider';

const defaultGraceMs = 2000;

/**
 * Runs one HTTP attempt. The signal that `run` gets also aborts when a callback throws, and always at the end, so that no socket stays
 * open. The attempt rejects with the error of a callback, else with the reason of the caller's signal, else with the classified error. A
 * `StreamCut` does not abort at once: `run` asks `wasCut` after each chunk, and resolves with what has arrived.
 */
export async function singleAttempt<T>(
  options: CallOptions,
  run: (options: CallOptions, wasCut: () => boolean) => Promise<T>,
  classify: (error: unknown) => unknown,
): Promise<T> {
  options.signal.throwIfAborted();
  const attempt = new AbortController();
  let thrown: { readonly error: unknown } | undefined;
  const guarded = <Args extends unknown[]>(callback: (...args: Args) => void) => {
    return (...args: Args): void => {
      if (attempt.signal.aborted) return;
      try {
        callback(...args);
      } catch (error) {
        thrown ??= { error };
        attempt.abort(error);
        throw error;
      }
    };
  };
  // A variable, because `signal.aborted` is slow for a signal made of others, and this is read for every chunk.
  let cut = false;
  const wasCut = (): boolean => cut;
  const stop = (): void => {
    cut = isCut(options.signal);
    if (!cut) attempt.abort(options.signal.reason);
  };
  options.signal.addEventListener('abort', stop, { once: true });
  try {
    return await orAborted(
      run(
        {
          signal: attempt.signal,
          onDelta: guarded(bounded(options.onDelta)),
          onActivity: guarded(options.onActivity),
        },
        wasCut,
      ),
      attempt.signal,
    );
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    if (options.signal.aborted) throw options.signal.reason;
    throw classify(error);
  } finally {
    options.signal.removeEventListener('abort', stop);
    attempt.abort();
  }
}

/** An abort ends the wait at once, even if an SDK would first finish its read. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}

/** Stops a model that repeats itself without end. */
function bounded(onDelta: CallOptions['onDelta']): CallOptions['onDelta'] {
  const most = 4 * limits.modelTurn;
  let bytes = 0;
  return (delta) => {
    bytes += Buffer.byteLength(textOf(delta));
    if (bytes > most) {
      const message = `the model's turn has more than ${most} bytes; at most ${limits.modelTurn} are kept. Lower maxOutputTokens`;
      throw new LonghaulError('PayloadTooLarge', message);
    }
    onDelta(delta);
  };
}

function textOf(delta: ModelDelta): string {
  return delta.kind === 'tool-call' ? (delta.args ?? '') : delta.text;
}

export class StreamCut extends Error {
  override readonly name = 'StreamCut';
}

export function isCut(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof StreamCut;
}

/** Takes a response chunk by chunk. */
export type StreamReader<Chunk> = {
  accept(chunk: Chunk): void;
  /** True when the answer is whole. Only the usage and the end of the stream may follow. */
  readonly isComplete: boolean;
};

/**
 * Reads a stream to its end, so that the connection can be used again. A whole answer stays valid after a cut, or if the server does not
 * close the stream. A cut stops the read, unless the answer is whole: then only the usage is missing, and it costs nothing.
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
