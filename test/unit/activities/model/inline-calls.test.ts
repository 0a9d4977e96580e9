// Activity contexts of the SDK's own mock; no server.
import { defineCallbacks, defineTool, overrideResponse, type Tool } from '../../../../src';
import type { JsonObject } from '../../../../src/base/json';
import type { ToolContext } from '../../../../src/define/tool';
import { LonghaulError } from '../../../../src/protocol/errors';
import { limits } from '../../../../src/protocol/limits';
import { scriptedModel, type ScriptedStep } from '../../../../src/testing/scripted-model';
import { inlineWorker, type InlineWorker } from './inline-worker';

type Code = (args: JsonObject, context: ToolContext) => unknown;

const tool = (name: string, execute: Code, options: object = {}): Tool =>
  defineTool({ name, description: name, inputSchema: { type: 'object' }, ...options, execute });

const inlineTool = (name: string, execute: Code, options: object = {}): Tool =>
  tool(name, execute, { inline: true, ...options });

const worker = (tools: readonly Tool[], step: ScriptedStep, options: object = {}): InlineWorker =>
  inlineWorker({ tools: [...tools], ...options }, (request, own) =>
    scriptedModel([step], { name: 'mine' }).call(request, own),
  );

const look = (execute: Code = () => 'seen', options: object = {}): Tool =>
  inlineTool('look', execute, options);

const calls = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name })) });

/** Which calls of the turn have results, with their content. */
async function outcome({ callModel, attempt }: InlineWorker, environment = attempt()) {
  const { results = [], unfinished = [] } = await callModel({}, environment);
  return {
    results: results.map(({ entry: { result } }) => [result.index, result.content]),
    unfinished,
  };
}

const text = (value: string) => [{ type: 'text', text: value }];

const none = { results: [], unfinished: [] };

