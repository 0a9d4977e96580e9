// An activity context of the SDK's own mock, and a result store in memory; no server.
import { randomBytes } from 'node:crypto';
import { keptOutput, withContent } from '../../../../src/activities/results/stored-results';
import type { Json } from '../../../../src/base/json';
import { limits } from '../../../../src/protocol/limits';
import type { Message, ToolOutput } from '../../../../src/protocol/message';
import { StoredContent } from '../../../../src/stores/results/stored-content';
import { MemoryResults } from '../../../workflow/memory-results';
import { QuietActivity } from '../quiet-activity';

const scope = 'default/run';

const ok = (...content: ToolOutput['content']): ToolOutput => ({ isError: false, content });
const textPart = (text: string) => ({ type: 'text' as const, text });
const picture = (size: number) => ({
  type: 'media' as const,
  mediaType: 'image/png',
  source: { kind: 'base64' as const, data: randomBytes(size).toString('base64') },
});

describe('keptOutput', () => {
  let store: MemoryResults;
  beforeEach(() => {
    store = new MemoryResults();
  });

  async function keep(
    output: ToolOutput,
    { maxBytes, timeoutMs = 60_000 }: { maxBytes?: number; timeoutMs?: number } = {},
  ): Promise<ToolOutput> {
    const environment = new QuietActivity();
    const { signal } = new AbortController();
    const options = {
      results: new StoredContent(store),
      scope,
      maxBytes,
      signal,
      deadline: Date.now() + timeoutMs,
    };
    return await environment.run<[], ToolOutput, () => Promise<ToolOutput>>(
      async () => await keptOutput(output, options),
    );
  }

  const kept = () => [...(store.contents.get(scope)?.values() ?? [])].map(Buffer.from);

  it('leaves a result within its limit as it is', async () => {
    const output = ok(textPart('x'.repeat(limits.toolResultShown)), picture(limits.storedMedia));
    expect(await keep(output)).toEqual(output);
    expect(store.counts.put).toBe(0);
  });

  it('keeps a longer text whole, and shows its head with the ref', async () => {
    const text = 'é'.repeat(50_000);
    const [part] = (await keep(ok(textPart(text)))).content;
    if (part?.type !== 'text') throw new Error('not a text');
    const { digest, bytes } = part.stored ?? {};
    expect(bytes).toBe(100_000);
    expect(kept()[0]?.toString()).toBe(text);
    expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(limits.storedHead);
    const [head = '', note] = part.text.split('\n');
    expect(text.startsWith(head)).toBe(true);
    expect(note).toBe(
      `[the first ${Buffer.byteLength(head)} of 100000 bytes are shown, and the whole text is stored: read on with read_result, or search with find_in_result; ref "${digest}"]`,
    );
  });

  const sizeOf = ({ content }: ToolOutput): number =>
    content.reduce(
      (sum, part) => sum + (part.type === 'text' ? Buffer.byteLength(part.text) : 0),
      0,
    );

  it.each([
    { parts: 100, maxBytes: undefined },
    { parts: 100, maxBytes: 2_000 },
    { parts: 3, maxBytes: 1_000 },
  ])('shows no more of $parts long texts than $maxBytes bytes', async ({ parts, maxBytes }) => {
    const texts = Array.from({ length: parts }, (_, index) => `${index} ${'x'.repeat(6_000)}`);
    const output = ok(textPart('short'), ...texts.map(textPart));
    const shown = await keep(output, { ...(maxBytes && { maxBytes }) });
    expect(sizeOf(shown)).toBeLessThanOrEqual(maxBytes ?? limits.toolResultShown);
    expect(shown.content[0]).toEqual(textPart('short'));
    expect(kept().map(String).join('\n')).toBe(texts.join('\n'));
  });

  it('shows a note and nothing else where there is no room for more', async () => {
    const { content } = await keep(ok(textPart('x'.repeat(1_000))), { maxBytes: 200 });
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringMatching(/^\n\[the first 0 of 1000 bytes/) as string },
    ]);
  });

  it('keeps long JSON with indents, so that it has lines', async () => {
    const value = { rows: Array.from({ length: 500 }, (_, id) => ({ id })) };
    const [part] = (await keep(ok({ type: 'json', value }), { maxBytes: 1_000 })).content;
    expect(part).toMatchObject({ type: 'text', stored: { bytes: kept()[0]?.byteLength } });
    expect(kept()[0]?.toString()).toBe(JSON.stringify(value, null, 2));
  });

  it.each([
    ['over the limit of a store', 200_000],
    ['longer than a string may be', 1_500_000],
  ])('keeps JSON without indents where these make it %s', async (_, length) => {
    const nest = (value: Json, depth: number): Json =>
      depth === 0 ? value : nest([value], depth - 1);
    const value = nest(new Array<number>(length).fill(0), 190);
    const { content } = await keep(ok({ type: 'json', value }));
    expect(content).toMatchObject([{ type: 'text', stored: { bytes: 2 * (length + 190) + 1 } }]);
    expect(kept()[0]?.toString()).toBe(JSON.stringify(value));
  });

  it('keeps media over the limit as bytes', async () => {
    const media = picture(limits.storedMedia + 1);
    const { content } = await keep(ok(textPart('Look:'), media));
    expect(content).toEqual([
      textPart('Look:'),
      {
        type: 'media',
        mediaType: 'image/png',
        source: {
          kind: 'stored',
          digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          bytes: limits.storedMedia + 1,
        },
      },
    ]);
    expect(kept()[0]?.toString('base64')).toBe(media.source.data);
  });

  it('tries again while the attempt has time', async () => {
    let failures = 2;
    store.fault = () => {
      if (failures-- > 0) throw new Error('busy');
    };
    const [part] = (await keep(ok(textPart('x'.repeat(100_000))))).content;
    expect(part).toMatchObject({ stored: { bytes: 100_000 } });
  });

  it('cuts the result if the store stays down', async () => {
    store.fault = () => {
      throw new Error('down');
    };
    const [part] = (await keep(ok(textPart('x'.repeat(100_000))), { timeoutMs: 500 })).content;
    expect(part).toEqual(
      textPart(
        expect.stringMatching(
          /of 100000 bytes are shown; the result store did not take the rest\]$/,
        ) as string,
      ),
    );
  });

  it('leaves an error as it is, whatever the limit of its tool', async () => {
    const error = { isError: true, content: [textPart('x'.repeat(5_000))] };
    expect(await keep(error, { maxBytes: 1_000 })).toEqual(error);
  });
});

