// Callbacks: what each hook sees, what its answers do to the run, and in which order.

import {
  abort,
  defineAgent,
  defineCallbacks,
  defineTool,
  loggingCallbacks,
  overrideResponse,
  type AgentOptions,
  type Callbacks,
  type CallbacksDefinition,
} from '../../src';
import type { AgentRunResult } from '../../src/protocol/run';
import { emptyUsage } from '../../src/core/budget/usage';
import { ProviderError } from '../../src/protocol/errors';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import type { RunHandle, StartOptions } from '../../src/client';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

const lookUp = { toolCalls: [{ name: 'look_up', args: { word: 'tea' } }] };

function callbacks(definition: Partial<CallbacksDefinition>): Callbacks {
  return defineCallbacks({ name: 'own', ...definition });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

describe('callbacks', () => {
  let harness: Harness;
  const ran: string[] = [];
  const tool = defineTool<{ word: string }>({
    name: 'look_up',
    description: 'Looks a word up',
    inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
    session: ['looked'],
    execute: ({ word }, { session }) => {
      ran.push(`tool ${word}`);
      session['looked'] = word;
      return `a meaning of ${word}`;
    },
  });

  beforeAll(async () => {
    harness = await openHarness();
  });
  beforeEach(() => {
    ran.length = 0;
  });
  afterAll(() => harness.close());

  type Started = { readonly run: RunHandle; readonly model: ReturnType<typeof scriptedModel> };

  async function start(
    steps: readonly ScriptedStep[],
    options: Partial<AgentOptions>,
    startOptions: StartOptions = {},
  ): Promise<Started> {
    const model = scriptedModel(steps);
    const agent = defineAgent({ id: 'own', model: 'scripted/one', tools: [tool], ...options });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'Go.', startOptions);
    return { run, model };
  }

  async function resultOf(...args: Parameters<typeof start>): Promise<AgentRunResult> {
    const { run } = await start(...args);
    return await run.result();
  }

  const abortion = { code: 'CallbackAbort', details: { reason: 'not today' } };
  const stop = () => abort('not today');
  const answer = () => overrideResponse('Instead.');
  const answered = { finalResponse: { text: 'Instead.' }, completionReason: 'callback override' };

  describe('beforeModelCall', () => {
    it('ends the run with CallbackAbort, without calling the model', async () => {
      const own = callbacks({ beforeModelCall: stop });
      const { run, model } = await start([], { callbacks: [own] });
      await expect(run.result()).rejects.toMatchObject(abortion);
      expect(model.requests).toEqual([]);
    });

    it('gives the response in place of the model (potato weakness 24: the override is ignored)', async () => {
      const own = callbacks({ beforeModelCall: answer });
      const { run, model } = await start([], { callbacks: [own] });
      expect(await run.result()).toMatchObject({ ...answered, usage: emptyUsage, iterations: 0 });
      expect(model.requests).toEqual([]);
      expect(await run.transcript()).toEqual([
        { role: 'user', parts: [{ type: 'text', text: 'Go.' }] },
        { role: 'assistant', parts: [{ type: 'text', text: 'Instead.' }] },
      ]);
    });
  });

  describe('afterModelCall', () => {
    it('ends the run with CallbackAbort', async () => {
      const { run } = await start(['Hi.'], { callbacks: [callbacks({ afterModelCall: stop })] });
      await expect(run.result()).rejects.toMatchObject(abortion);
    });

    it('replaces the response, which is then the answer (potato split 4)', async () => {
      const own = callbacks({ afterModelCall: answer });
      const { run } = await start(['Original.'], { callbacks: [own] });
      expect(await run.result()).toMatchObject(answered);
      expect(JSON.stringify(await run.transcript())).not.toContain('Original.');
    });

    it('drops the tool calls of a response it replaces', async () => {
      const own = callbacks({ afterModelCall: answer });
      expect(await resultOf([lookUp], { callbacks: [own] })).toMatchObject({
        ...answered,
        iterations: 0,
      });
      expect(ran).toEqual([]);
    });
  });

  describe('beforeToolCall', () => {
    it('ends the run with CallbackAbort, without running the tool', async () => {
      const { run } = await start([lookUp], { callbacks: [callbacks({ beforeToolCall: stop })] });
      await expect(run.result()).rejects.toMatchObject(abortion);
      expect(ran).toEqual([]);
    });

    it('gives the result in place of the tool', async () => {
      const own = callbacks({ beforeToolCall: answer });
      const { run } = await start([lookUp, 'Done.'], { callbacks: [own] });
      await run.result();
      expect(ran).toEqual([]);
      expect((await run.transcript())[2]).toMatchObject({
        parts: [{ isError: false, content: [{ type: 'text', text: 'Instead.' }] }],
      });
    });

    it('is not asked about arguments that do not match the schema', async () => {
      const wrong = { toolCalls: [{ name: 'look_up', args: {} }] };
      const { run } = await start([wrong, 'Done.'], {
        callbacks: [callbacks({ beforeToolCall: stop })],
      });
      await run.result();
      expect(JSON.stringify((await run.transcript())[2])).toContain('do not match its schema');
    });
  });

  describe('afterToolCall', () => {
    it('ends the run with CallbackAbort', async () => {
      const { run } = await start([lookUp], { callbacks: [callbacks({ afterToolCall: stop })] });
      await expect(run.result()).rejects.toMatchObject(abortion);
      expect(ran).toEqual(['tool tea']);
    });

    it('replaces the result', async () => {
      const own = callbacks({
        afterToolCall: ({ result }) => overrideResponse(`checked: ${JSON.stringify(result)}`),
      });
      const { run } = await start([lookUp, 'Done.'], { callbacks: [own] });
      await run.result();
      const text =
        'checked: {"isError":false,"content":[{"type":"text","text":"a meaning of tea"}]}';
      expect((await run.transcript())[2]).toMatchObject({
        parts: [{ isError: false, content: [{ type: 'text', text }] }],
      });
    });
  });

  it('run in the order the agent lists them, around each call', async () => {
    const noting = (name: string) =>
      defineCallbacks({
        name,
        beforeModelCall: ({ iteration, maxIterations }) => {
          ran.push(`${name} before model ${iteration} of ${maxIterations}`);
        },
        afterModelCall: async ({ response }) => {
          await Promise.resolve();
          ran.push(`${name} after model ${response.finishReason}`);
        },
        beforeToolCall: ({ call }) => void ran.push(`${name} before ${call.name}`),
        afterToolCall: ({ call }) => void ran.push(`${name} after ${call.name}`),
      });
    await resultOf([lookUp, 'Done.'], {
      callbacks: [noting('a'), loggingCallbacks, noting('b')],
      maxIterations: 4,
    });
    expect(ran).toEqual([
      'a before model 0 of 4',
      'b before model 0 of 4',
      'a after model tool_calls',
      'b after model tool_calls',
      'a before look_up',
      'b before look_up',
      'tool tea',
      'a after look_up',
      'b after look_up',
      'a before model 1 of 4',
      'b before model 1 of 4',
      'a after model stop',
      'b after model stop',
    ]);
  });

  it('end with the first that answers: later ones are not called (potato split 5)', async () => {
    const own = callbacks({ afterModelCall: answer });
    const later = defineCallbacks({
      name: 'later',
      beforeModelCall: () => void ran.push('later before model'),
      afterModelCall: () => void ran.push('later after model'),
    });
    const result = await resultOf(['Original.'], { callbacks: [own, later] });
    expect(result).toMatchObject(answered);
    expect(ran).toEqual(['later before model']);
  });

  it('are told of the run, its context and the conversation (potato weakness 23)', async () => {
    const seen: unknown[] = [];
    const own = callbacks({
      session: ['plan', 'missing'],
      beforeModelCall: ({ signal: _signal, log: _log, ...context }) => void seen.push(context),
    });
    const { run } = await start(
      ['Hi.'],
      { callbacks: [own] },
      { session: { plan: 'a', secret: 'b' }, context: { tenant: 't1' } },
    );
    await run.result();
    expect(seen).toEqual([
      {
        workflowId: run.workflowId,
        agentId: 'own',
        path: 'own',
        turn: 1,
        iteration: 0,
        maxIterations: 10,
        session: { plan: 'a' },
        context: { tenant: 't1' },
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Go.' }] }],
      },
    ]);
  });

  it('are given a context that is too long to travel with each call', async () => {
    const tenant = 't'.repeat(5_000);
    const own = callbacks({
      beforeModelCall: ({ context }) => overrideResponse(textOf(context['tenant']).slice(0, 3)),
    });
    const result = await resultOf([], { callbacks: [own] }, { context: { tenant } });
    expect(result.finalResponse.text).toBe('ttt');
  });

  it('change the session keys they declare, seen by the tool, by later hooks and in the result', async () => {
    const counting = (name: string) =>
      defineCallbacks({
        name,
        session: ['trail', 'looked'],
        ...Object.fromEntries(
          (['beforeModelCall', 'afterModelCall', 'beforeToolCall', 'afterToolCall'] as const).map(
            (hook) => [
              hook,
              ({ session }: { session: Record<string, unknown> }) => {
                const looked = textOf(session['looked']) || '-';
                session['trail'] = `${textOf(session['trail'])} ${name}:${hook}:${looked}`;
              },
            ],
          ),
        ),
      });
    const result = await resultOf(
      [lookUp, 'Done.'],
      { callbacks: [counting('a'), counting('b')] },
      { session: { other: 1 } },
    );
    expect(result.session).toEqual({
      other: 1,
      looked: 'tea',
      trail: [
        '',
        ...['a:beforeModelCall:-', 'b:beforeModelCall:-', 'a:afterModelCall:-'],
        ...['b:afterModelCall:-', 'a:beforeToolCall:-', 'b:beforeToolCall:-'],
        ...['a:afterToolCall:tea', 'b:afterToolCall:tea', 'a:beforeModelCall:tea'],
        ...['b:beforeModelCall:tea', 'a:afterModelCall:tea', 'b:afterModelCall:tea'],
      ].join(' '),
    });
  });

  it('may remove a session key', async () => {
    const own = callbacks({
      session: ['draft'],
      afterModelCall: ({ session }) => {
        delete session['draft'];
      },
    });
    const result = await resultOf(
      ['Hi.'],
      { callbacks: [own] },
      { session: { draft: 1, kept: 2 } },
    );
    expect(result.session).toEqual({ kept: 2 });
  });

  it.each(['beforeModelCall', 'beforeToolCall'] as const)(
    'end the run when %s changes what it does not declare',
    async (hook) => {
      const own = callbacks({
        [hook]: ({ session }: { session: Record<string, unknown> }) => {
          session['foreign'] = 1;
        },
      });
      const { run } = await start([lookUp], { callbacks: [own] });
      await expect(run.result()).rejects.toMatchObject({
        code: 'InternalError',
        message: `callbacks 'own', ${hook}: changed session keys it does not declare: foreign`,
      });
    },
  );

  it('run again with an attempt that is tried again', async () => {
    const own = callbacks({
      beforeModelCall: () => void ran.push('before'),
      afterModelCall: () => void ran.push('after'),
    });
    const lost = { error: new ProviderError('unavailable', 'gone', { retryAfterMs: 1 }) };
    await resultOf([lost, 'Done.'], { callbacks: [own] });
    expect(ran).toEqual(['before', 'before', 'after']);
  });

  it('are tried again when they throw', async () => {
    const own = callbacks({
      afterModelCall: () => {
        ran.push('after');
        if (ran.length < 3) throw new Error('flaky');
      },
    });
    const result = await resultOf(['One.'], { callbacks: [own] });
    expect([result.finalResponse.text, ran.length]).toEqual(['One.', 3]);
  });

  it('end the run when they throw three times, naming the hook', async () => {
    const hooks = ['beforeModelCall', 'afterModelCall', 'beforeToolCall', 'afterToolCall'] as const;
    const calls = { beforeModelCall: 0, afterModelCall: 0, beforeToolCall: 0, afterToolCall: 0 };
    const agents = hooks.map((hook) => {
      const throwing = () => {
        calls[hook] += 1;
        throw new TypeError('no such row');
      };
      const own = defineCallbacks({ name: `own-${hook}`, [hook]: throwing });
      return defineAgent({ id: hook, model: `${hook}/one`, tools: [tool], callbacks: [own] });
    });
    const scripts = hooks.map((hook) => [hook, scriptedModel([lookUp, lookUp, lookUp])] as const);
    await harness.deploy({ runners: agents, providers: Object.fromEntries(scripts) });
    // At the same time: each waits seconds between its attempts.
    const runs = await Promise.all(agents.map((agent) => harness.longhaul.startSpec(agent, 'Go.')));
    const errors = await Promise.allSettled(runs.map((run) => run.result()));
    expect(errors).toMatchObject(
      hooks.map((hook) => ({
        reason: {
          code: 'InternalError',
          message: `callbacks 'own-${hook}', ${hook}: failed: TypeError: no such row`,
        },
      })),
    );
    expect(Object.values(calls)).toEqual([3, 3, 3, 3]);
  });

  it('end the run when they answer what no hook may', async () => {
    const own = callbacks({ beforeModelCall: (() => 'stop') as never });
    const { run } = await start([], { callbacks: [own] });
    await expect(run.result()).rejects.toMatchObject({
      code: 'InternalError',
      message: expect.stringContaining('must answer nothing, abort(reason)') as string,
    });
  });

  it('are looked up by name for an agent that is only data', async () => {
    const own = callbacks({ beforeModelCall: answer });
    await harness.deploy({ callbacks: [own], providers: { scripted: scriptedModel([]) } });
    const spec = {
      kind: 'agent' as const,
      id: 'data',
      model: { provider: 'scripted', model: 'one' },
      callbacks: ['logging', 'own'],
    };
    const run = await harness.longhaul.startSpec(spec, 'Go.');
    expect(await run.result()).toMatchObject(answered);
  });

  it('cost no event: the history is as long as without them', async () => {
    const own = callbacks({ beforeModelCall: () => undefined, afterToolCall: () => undefined });
    const lengths: number[] = [];
    for (const list of [[], [own]]) {
      const { run } = await start([lookUp, 'Done.'], { callbacks: list });
      await run.result();
      lengths.push((await fetchHistory(harness.longhaul, run.workflowId)).length);
    }
    expect(lengths[1]).toBe(lengths[0]);
  });
});
