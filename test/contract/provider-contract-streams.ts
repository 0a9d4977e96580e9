import type { CallOptions, ModelResponse } from '../../src/providers/provider';
import type { ContractTest, ProviderDialect } from './provider-dialect';
import { LocalServer, type Answer } from './provider-servers';
import {
  aRequest,
  recordedOptions,
  textOf,
  visibleParts,
  type Recorded,
} from './provider-requests';

/** Streams that end badly, early, late or never. */
export function streamContract(dialect: ProviderDialect, test: ContractTest): void {
  const hello = dialect.frames(['Hel', 'lo ', 'wörld 🌍']);
  const whole = [...hello.opening, ...hello.texts, ...hello.closing];
  let server: LocalServer;

  afterEach(() => server.stop());

  const callWith = async (
    answer: Answer,
    overrides: Partial<CallOptions> = {},
  ): Promise<{ readonly recorded: Recorded; readonly response: Promise<ModelResponse> }> => {
    server = await LocalServer.answering(answer);
    const recorded = recordedOptions(overrides);
    const response = dialect.create(server.url).call(aRequest(dialect), recorded.options);
    response.catch(() => undefined);
    return { recorded, response };
  };

  test('reads a stream whose characters are split over packets', async () => {
    const bytes = Buffer.from(whole.join(''));
    const frames = Array.from({ length: Math.ceil(bytes.length / 5) }, (_value, index) =>
      bytes.subarray(index * 5, index * 5 + 5),
    );
    const { recorded, response } = await callWith({ frames });

    expect(visibleParts(await response)).toMatchObject([{ type: 'text', text: 'Hello wörld 🌍' }]);
    expect(textOf(recorded.deltas)).toBe('Hello wörld 🌍');
  });

  for (const [title, answer] of [
    ['a connection cut in mid-stream', { then: 'cut' }],
    ['a stream without its final event', { then: 'end' }],
  ] as const) {
    test(`rejects ${title} as worth another attempt`, async () => {
      const { response } = await callWith({
        ...answer,
        frames: [...hello.opening, ...hello.texts],
      });

      await expect(response).rejects.toMatchObject({ code: 'ProviderError', retryable: true });
      expect(server.requests).toHaveLength(1);
    });
  }

  test('rejects a stream of garbage as a bad response', async () => {
    const { response } = await callWith({
      frames: [...hello.opening, 'data: {"unfinished\n\n', 'data: ]\n\n'],
    });

    await expect(response).rejects.toMatchObject({
      code: 'ProviderError',
      kind: 'bad_response',
      retryable: true,
    });
  });

  test('rejects a page instead of a stream as a bad response', async () => {
    const { response } = await callWith({
      headers: { 'content-type': 'text/html' },
      frames: ['<html>Welcome to the proxy</html>'],
    });

    await expect(response).rejects.toMatchObject({ kind: 'bad_response', retryable: true });
  });

  const MiB = 1024 * 1024;
  const repeating = dialect.frames(Array<string>(5).fill('x'.repeat(MiB)));
  for (const [title, frames] of [
    ['a turn that does not end', [...repeating.opening, ...repeating.texts, ...repeating.closing]],
    ['an event that does not end', [...hello.opening, ...Array<string>(5).fill('y'.repeat(MiB))]],
    ['a stream that says nothing', Array<string>(65).fill(`: ${'z'.repeat(MiB)}\n\n`)],
  ] as const) {
    test(`gives up on ${title}`, async () => {
      const { response } = await callWith({ frames });
      await expect(response).rejects.toMatchObject({ code: 'PayloadTooLarge', retryable: false });
    });
  }

  test('takes its credentials to no other place', async () => {
    const { response } = await callWith({ status: 307, headers: { location: 'elsewhere' } });
    await expect(response).rejects.toMatchObject({ code: 'ProviderError' });
    expect(server.requests).toHaveLength(1);
  });

  test('rejects with the reason of an abort in mid-stream and hangs up', async () => {
    const controller = new AbortController();
    const reason = new Error('the run was cancelled');
    const { response } = await callWith(
      { frames: [...hello.opening, ...hello.texts], then: 'hang' },
      { signal: controller.signal, onDelta: () => controller.abort(reason) },
    );

    await expect(response).rejects.toBe(reason);
    await server.hungUp;
  });

  test('rejects with the reason of an abort before the first byte', async () => {
    const controller = new AbortController();
    const reason = new Error('the worker shuts down');
    const { recorded, response } = await callWith({ then: 'hang' }, { signal: controller.signal });
    setImmediate(() => controller.abort(reason));

    await expect(response).rejects.toBe(reason);
    expect(recorded.activity()).toBe(0);
  });

  test('sends nothing when already aborted', async () => {
    const reason = new Error('too late');
    const { response } = await callWith({ frames: whole }, { signal: AbortSignal.abort(reason) });

    await expect(response).rejects.toBe(reason);
    expect(server.requests).toHaveLength(0);
  });

  test('rethrows what a callback throws and hangs up', async () => {
    const thrown = new Error('the display is gone');
    const { response } = await callWith(
      { frames: [...hello.opening, ...hello.texts], then: 'hang' },
      {
        onDelta: () => {
          throw thrown;
        },
      },
    );

    await expect(response).rejects.toBe(thrown);
    await server.hungUp;
  });

  test('reports activity while chunks arrive and none while the stream idles', async () => {
    const controller = new AbortController();
    const reason = new Error('idle for too long');
    let deltas = 0;
    const { recorded, response } = await callWith(
      { frames: [...hello.opening, ...hello.texts], then: 'hang' },
      {
        signal: controller.signal,
        onDelta: () => {
          deltas += 1;
          if (deltas === hello.texts.length) setImmediate(() => controller.abort(reason));
        },
      },
    );

    await expect(response).rejects.toBe(reason);
    const chunks = hello.opening.length + hello.texts.length;
    expect(recorded.activity()).toBeGreaterThan(0);
    expect(recorded.activity()).toBeLessThanOrEqual(chunks);
  });
}
