// Pure: the chain alone, in a mock activity; no server.
import {
  callbackChain,
  CallbackChain,
  readAction,
  readCallbackAnswer,
} from '../../../src/activities/callbacks';
import { abort, defineCallbacks, overrideResponse, type CallbacksDefinition } from '../../../src';
import type { CallModelInput } from '../../../src/protocol/activities';
import type { JsonObject } from '../../../src/base/json';
import type { ToolContext } from '../../../src/define/tool';
import { createRegistry } from '../../../src/define/registry';
import { anAgent, toolContext } from '../define/builders';
import { QuietActivity } from './quiet-activity';

const place = { name: "callbacks 'own', beforeModelCall", details: {} };
const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'Go.' }] }];

function chainOf(session: JsonObject, ...definitions: Partial<CallbacksDefinition>[]) {
  const links = definitions.map((definition, index) => {
    const callbacks = defineCallbacks({ name: `c${index}`, ...definition });
    return { callbacks, keys: callbacks.spec.session ?? [] };
  });
  const { workflowId, agentId, path, context, signal, log }: ToolContext = toolContext;
  const config = { workflowId, agentId, path, turn: 1, iteration: 0, maxIterations: 10 };
  return new CallbackChain(links, { ...config, context, signal, log }, session);
}

const inActivity = async <Result>(work: () => Promise<Result>): Promise<Result> =>
  await new QuietActivity().run(work);

describe('CallbackChain', () => {
  it('ends with the first answer', async () => {
    const asked: string[] = [];
    const chain = chainOf(
      {},
      { beforeModelCall: () => void asked.push('first') },
      { afterModelCall: () => void asked.push('other hook') },
      { beforeModelCall: () => overrideResponse('Hi.') },
      { beforeModelCall: () => void asked.push('later') },
    );
    const result = await chain.run('beforeModelCall', { messages });
    expect(result).toEqual({ kind: 'override', text: 'Hi.' });
    expect(asked).toEqual(['first']);
  });

  it('has no answer when nobody gives one', async () => {
    const chain = chainOf({}, { beforeModelCall: () => null });
    expect(await chain.run('beforeModelCall', { messages })).toBeUndefined();
    expect(chain.changes).toBeUndefined();
  });

  it('shows each callback its own keys, as those before it left them', async () => {
    const seen: JsonObject[] = [];
    const chain = chainOf(
      { a: 1, b: 2, c: 3 },
      {
        session: ['a', 'b'],
        beforeModelCall: ({ session }) => {
          seen.push(structuredClone(session));
          session['a'] = [1];
          delete session['b'];
        },
      },
      { session: ['a', 'c'], beforeModelCall: ({ session }) => void seen.push(session) },
    );
    await chain.run('beforeModelCall', { messages });
    expect(seen).toEqual([
      { a: 1, b: 2 },
      { a: [1], c: 3 },
    ]);
    expect(chain.session).toEqual({ a: [1], c: 3 });
    expect(chain.changes).toEqual({ set: { a: [1] }, removed: ['b'] });
  });

  it('keeps what callbacks do to the conversation with them', async () => {
    const chain = chainOf(
      {},
      { beforeModelCall: (context) => void (context.messages as unknown[]).pop() },
      { beforeModelCall: ({ messages: own }) => abort(String(own.length)) },
    );
    const result = await chain.run('beforeModelCall', { messages });
    expect(result).toEqual({ kind: 'abort', reason: '1' });
    expect(messages).toHaveLength(1);
  });

  it.each<{ name: string; change: (session: JsonObject) => void; problem: string }>([
    {
      name: 'a key that is not declared',
      change: (session) => (session['other'] = 1),
      problem: 'changed session keys it does not declare: other',
    },
    {
      name: 'a reserved key',
      change: (session) => (session['__own'] = 1),
      problem: 'changed session keys it does not declare: __own',
    },
    {
      name: 'a value that is not JSON',
      change: (session) => (session['a'] = new Date(0) as never),
      problem: "left a session that is not JSON at 'a': a Date object is not JSON",
    },
  ])('refuses $name in the session', async ({ change, problem }) => {
    const chain = chainOf(
      {},
      { session: ['a'], beforeModelCall: ({ session }) => change(session) },
    );
    await expect(chain.run('beforeModelCall', { messages })).rejects.toMatchObject({
      code: 'InternalError',
      retryable: false,
      message: `callbacks 'c0', beforeModelCall: ${problem}`,
    });
  });

  it('refuses more of a session than is kept', async () => {
    const chain = chainOf(
      {},
      {
        session: ['a'],
        beforeModelCall: ({ session }) => void (session['a'] = 'x'.repeat(70_000)),
      },
    );
    await chain.run('beforeModelCall', { messages });
    expect(() => chain.changes).toThrow(
      expect.objectContaining({ code: 'SessionTooLarge' }) as Error,
    );
  });

  it('is tried again when a callback throws, three times in all', async () => {
    const chain = chainOf({}, { beforeModelCall: () => Promise.reject(new Error('flaky')) });
    const retryable: unknown[] = await inActivity(async () => {
      const found: unknown[] = [];
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        const error: unknown = await chain
          .run('beforeModelCall', { messages })
          .catch((thrown: unknown) => thrown);
        found.push((error as { retryable?: boolean }).retryable);
      }
      return found;
    });
    expect(retryable).toEqual([true, true, false, false]);
  });
});

describe('callbackChain', () => {
  const agent = anAgent({
    callbacks: [defineCallbacks({ name: 'own', beforeModelCall: abort as never })],
  });
  const definition = createRegistry({ runners: [agent] }).definition('weather');
  const input = { agentId: 'weather', turn: 1 } as CallModelInput;
  const { signal } = new AbortController();

  it('is none for an agent without callbacks', async () => {
    const { spec } = anAgent();
    const call = { definition, spec, input, signal };
    expect(await callbackChain({ registry: createRegistry() }, call)).toBeUndefined();
  });

  it('names callbacks this worker lacks, which another may have', async () => {
    const call = { definition, spec: agent.spec, input, signal };
    await expect(callbackChain({ registry: createRegistry() }, call)).rejects.toMatchObject({
      code: 'NotRegisteredHere',
      retryable: true,
      message: "this worker has no callbacks 'own'",
    });
  });
});

describe('what hooks may answer', () => {
  it.each([
    { answer: 'stop' },
    { answer: true },
    { answer: {} },
    { answer: { kind: 'abort' } },
    { answer: { kind: 'override', text: 5 } },
    { answer: [] },
  ])('refuses $answer as a result', ({ answer }) => {
    expect(() => readCallbackAnswer(answer, place)).toThrow('must answer nothing, abort(reason)');
  });

  it.each([
    { answer: 'fail' },
    { answer: { kind: 'retry' } },
    { answer: { kind: 'repair', name: null } },
    { answer: { kind: 'constructor' } },
    { answer: abort('no') },
  ])('refuses $answer as an action', ({ answer }) => {
    expect(() => readAction(answer, place)).toThrow("must answer nothing, {kind: 'fail'}");
  });

  it('takes no more of an action than it is', () => {
    expect(readAction({ kind: 'fail', more: 1 }, place)).toEqual({ kind: 'fail' });
    expect(readAction({ kind: 'skip', reason: 'r', more: 1 }, place)).toEqual({
      kind: 'skip',
      reason: 'r',
    });
  });
});
