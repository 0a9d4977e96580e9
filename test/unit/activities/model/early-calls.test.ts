// Activity contexts of the SDK's own mock, and a model whose stream waits for the test; no server.
import { setImmediate as toNextTurn } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { defineCallbacks, defineTool, type Tool } from '../../../../src';
import type { JsonObject } from '../../../../src/base/json';
import type { ToolContext } from '../../../../src/define/tool';
import type { AssistantPart } from '../../../../src/protocol/message';
import type { CallOptions, ModelDelta, ModelResponse } from '../../../../src/providers/provider';
import { noUsage } from '../../core/builders';
import { inlineWorker, type InlineWorker } from './inline-worker';

type Code = (args: JsonObject, context: ToolContext) => unknown;

const reading = (name: string, execute: Code, options: object = {}): Tool =>
  defineTool({
    name,
    description: name,
    inputSchema: { type: 'object' },
    effect: 'read',
    inline: true,
    ...options,
    execute,
  });

const call = (name: string, args: JsonObject = {}, callId = `id-${name}`): AssistantPart => ({
  type: 'tool_call',
  callId,
  name,
  args,
});

const turn = (...content: AssistantPart[]): ModelResponse => ({
  content,
  usage: noUsage,
  finishReason: 'tool_calls',
  origin: { provider: 'mine', api: 'mine', model: 'one' },
});

/** A whole call, in two deltas. */
const streamed = (index: number, name: string, args = '{}'): ModelDelta[] => [
  { kind: 'tool-call', index, callId: `id-${name}`, name, args: args.slice(0, 1) },
  { kind: 'tool-call', index, args: args.slice(1), complete: true },
];

