// Pure: no server.
import {
  StreamCut,
  type StreamReader,
  readStream,
  singleAttempt,
} from '../../../src/providers/attempt';
import type { CallOptions } from '../../../src/providers/provider';

function optionsWith(overrides: Partial<CallOptions> = {}): CallOptions {
  return {
    signal: new AbortController().signal,
    onDelta: () => undefined,
    onActivity: () => undefined,
    ...overrides,
  };
}

const classify = (error: unknown): Error => new Error(`classified: ${(error as Error).message}`);

describe('singleAttempt', () => {
  it('returns the result and then aborts what is left of the attempt', async () => {
    let signal: AbortSignal | undefined;
    const result = await singleAttempt(
      optionsWith(),
      async (own) => {
        signal = own.signal;
        return own.signal.aborted;
      },
      classify,
    );

    expect(result).toBe(false);
    expect(signal?.aborted).toBe(true);
  });

  it('classifies an error', async () => {
    const attempt = singleAttempt(
      optionsWith(),
      () => Promise.reject(new Error('socket')),
      classify,
    );

    await expect(attempt).rejects.toThrow('classified: socket');
  });

  it('does not run when already aborted', async () => {
    const run = jest.fn();
    const reason = new Error('stopped');
    const options = optionsWith({ signal: AbortSignal.abort(reason) });

    await expect(singleAttempt(options, run, classify)).rejects.toBe(reason);
    expect(run).not.toHaveBeenCalled();
  });

  it('rejects with the reason of an abort even where the work ignores it', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    const attempt = singleAttempt(
      optionsWith({ signal: controller.signal }),
      () => new Promise(() => undefined),
      classify,
    );
    controller.abort(reason);

    await expect(attempt).rejects.toBe(reason);
  });

  it('rejects with what a callback threw, though the work hides it', async () => {
    const thrown = new Error('display');
    const onDelta = (): void => {
      throw thrown;
    };
    const attempt = singleAttempt(
      optionsWith({ onDelta }),
      async (own) => {
        try {
          own.onDelta({ kind: 'text', text: 'a' });
        } catch {
          throw new Error('hidden');
        }
      },
      classify,
    );

    await expect(attempt).rejects.toBe(thrown);
  });

  it('lets the work resolve with what had come until a cut, and then aborts the attempt', async () => {
    const controller = new AbortController();
    let own: AbortSignal | undefined;
    const result = await singleAttempt(
      optionsWith({
        signal: controller.signal,
        onDelta: () => controller.abort(new StreamCut('doomed')),
      }),
      async ({ signal, onDelta }, wasCut) => {
        own = signal;
        const before = wasCut();
        onDelta({ kind: 'text', text: 'a' });
        return [before, wasCut(), signal.aborted];
      },
      classify,
    );

    expect(result).toEqual([false, true, false]);
    expect(own?.aborted).toBe(true);
  });

  it('rejects with the cut where the work cannot say what had come', async () => {
    const controller = new AbortController();
    const cut = new StreamCut('doomed');
    const attempt = singleAttempt(
      optionsWith({ signal: controller.signal }),
      async () => {
        controller.abort(cut);
        throw new Error('half a message');
      },
      classify,
    );

    await expect(attempt).rejects.toBe(cut);
  });

  it('calls back no more once it is over', async () => {
    const onActivity = jest.fn();
    let own: CallOptions | undefined;
    await singleAttempt(
      optionsWith({ onActivity }),
      async (options) => {
        own = options;
      },
      classify,
    );
    own?.onActivity();

    expect(onActivity).not.toHaveBeenCalled();
  });
});

class Collector implements StreamReader<string> {
  readonly chunks: string[] = [];

  accept(chunk: string): void {
    this.chunks.push(chunk);
  }

  get isComplete(): boolean {
    return this.chunks.includes('end');
  }
}

async function* streamOf(
  chunks: readonly string[],
  last?: () => Promise<never>,
): AsyncGenerator<string> {
  yield* chunks;
  await last?.();
}

describe('readStream', () => {
  it('reads on to the end of the stream', async () => {
    const collector = new Collector();
    await readStream(streamOf(['a', 'end', 'usage']), collector);

    expect(collector.chunks).toEqual(['a', 'end', 'usage']);
  });

  it('rejects on a cut before the answer is whole', async () => {
    const cut = (): Promise<never> => Promise.reject(new Error('cut'));

    await expect(readStream(streamOf(['a'], cut), new Collector())).rejects.toThrow('cut');
  });

  it('forgives a cut after the answer is whole', async () => {
    const cut = (): Promise<never> => Promise.reject(new Error('cut'));
    const collector = new Collector();
    await readStream(streamOf(['a', 'end'], cut), collector);

    expect(collector.chunks).toEqual(['a', 'end']);
  });

  it('leaves a stream that was cut where it stands', async () => {
    const collector = new Collector();
    const wasCut = (): boolean => collector.chunks.includes('b');
    await readStream(streamOf(['a', 'b', 'c', 'end']), collector, { wasCut });

    expect(collector.chunks).toEqual(['a', 'b']);
  });

  it('reads on for the usage where the answer was whole when it was cut', async () => {
    const collector = new Collector();
    const wasCut = (): boolean => collector.chunks.includes('end');
    await readStream(streamOf(['a', 'end', 'usage']), collector, { wasCut });

    expect(collector.chunks).toEqual(['a', 'end', 'usage']);
  });

  it('does not wait long for a server that never hangs up', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const collector = new Collector();
    await readStream(streamOf(['end'], never), collector, { graceMs: 1 });

    expect(collector.chunks).toEqual(['end']);
  });

  it('reports every chunk', async () => {
    const onChunk = jest.fn();
    await readStream(streamOf(['a', 'b']), new Collector(), { onChunk });

    expect(onChunk).toHaveBeenCalledTimes(2);
  });
});
