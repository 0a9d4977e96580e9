// Pure: no server. What the door makes of bodies.

import { get, json, post, problem, setUp } from './door';

describe('bodies', () => {
  test.each<[string, unknown, string]>([
    ['nothing', '', '/input'],
    ['no input', {}, '/input'],
    ['an empty input', { input: ' ' }, '/input'],
    ['a file of the provider', { input: [media({ kind: 'ref', ref: 'file-1' })] }, '/input'],
    ['stored content', { input: [media({ kind: 'stored', digest: 'd', bytes: 1 })] }, '/input'],
    ['a URL', { input: [media({ kind: 'url', url: 'https://x/' })] }, '/input'],
    ['a context', { input: 'x', context: { account: 1 } }, ''],
    ['a key', { input: 'x', key: { userId: 'bob' } }, ''],
    ['an actor', { input: 'x', by: { id: 'bob' } }, ''],
    ['__proto__', '{"input":"x","__proto__":{"by":1}}', ''],
    ['a request id that is too long', { input: 'x', requestId: 'i'.repeat(201) }, '/requestId'],
  ])('with %s are refused', async (_, body, pointer) => {
    const { handle, started } = setUp();
    const answer = await problem(await handle(post('/support/runs', body)));
    expect(answer).toMatchObject({ status: 400, code: 'InvalidInput', errors: [{ pointer }] });
    expect(started).toEqual([]);
  });

  test.each<[string, string | Uint8Array, RegExp]>([
    ['that are no JSON', '{"input":', /not JSON/],
    ['that are a list', '[]', /JSON object/],
    ['of broken UTF-8', Uint8Array.of(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d), /not UTF-8/],
    ['of 10,000 levels', `{"input":${'['.repeat(10_000)}`, /more than 200 levels/],
    ['of whole 10,000 levels', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, /200 levels/],
    ['of a million values', `{"input":[${'1,'.repeat(1_000_000)}1]}`, /more than 50000 values/],
    // Looking for the end of each text from each quote would take hours.
    ['with 8 MiB of quotes', `{"input":"${'\\"'.repeat(4 * 1024 ** 2)}`, /not JSON/],
    ['of 8 MiB of quotes', '"'.repeat(8 * 1024 ** 2), /not JSON/],
    ['with a text of 8 MiB that never ends', `"${'[\\u005b'.repeat(1024 ** 2)}`, /not JSON/],
  ])('%s are refused', async (_, body, detail) => {
    const { handle } = setUp({ maxBodyBytes: 16 * 1024 ** 2 });
    const init = { method: 'POST', headers: json, body };
    const answer = await handle(get('/support/runs', init));
    expect(await problem(answer)).toMatchObject({
      status: 400,
      detail: expect.stringMatching(detail),
    });
  });

  test('may have brackets in texts', async () => {
    const { handle, started } = setUp();
    const input = `"\\${'['.repeat(10_000)}`;
    expect((await handle(post('/support/runs', { input }))).status).toBe(201);
    expect(started[0]?.input).toBe(input);
  });

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'of type %s are refused, also without a body',
    async (type) => {
      const { handle, started } = setUp();
      const headers = type === undefined ? {} : { 'content-type': type };
      const request = new Request('http://agents.test/support/runs', {
        method: 'POST',
        headers,
        body: new TextEncoder().encode('{"input":"x"}'),
      });
      expect(await problem(await handle(request))).toMatchObject({ status: 415 });
      expect(started).toEqual([]);
    },
  );

  test('of 10 MB are refused by what they say', async () => {
    const { handle } = setUp();
    const request = post('/support/runs', {}, { ...json, 'content-length': '10000000' });
    expect(await problem(await handle(request))).toMatchObject({ code: 'PayloadTooLarge' });
  });

  test('of 10 MB that do not say so are kept up to the limit', async () => {
    const { handle, started } = setUp({ maxBodyBytes: 150_000 });
    let sent = 0;
    const chunk = new Uint8Array(100_000).fill(0x20);
    let answerIsThere = false;
    let sentAfter = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setImmediate(resolve));
        sent += 1;
        if (answerIsThere) sentAfter += 1;
        controller.enqueue(chunk);
        if (sent === 100) controller.close();
      },
    });
    const answer = await handle(streamed('/support/runs', body));
    answerIsThere = true;
    expect(await problem(answer)).toMatchObject({ status: 413, code: 'PayloadTooLarge' });
    expect(started).toEqual([]);
    // The client may write to the end, so that it reads the answer.
    while (sent < 100) await new Promise((resolve) => setImmediate(resolve));
    expect(sentAfter).toBeGreaterThan(90);
  });

  test('that do not come in time are given up', async () => {
    const { handle } = setUp({ bodyTimeoutMs: 1 });
    let cancelled: () => void = () => undefined;
    const isCancelled = new Promise<void>((resolve) => (cancelled = resolve));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"input":')),
      cancel: async () => {
        cancelled();
        await new Promise(() => undefined);
      },
    });
    const answer = await handle(streamed('/support/runs', body));
    expect(await problem(answer)).toMatchObject({ status: 408, code: 'RequestTimeout' });
    await isCancelled;
  });

  test('that break off are refused', async () => {
    const { handle, errors } = setUp();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('connection reset')),
    });
    const answer = await handle(streamed('/support/runs', body));
    expect(await problem(answer)).toMatchObject({ status: 400 });
    expect(errors).toEqual([]);
  });
});

function streamed(path: string, body: ReadableStream<Uint8Array>): Request {
  const init = { method: 'POST', headers: json, body, duplex: 'half' };
  return new Request(`http://agents.test${path}`, init as RequestInit);
}

function media(source: object): object {
  return { type: 'media', mediaType: 'image/png', source };
}