/** Resolves when somebody calls `open`. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

type Streaming = (options: CallOptions) => Promise<ModelResponse> | ModelResponse;

const worker = (tools: readonly Tool[], stream: Streaming, options: object = {}): InlineWorker =>
  inlineWorker({ tools: [...tools], ...options }, async (_request, own) => await stream(own));

async function outcome({ callModel, attempt }: InlineWorker, environment = attempt()) {
  const { results = [], unfinished = [] } = await callModel({}, environment);
  return { results: results.map(({ entry }) => entry.result.content), unfinished };
}

const text = (value: string) => [{ type: 'text', text: value }];

describe('calls of reads', () => {
  it('begin while the model still writes, and need no word of the server', async () => {
    const begun = gate();
    const own = worker(
      [
        reading('look', () => {
          begun.open();
          return Context.current().info.activityId;
        }),
      ],
      async ({ onDelta }) => {
        streamed(0, 'look', '{"city":"Oslo"}').forEach(onDelta);
        await begun.opened;
        await toNextTurn();
        return turn(call('look', { city: 'Oslo' }));
      },
    );
    expect(await outcome(own)).toEqual({ results: [text('test')], unfinished: [] });
    expect(own.trace).toEqual([]);
  });

  it('may begin outside of the activity context of the model call', async () => {
    const listening = gate();
    const begun = gate();
    let tell = (_delta: ModelDelta): void => undefined;
    const own = worker(
      [
        reading('look', () => {
          begun.open();
          return Context.current().info.activityId;
        }),
      ],
      async ({ onDelta }) => {
        tell = onDelta;
        listening.open();
        await begun.opened;
        return turn(call('look'));
      },
    );
    const ended = outcome(own);
    await listening.opened;
    streamed(0, 'look').forEach((delta) => tell(delta));
    expect(await ended).toEqual({ results: [text('test')], unfinished: [] });
  });

  it.each<{ name: string; part: AssistantPart }>([
    { name: 'other arguments', part: call('look', { city: 'Rome' }) },
    { name: 'another id', part: call('look', { city: 'Oslo' }, 'other') },
    { name: 'another name', part: call('see', { city: 'Oslo' }, 'id-look') },
  ])('are made again if the turn has a call with $name there', async ({ part }) => {
    const begun = gate();
    const made: unknown[] = [];
    const code =
      (name: string): Code =>
      (args, { callId, signal }) => {
        made.push({ name, args, callId, signal });
        begun.open();
        return callId;
      };
    const own = worker(
      [reading('look', code('look')), reading('see', code('see'))],
      async ({ onDelta }) => {
        streamed(0, 'look', '{"city":"Oslo"}').forEach(onDelta);
        await begun.opened;
        return turn(part);
      },
    );
    const { results } = await outcome(own);
    const { callId, name, args } = part as Extract<AssistantPart, { type: 'tool_call' }>;
    expect(results).toEqual([text(callId)]);
    expect(made).toMatchObject([{ signal: { aborted: true } }, { name, args, callId }]);
    expect(own.trace).toHaveLength(1);
  });

  it.each<{ name: string; end: Streaming; options?: object; fails?: boolean }>([
    {
      name: 'is cut',
      end: ({ onDelta, signal }) => {
        onDelta({ kind: 'tool-call', index: 1, callId: 'id-other', name: 'other' });
        signal.throwIfAborted();
        return turn();
      },
    },
    {
      name: 'has a call that is not allowed',
      end: () => turn(call('look'), call('other')),
      options: { onInvalidToolCall: 'ignore' },
    },
    { name: 'is refused', end: () => ({ ...turn(call('look')), finishReason: 'refusal' }) },
    { name: 'is an answer after all', end: () => turn({ type: 'text', text: 'Done.' }) },
    {
      name: 'fails',
      end: () => {
        throw new Error('gone');
      },
      fails: true,
    },
  ])('are thrown away if the turn $name', async ({ end, options, fails = false }) => {
    const begun = gate();
    let signal: AbortSignal | undefined;
    const code: Code = async (_args, context) => {
      ({ signal } = context);
      begun.open();
      await new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    };
    const stream: Streaming = async (own) => {
      streamed(0, 'look').forEach(own.onDelta);
      await begun.opened;
      return await end(own);
    };
    const { callModel } = worker([reading('look', code)], stream, options);
    const ended = callModel();
    if (fails) await expect(ended).rejects.toThrow('gone');
    else expect(await ended).not.toHaveProperty('results');
    expect(signal?.aborted).toBe(true);
  });

  it('count if the server does not take the response, which other calls need', async () => {
    const write = reading('write', () => 'written', { effect: 'idempotent' });
    const own = worker([reading('look', () => 'seen'), write], ({ onDelta }) => {
      [...streamed(0, 'look'), ...streamed(1, 'write')].forEach(onDelta);
      return turn(call('look'), call('write'));
    });
    const refusing = own.attempt({}, () => Promise.reject(new Error('unavailable')));
    expect(await outcome(own, refusing)).toEqual({ results: [text('seen')], unfinished: [] });
    expect(await outcome(own)).toEqual({
      results: [text('seen'), text('written')],
      unfinished: [],
    });
  });

  it('still keep the response in the heartbeat if they take longer than the model', async () => {
    const own = worker([reading('look', () => beaten.opened)], ({ onDelta }) => {
      streamed(0, 'look').forEach(onDelta);
      return turn(call('look'));
    });
    const beaten = gate();
    const environment = own.attempt().on('heartbeat', beaten.open);
    await outcome(own, environment);
    expect(own.trace).toEqual([{ beat: { response: turn(call('look')) } }]);
  });

  it('begin early as many at a time as the agent says', async () => {
    const first = gate();
    const order: unknown[] = [];
    const look: Code = async ({ at }) => {
      order.push(at);
      if (at === 0) await first.opened;
    };
    const stream: Streaming = ({ onDelta }) => {
      [...streamed(0, 'look', '{"at":0}'), ...streamed(1, 'look', '{"at":1}')].forEach(onDelta);
      order.push('turn');
      first.open();
      return turn(call('look', { at: 0 }), call('look', { at: 1 }));
    };
    const own = worker([reading('look', look)], stream, { toolConcurrency: 1 });
    expect((await outcome(own)).results).toHaveLength(2);
    expect(order.indexOf(1)).toBe(2);
  });

  const callbacks = defineCallbacks({ name: 'own', beforeModelCall: () => undefined });
  const complete = streamed(0, 'look');
  it.each<{ name: string; deltas?: ModelDelta[]; tool?: object; agent?: object; info?: object }>([
    { name: 'that is not only a read', tool: { effect: 'idempotent' } },
    { name: 'that a person may have to approve', tool: { needsApproval: () => false } },
    {
      name: 'of an agent with callbacks',
      agent: { callbacks: [callbacks] },
    },
    { name: 'of a later attempt', info: { attempt: 2 } },
    { name: 'that is not complete', deltas: complete.slice(0, 1) },
    {
      name: 'without an id so far',
      deltas: [{ kind: 'tool-call', index: 0, name: 'look', args: '{}', complete: true }],
    },
  ])('wait for the turn: a call $name', async ({ deltas = complete, tool, agent, info }) => {
    const own = worker(
      [reading('look', () => void own.trace.push('look'), tool)],
      ({ onDelta }) => {
        deltas.forEach(onDelta);
        return turn(call('look'));
      },
      agent,
    );
    expect((await outcome(own, own.attempt(info))).results).toHaveLength(1);
    const kept = { response: turn(call('look')), begun: [0] };
    expect(own.trace).toMatchObject([{ told: kept }, 'look']);
  });
});
