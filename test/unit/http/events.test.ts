// Pure: no server. The stream of a run at the door, over a source that tells who reads it.

import type { Longhaul } from '../../../src/client';
import { keyHashes } from '../../../src/core/key-hashes';
import { agentHandler } from '../../../src/http';
import { LonghaulError } from '../../../src/protocol/errors';
import type { StreamEvent, UnplacedEvent } from '../../../src/core/stream/events';

const place = { root: 'run-1', workflowId: 'run-1', path: 'support', agent: 'support' };

const told: readonly UnplacedEvent[] = [
  { ...place, type: 'text', turn: 0, part: 0, delta: 'Grüße, 😀' },
  {
    ...place,
    type: 'input',
    input: {
      inputId: 'i',
      kind: 'approval',
      question: 'May it?',
      agentId: 'support',
      path: 'support',
      since: '2026-01-01T00:00:00.000Z',
      nonce: 'secret',
    },
  },
  {
    ...place,
    workflowId: 'run-1/child',
    type: 'end',
    status: 'failed',
    error: { code: 'ToolError', message: 'no answer of db.internal:5432' },
  },
  { ...place, type: 'end', status: 'completed' },
];

/** A handler in front of one run of ada's, whose stream fails at its end if there is a failure. */
function setUp(failure?: Error, sees: 'own' | 'all' = 'own') {
  const seen = { opened: [] as object[], begun: 0, ended: 0 };
  async function* events(signal: AbortSignal): AsyncGenerator<StreamEvent, void, void> {
    seen.begun += 1;
    try {
      for (const [index, event] of told.entries()) yield { ...event, position: `p${index}` };
      if (failure) throw failure;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    } finally {
      seen.ended += 1;
    }
  }
  const memo = {
    longhaul: { agent: 'support', key: keyHashes({ appName: 'shop', userId: 'ada' }) },
  };
  const execution = { type: 'agentWorkflow', memo, status: { name: 'RUNNING' } };
  const longhaul = {
    application: 'shop',
    run: (workflowId: string) => ({ workflowId }),
    client: {
      withDeadline: (_: number, call: () => unknown) => call(),
      workflow: { getHandle: () => ({ describe: async () => execution }) },
    },
    streams: {
      open: (_: string, { signal, ...options }: { signal: AbortSignal; from?: string }) => {
        if (options.from === 'foreign') throw new LonghaulError('InvalidInput', 'of another run');
        seen.opened.push(options);
        return events(signal);
      },
    },
  };
  const errors: unknown[] = [];
  const handle = agentHandler(longhaul as unknown as Longhaul, {
    agents: ['support'],
    authenticate: () => ({ user: 'ada', sees }),
    onError: (error) => errors.push(error),
  });
  const get = (query = '', init: RequestInit = {}) =>
    handle(new Request(`http://agents.test/runs/run-1/events${query}`, init));
  return { get, seen, errors };
}

const readerOf = ({ body }: Response) => (body as ReadableStream<Uint8Array>).getReader();

test('each event is JSON under its position; the last one under a name that ends it', async () => {
  const { get } = setUp(new LonghaulError('StreamCut', 'reset'));
  const text = await (await get()).text();
  const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  expect(ids).toEqual(['p0', 'p1', 'p2', 'end', '']);
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, json]) => JSON.parse(json ?? '') as unknown,
  );
  expect(data[0]).toEqual({ ...told[0], position: 'p0' });
  expect(data[1]).toMatchObject({ type: 'input', input: { inputId: 'i' } });
  expect(text).not.toContain('secret');
  expect(text).toMatch(/id: \nevent: problem\ndata: .*"code":"StreamCut"/);
});

test.each(['own', 'all'] as const)(
  'why a run failed is in full only for some: %s',
  async (sees) => {
    const { get } = setUp(new LonghaulError('StreamCut', 'reset'), sees);
    const text = await (await get()).text();
    expect(text).toContain('"code":"ToolError"');
    expect(text.includes('db.internal')).toBe(sees === 'all');
  },
);

test.each([
  ['', {}, { tree: false }],
  ['?tree=1&from=p1', {}, { tree: true, from: 'p1' }],
  ['?from=p1', { 'last-event-id': 'p2' }, { tree: false, from: 'p2' }],
])('begins where the client says: %s', async (query, headers, options) => {
  const { get, seen } = setUp();
  const reader = readerOf(await get(query, { headers }));
  await reader.read();
  await reader.cancel();
  expect(seen.opened.at(-1)).toEqual(options);
});

test('a client that has the end is told that there is no more', async () => {
  const { get, seen } = setUp();
  const answer = await get('', { headers: { 'last-event-id': 'end' } });
  expect([answer.status, await answer.text(), seen.opened]).toEqual([204, '', []]);
});

test('a position of another run is refused before the stream begins', async () => {
  const { get } = setUp();
  expect(await (await get('?from=foreign')).json()).toMatchObject({ code: 'InvalidInput' });
});

test('HEAD begins no stream', async () => {
  const { get, seen } = setUp();
  const answer = await get('', { method: 'HEAD' });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect([await answer.text(), seen.begun]).toEqual(['', 0]);
});

test('wherever the client leaves, nothing goes on', async () => {
  for (let pieces = 0; pieces <= told.length + 1; pieces += 1) {
    for (const leavesBy of ['cancel', 'abort'] as const) {
      const { get, seen, errors } = setUp();
      const gone = new AbortController();
      const reader = readerOf(await get('', { signal: gone.signal }));
      for (let read = 0; read < pieces; read += 1) await reader.read();
      const waiting = reader.read();
      if (leavesBy === 'abort') gone.abort();
      else await reader.cancel();
      await waiting;
      expect((await reader.read()).done).toBe(true);
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen.ended).toBe(seen.begun);
      expect(errors).toEqual([]);
    }
  }
});

test('a source that breaks cuts the connection, and the backend learns why', async () => {
  const failure = new Error('secret of the server');
  const { get, errors } = setUp(failure);
  await expect((await get()).text()).rejects.toThrow();
  expect(errors).toEqual([failure]);
});