describe('withContent', () => {
  let store: MemoryResults;
  let messages: readonly Message[];
  const data = randomBytes(30_000);
  const text = 'whole text '.repeat(10_000);
  const head = (stored: object) => ({
    type: 'text' as const,
    text: 'the head',
    stored: stored as never,
  });
  beforeEach(async () => {
    store = new MemoryResults();
    const content = new StoredContent(store);
    const media = await content.keep(scope, data);
    const words = await content.keep(scope, Buffer.from(text));
    const source = { kind: 'stored' as const, ...media };
    const stored = { type: 'media' as const, mediaType: 'image/png', source };
    const result = { type: 'tool_result' as const, callId: 'c', name: 'look', isError: false };
    messages = [
      { role: 'user', parts: [stored] },
      { role: 'assistant', parts: [textPart('Seen.')] },
      { role: 'user', parts: [head(words), stored] },
      { role: 'tool', parts: [{ ...result, content: [head(words), stored] }] },
    ];
  });

  const restore = async (ownFrom: number, results = new StoredContent(store)) =>
    await withContent(messages, { results, scope, ownFrom }, (whole) => Promise.resolve(whole));

  it('puts back media and the texts of users, and leaves the heads of results', async () => {
    const whole = {
      type: 'media',
      mediaType: 'image/png',
      source: { kind: 'base64', data: data.toString('base64') },
    };
    const [earlier, answer, user, tool] = await restore(2);
    expect(earlier?.parts).toEqual([whole]);
    expect(answer).toEqual(messages[1]);
    expect(user?.parts).toEqual([textPart(text), whole]);
    expect(tool?.parts[0]).toMatchObject({ content: [{ text: 'the head' }, whole] });
    expect(store.counts.get).toBe(2);
  });

  it('puts a note in the place of lost content of tools and earlier turns', async () => {
    const [user, , ...rest] = messages;
    messages = [user, ...rest.filter(({ role }) => role === 'tool')].flatMap((one) => one ?? []);
    store.change(() => undefined);
    const [earlier, tool] = await restore(1);
    const note = textPart(
      expect.stringMatching(
        /^\[image\/png, 30,000 bytes, stored as [0-9a-f]{16}…\]: the result store no longer has it$/,
      ) as string,
    );
    expect(earlier?.parts).toEqual([note]);
    expect(tool?.parts[0]).toMatchObject({ content: [{ text: 'the head' }, note] });
  });

  it('leaves out the oldest media of tools beyond what a request may have', async () => {
    const content = new StoredContent(store);
    const large = {
      kind: 'stored' as const,
      ...(await content.keep(scope, Buffer.alloc(limits.storedContent - 1_000))),
    };
    const tool = messages[3];
    if (tool?.role !== 'tool') throw new Error('not of tools');
    const newer = { type: 'media' as const, mediaType: 'image/png', source: large };
    messages = [
      tool,
      { ...tool, parts: tool.parts.map((part) => ({ ...part, content: [newer] })) },
    ];
    const [older, newest] = await restore(0);
    expect(older?.parts[0]).toMatchObject({
      content: [{}, textPart(expect.stringContaining('left out') as string)],
    });
    expect(newest?.parts[0]).toMatchObject({ content: [{ source: { kind: 'base64' } }] });
  });

  it.each([
    { name: 'lost', change: () => undefined, says: 'no longer has it' },
    {
      name: 'changed',
      change: (bytes: Uint8Array) => bytes.map((byte) => byte ^ 1),
      says: 'other bytes',
    },
  ])("fails if the run's own input is $name", async ({ change, says }) => {
    store.change(change);
    await expect(restore(2)).rejects.toMatchObject({
      code: 'StoreError',
      retryable: false,
      message: expect.stringContaining(says) as string,
    });
  });

  it('fails for a while if the store is down, and leaves the call to another worker without one', async () => {
    store.fault = () => {
      throw new Error('down');
    };
    await expect(restore(0)).rejects.toMatchObject({ code: 'StoreError', retryable: true });
    const without = withContent(messages, { scope, ownFrom: 0 }, () => Promise.resolve());
    await expect(without).rejects.toMatchObject({ code: 'NotRegisteredHere' });
  });

  it('holds no more of it at a time than all requests may, and lets the others wait', async () => {
    const results = new StoredContent(store, { requestBytes: 250_000 });
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const request = async (name: string, signal?: AbortSignal): Promise<void> =>
      await withContent(messages, { results, scope, ownFrom: 2, ...(signal && { signal }) }, () => {
        begun.push(name);
        return new Promise((resolve) => ends.push(resolve));
      });
    const gone = new AbortController();
    const [one, two, three] = [request('one'), request('two', gone.signal), request('three')];
    const free = withContent([], { results, scope, ownFrom: 0 }, () => Promise.resolve('free'));
    expect(await free).toBe('free');
    await until(() => begun.length === 1);
    gone.abort(new Error('cancelled'));
    await expect(two).rejects.toThrow('cancelled');
    expect(begun).toEqual(['one']);
    ends[0]?.();
    await one;
    await until(() => begun.length === 2);
    expect(begun).toEqual(['one', 'three']);
    ends[1]?.();
    await three;
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
