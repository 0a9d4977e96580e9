// Pure: no server.
import { type SseItem, sseResponse } from '../../../src/http/sse';

async function* items(...given: SseItem[]): AsyncGenerator<SseItem, void, void> {
  yield* given;
}

/** Each piece that the connection got, as text. */
async function pieces(response: Response): Promise<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const found: string[] = [];
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found;
    found.push(decoder.decode(value));
  }
}

/** A source that counts what is asked of it, and waits for ever after its items. */
function watched(...given: SseItem[]) {
  const seen = { asked: 0, returned: 0, signal: undefined as AbortSignal | undefined };
  const source = (signal: AbortSignal): AsyncIterable<SseItem> => {
    seen.signal = signal;
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const value = given[seen.asked];
          seen.asked += 1;
          return value === undefined
            ? new Promise<never>(() => undefined)
            : Promise.resolve({ done: false, value });
        },
        return: () => {
          seen.returned += 1;
          return Promise.resolve({ done: true, value: undefined });
        },
      }),
    };
  };
  return { seen, source };
}

test('writes events with their names, ids and lines', async () => {
  const response = sseResponse(() =>
    items(
      'one',
      { id: '7', event: 'step', data: 'two\nthree\r\nfour\rfive' },
      { id: '', data: '' },
      { id: 'a\nb\0', event: 'x\r\ny', data: '😀' },
    ),
  );
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(await pieces(response)).toEqual([
    ':\n\n',
    'data: one\n\n',
    'id: 7\nevent: step\ndata: two\ndata: three\ndata: four\ndata: five\n\n',
    'id: \ndata: \n\n',
    'id: ab\nevent: xy\ndata: 😀\n\n',
  ]);
});

test('takes an event only when the connection asks for one', async () => {
  const { seen, source } = watched('one', 'two', 'three');
  const reader = (sseResponse(source).body as ReadableStream<Uint8Array>).getReader();
  expect(seen.signal).toBeUndefined();
  await reader.read();
  expect(seen.asked).toBe(0);
  await reader.read();
  expect(seen.asked).toBe(1);
  await reader.cancel();
  expect(seen).toMatchObject({ asked: 1, returned: 1, signal: { aborted: true } });
});

test.each([
  ['cancels the body', async (reader: ReadableStreamDefaultReader) => reader.cancel()],
  ['aborts the request', async (_: unknown, gone: AbortController) => gone.abort()],
])('returns a source that waits when the client %s', async (_, leave) => {
  const { seen, source } = watched('one');
  const gone = new AbortController();
  const response = sseResponse(source, { signal: gone.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.read();
  const last = reader.read();
  await leave(reader, gone);
  expect(await last).toEqual({ done: true, value: undefined });
  expect(seen).toMatchObject({ returned: 1, signal: { aborted: true } });
});

test('ends at once for a client that is already gone', async () => {
  const { seen, source } = watched('one');
  expect(await pieces(sseResponse(source, { signal: AbortSignal.abort() }))).toEqual([]);
  expect(seen).toMatchObject({ asked: 0, returned: 0 });
});

test('fills silence with comments, and loses no event by them', async () => {
  let release: (item: SseItem) => void = () => undefined;
  const late = new Promise<SseItem>((resolve) => (release = resolve));
  async function* source(): AsyncGenerator<SseItem, void, void> {
    yield await late;
  }
  const response = sseResponse(() => source(), { keepAliveMs: 1 });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await read()).toBe(':\n\n');
  expect(await read()).toBe(': keep-alive\n\n');
  expect(await read()).toBe(': keep-alive\n\n');
  release('late');
  const rest = [await read(), await read()];
  expect(rest).toContain('data: late\n\n');
  await reader.cancel();
});

test('cuts the connection if the source fails, and tells', async () => {
  const errors: unknown[] = [];
  const failure = new Error('the source broke');
  async function* source(): AsyncGenerator<SseItem, void, void> {
    yield 'one';
    throw failure;
  }
  const response = sseResponse(() => source(), { onError: (error) => errors.push(error) });
  await expect(pieces(response)).rejects.toThrow('the source broke');
  expect(errors).toEqual([failure]);
});
