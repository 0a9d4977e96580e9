// Pure: no server. The reader of a run stops with the request that answers it, whether or not somebody reads the response.

import type { ThreadHandle } from '../../../src/client';
import type { RunStreams } from '../../../src/client/stream/run-streams';
import { agUiRoutes } from '../../../src/http/ag-ui/routes';
import { aiSdkRoutes } from '../../../src/http/ai-sdk/routes';
import type { App, Call, Route } from '../../../src/http/route';
import type { PendingInput } from '../../../src/protocol/run';
import type { TurnView } from '../../../src/protocol/thread';
import type { StreamEvent } from '../../../src/core/stream/events';

const inputId = 'a1.0@turn';
const input: PendingInput = {
  inputId,
  kind: 'approval',
  question: 'May it pay?',
  call: { type: 'tool_call', callId: 'call', name: 'pay', args: {} },
  agentId: 'desk',
  path: 'desk',
  since: '2026-11-25T12:00:00.000Z',
};
const turn: TurnView = {
  messageId: 'm1',
  turn: 1,
  workflowId: 'turn',
  status: 'running',
  createdAt: input.since,
  user: 'Pay.',
};
const place = { root: 'turn', workflowId: 'turn', path: 'desk', agent: 'desk', position: 'p' };

/** A run that waits, and whose stream says so and nothing more. */
function waitingRun() {
  const seen = { approved: 0, open: 0 };
  async function* events(signal?: AbortSignal): AsyncGenerator<StreamEvent, void, void> {
    seen.open += 1;
    try {
      yield { ...place, type: 'input', input };
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
    } finally {
      seen.open -= 1;
    }
  }
  const streams: Pick<RunStreams, 'open' | 'wake'> = {
    open: (_id, options) => events(options?.signal),
    wake: () => undefined,
  };
  const thread: Pick<ThreadHandle, 'turns' | 'pending' | 'approve'> = {
    turns: () => Promise.resolve([turn]),
    pending: () => Promise.resolve([input]),
    approve: () => {
      seen.approved += 1;
      return Promise.resolve({ missing: 0 });
    },
  };
  const call = (body: object, signal?: AbortSignal): Call => {
    const app: Partial<App> = { streams: streams as RunStreams };
    const given: Partial<Call> = {
      app: app as App,
      request: new Request('http://agents.test', { ...(signal && { signal }) }),
      answerer: { by: { id: 'ada' }, may: [] },
      body: () => Promise.resolve(body as never),
      thread: () => Promise.resolve(thread as ThreadHandle),
    };
    return given as Call;
  };
  return { seen, call };
}

const chatParts = [{ type: 'data-longhaul-verdict', data: { inputId, approved: true } }];
const resume = [{ interruptId: inputId, status: 'resolved', payload: { approved: true } }];
const wires: [string, Route | undefined, object][] = [
  ['AG-UI', agUiRoutes[0], { threadId: 'c', runId: 'r', messages: [], resume }],
  ['the AI SDK', aiSdkRoutes[0], { id: 'c', message: { role: 'assistant', parts: chatParts } }],
];

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe.each(wires)('a reader for %s', (_name, route, body) => {
  it('stops when the client is gone before somebody reads the response', async () => {
    const { seen, call } = waitingRun();
    const gone = new AbortController();
    await route?.handle(call(body, gone.signal));
    expect(seen).toEqual({ approved: 1, open: 1 });
    gone.abort();
    await settled();
    expect(seen.open).toBe(0);
  });

  it('stops when the response is dropped unread', async () => {
    const { seen, call } = waitingRun();
    const response = await route?.handle(call(body));
    expect(seen).toEqual({ approved: 1, open: 1 });
    await response?.body?.cancel();
    await settled();
    expect(seen.open).toBe(0);
  });
});
