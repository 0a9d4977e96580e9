// Pure: no server.
import { readStream, type StreamReader } from '../../../src/providers/read-stream';

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