/** Never ends by itself. */
const endless: Code = (_args, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

describe('inline calls', () => {
  it('come back with the turn, as an activity of their own makes them', async () => {
    const seen: unknown[] = [];
    const code: Code = (args, { callId, idempotencyKey, session }) => {
      seen.push(structuredClone({ args, callId, idempotencyKey, session }));
      session['last'] = 'Paris';
      args['city'] = 'changed';
      return { sunny: true };
    };
    const args = { city: 'Paris' };
    const session = { last: 'Rome', other: 1 };
    const { callModel, callTool, read } = worker([look(code, { session: ['last'] })], {
      toolCalls: [{ name: 'look', args }],
    });
    const { entry, results = [], unfinished } = await callModel({ session });
    const call = { callId: 'call_1_0', tool: 'look', args, session: { last: 'Rome' } };
    const own = await callTool(structuredClone(call));
    expect(unfinished).toBeUndefined();
    const id = results[0]?.entry.id;
    expect(results).toEqual([{ ...own, entry: { ...own.entry, id, inline: true } }]);
    expect(results[0]?.session).toEqual({ set: { last: 'Paris' }, removed: [] });
    expect(entry.content).toMatchObject([{ type: 'tool_call', args: { city: 'Paris' } }]);
    expect(seen[0]).toEqual(seen[1]);
    const entries = [entry, ...results.map((result) => result.entry)];
    expect(await read(entries)).toEqual(entries);
  });

  it('begin when the server has the turn, and beat with it', async () => {
    const code: Code = (_args, { heartbeat }) => {
      trace.push('look');
      heartbeat({ progress: 1 });
    };
    const { trace, callModel } = worker([look(code)], calls('look'));
    const { entry } = await callModel();
    const kept = { response: entry, begun: [0] };
    expect(trace).toEqual([{ told: kept }, 'look', { beat: kept }]);
  });

  it('do not begin if the server does not take the response', async () => {
    const own = worker([look(() => own.trace.push('look'))], calls('look'));
    const refused = own.attempt({}, () => Promise.reject(new Error('unavailable')));
    expect(await outcome(own, refused)).toEqual(none);
    expect(own.trace).toHaveLength(1);
  });

  it('leave their turn to the next attempt as it is, without a call or a hook', async () => {
    let asked = 0;
    const callbacks = defineCallbacks({
      name: 'own',
      session: ['asked'],
      beforeModelCall: ({ session }) => {
        session['asked'] = asked += 1;
        return asked === 1 ? undefined : overrideResponse('Something else.');
      },
    });
    const own = worker([look()], calls('look'), { callbacks: [callbacks] });
    const { entry, session } = await own.callModel({ session: {} });
    const [{ told: heartbeatDetails }] = own.trace as [{ told: unknown }];
    const next = await own.callModel({}, own.attempt({ attempt: 2, heartbeatDetails }));
    expect(next).toEqual({ entry, session, unfinished: [0] });
    expect(asked).toBe(1);
  });

  it('need the word of the run', async () => {
    const { callModel } = worker([look()], calls('look'));
    expect(await callModel({ inline: undefined as never })).not.toHaveProperty('results');
  });

  const plain = tool('plain', () => 'plain');
  const asking = (answer: boolean) => look(undefined, { needsApproval: () => answer });

  it.each<{ name: string; tools: Tool[]; step?: ScriptedStep; options?: object; made?: number[] }>([
    {
      name: 'only of inline tools',
      tools: [plain, look()],
      step: calls('plain', 'look'),
      made: [1],
    },
    {
      name: 'of reads, if the agent says so',
      tools: [
        tool('read', () => 1, { effect: 'read' }),
        tool('write', () => 1, { effect: 'idempotent' }),
        inlineTool('other', () => 1, { effect: 'read', inline: false }),
      ],
      step: calls('read', 'write', 'other'),
      options: { inlineReads: true },
      made: [0],
    },
    {
      name: 'not of reads with one attempt',
      tools: [tool('look', () => 1, { effect: 'read', retry: { maximumAttempts: 1 } })],
      options: { inlineReads: true },
    },
    {
      name: 'not of reads that always wait for a person',
      tools: [tool('look', () => 1, { effect: 'read', needsApproval: true })],
      options: { inlineReads: true },
    },
    { name: 'not if a person must approve this one', tools: [asking(true)] },
    { name: 'if no person must approve this one', tools: [asking(false)], made: [0] },
    {
      name: 'not of a turn with a name that is not allowed',
      tools: [look()],
      step: calls('look', 'other'),
      options: { onInvalidToolCall: 'ignore' },
    },
    {
      name: 'not of a turn with malformed arguments',
      tools: [look()],
      step: { toolCalls: [{ name: 'look' }, { name: 'look', args: '{' }] },
    },
    {
      name: 'not of a turn that was cut off',
      tools: [look()],
      step: { ...calls('look'), finishReason: 'length' },
    },
    {
      name: 'not of a turn that a callback decides',
      tools: [look()],
      options: {
        callbacks: [
          defineCallbacks({ name: 'own', afterModelCall: () => overrideResponse('Done.') }),
        ],
      },
    },
    {
      name: 'not without an id',
      tools: [look()],
      step: { toolCalls: [{ name: 'look', callId: '' }] },
    },
    {
      name: 'not with arguments over the limit',
      tools: [look()],
      step: { toolCalls: [{ name: 'look', args: { a: 'x'.repeat(limits.toolArguments) } }] },
    },
  ])('are made $name', async ({ tools, step = calls('look'), options, made = [] }) => {
    const { results, unfinished } = await outcome(worker(tools, step, options));
    expect(results.map(([index]) => index)).toEqual(made);
    expect(unfinished).toEqual([]);
  });

  it('answer wrong arguments and final errors as always, and leave other failures to the run', async () => {
    const tools = [
      look(undefined, { inputSchema: { type: 'object', required: ['city'] } }),
      inlineTool('final', () => {
        throw new LonghaulError('ToolError', 'no such city');
      }),
      inlineTool('flaky', () => {
        throw new Error('busy');
      }),
      inlineTool('greedy', (_args, { session }) => void (session['other'] = 1)),
    ];
    expect(await outcome(worker(tools, calls('flaky', 'look', 'final', 'greedy')))).toEqual({
      results: [
        [1, text("The arguments of 'look' do not match its schema:\n- city: is required")],
        [2, text("The tool 'final' failed: ToolError: no such city")],
        [
          3,
          text(
            "The tool 'greedy' failed: ToolError: tool 'greedy' changed session keys it does not declare: other",
          ),
        ],
      ],
      unfinished: [0],
    });
  });

  it.each([
    ['all of them together', {}, { inlineTimeout: 1 }],
    ['each one by the timeout of its tool', { timeout: 1 }, {}],
  ])('end when they take too long: %s', async (_name, toolOptions, agentOptions) => {
    const slow = inlineTool('slow', endless, toolOptions);
    const own = worker([slow], calls('slow', 'slow'), agentOptions);
    expect(await outcome(own)).toEqual({ results: [], unfinished: [0, 1] });
  });

  it('do not begin after that', async () => {
    const tools = [inlineTool('slow', endless), look()];
    const options = { inlineTimeout: 1, toolConcurrency: 1 };
    expect(await outcome(worker(tools, calls('slow', 'look'), options))).toEqual({
      results: [],
      unfinished: [0],
    });
  });

  it('run together, as many at a time as the agent says', async () => {
    let running = 0;
    let most = 0;
    let arrive = (): void => undefined;
    const both = new Promise<void>((resolve) => (arrive = resolve));
    const code: Code = async () => {
      running += 1;
      most = Math.max(most, running);
      if (running === 2) arrive();
      await both;
      running -= 1;
    };
    const step = calls(...Array<string>(5).fill('look'));
    const { results } = await outcome(worker([look(code)], step, { toolConcurrency: 2 }));
    expect(results).toHaveLength(5);
    expect(most).toBe(2);
  });

  it('that read stop when the activity is cancelled', async () => {
    const slowly = inlineTool('slow', (args, context) => slow(args, context), { effect: 'read' });
    const own = worker([slowly], calls('slow'));
    const environment = own.attempt();
    let signal: AbortSignal | undefined;
    const slow: Code = (args, context) => {
      ({ signal } = context);
      environment.cancel();
      return endless(args, context);
    };
    await expect(own.callModel({}, environment)).rejects.toMatchObject({
      name: 'CancelledFailure',
    });
    expect(signal?.aborted).toBe(true);
  });

  it.each([
    { end: 'CANCELLED', isRunCancelled: false, results: ['booked'], unfinished: [] },
    { end: 'CANCELLED', isRunCancelled: true, results: [], unfinished: [0] },
    { end: 'WORKER_SHUTDOWN', isRunCancelled: false, results: [], unfinished: [0] },
  ])(
    'that act come back with their turn when the attempt is to end: $end, $isRunCancelled',
    async ({ end, isRunCancelled, results, unfinished }) => {
      const acting = inlineTool('book', (args, context) => book(args, context));
      const own = worker([acting], calls('book'));
      let isAsked = (): void => undefined;
      const asked = new Promise<void>((resolve) => (isAsked = resolve));
      const environment = own.attempt({}, undefined, () => {
        isAsked();
        return isRunCancelled;
      });
      const book: Code = async (args, context) => {
        environment.cancel(end as never);
        if (results.length === 0) return await endless(args, context);
        await asked;
        return 'booked';
      };
      expect(await outcome(own, environment)).toEqual({
        results: results.map((each) => [0, text(each)]),
        unfinished,
      });
    },
  );

  it('have the callbacks of the agent around them, in the iteration of the model call', async () => {
    const seen: unknown[] = [];
    const callbacks = defineCallbacks({
      name: 'own',
      session: ['count'],
      afterModelCall: ({ session }) => void (session['count'] = 1),
      beforeToolCall: ({ session, iteration }) => {
        seen.push([session['count'], iteration]);
        session['count'] = 2;
      },
      afterToolCall: () => overrideResponse('hidden'),
    });
    const { callModel } = worker([look()], calls('look'), { callbacks: [callbacks] });
    const { session, results } = await callModel({ session: { count: 0 }, iteration: 3 });
    expect(session).toEqual({ set: { count: 1 }, removed: [] });
    expect(results).toMatchObject([
      { session: { set: { count: 2 } }, entry: { result: { content: text('hidden') } } },
    ]);
    expect(seen).toEqual([[1, 3]]);
  });

  it.each([
    { name: 'in plain text', letter: 'x', made: 21 },
    { name: 'whose JSON is twice as long', letter: '"', made: 10 },
  ])('fit one payload with the turn: results $name', async ({ letter, made }) => {
    let begun = 0;
    const code: Code = () => {
      begun += 1;
      return letter.repeat(limits.toolResultShown);
    };
    const whole = await worker([look(code)], calls(...Array<string>(40).fill('look'))).callModel();
    expect(JSON.stringify(whole).length).toBeLessThanOrEqual(limits.payload);
    expect(begun).toBe(21);
    expect(whole.results).toHaveLength(made);
    expect(whole.unfinished ?? []).toHaveLength(begun - made);
  });
});
