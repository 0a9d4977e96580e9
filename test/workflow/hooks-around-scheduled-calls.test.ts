// Tool hooks around calls that the run schedules itself: activities of the user's own and agents called as tools.

import {
  abort,
  activityTool,
  defineCallbacks,
  overrideResponse,
  ProviderError,
  subAgent,
  type CallbackHooks,
  type JsonObject,
} from '../../src';
import type { RunHandle, StartOptions } from '../../src/client';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

/** What the callbacks of `own` are in the test that runs. */
let hooks: Partial<CallbackHooks> = {};
let charge: (args: JsonObject) => unknown;
let helper: (input: string) => string;

const own = defineCallbacks({
  name: 'own',
  session: ['trail'],
  beforeToolCall: (context) => hooks.beforeToolCall?.(context),
  afterToolCall: (context) => hooks.afterToolCall?.(context),
});
const silent = defineCallbacks({ name: 'silent', beforeModelCall: () => undefined });

const agents = scriptedAgents();
/** Calls the one tool that its input names, then says what it was told. */
const caller: Script = [
  (request) => {
    const { role } = request.messages.at(-1) ?? {};
    if (role === 'tool') return JSON.stringify(request.messages.at(-1));
    const [name = '', args = '{}'] = lastText(request).split(/ (.*)/s);
    return { toolCalls: [{ name, args: JSON.parse(args) as JsonObject }] };
  },
];
const tools = [
  ...[false, true].map((needsApproval) =>
    activityTool({
      name: needsApproval ? 'charge_approved' : 'charge',
      description: 'Charges the customer',
      inputSchema: {
        type: 'object',
        properties: { cents: { type: 'integer' } },
        required: ['cents'],
      },
      activity: 'ChargeCard',
      retry: { maximumAttempts: 1 },
      needsApproval,
    }),
  ),
  subAgent(
    agents.agent('helper', [(request) => helper(lastText(request))], {
      callbacks: [
        defineCallbacks({
          name: 'below',
          session: ['trail'],
          beforeModelCall: ({ session }) => void (session['trail'] = note(session, 'helper')),
        }),
      ],
    }),
    { name: 'ask_helper', description: 'Asks the helper' },
  ),
];
const runners = [
  agents.agent('boss', caller, { tools, callbacks: [own] }),
  agents.agent('quiet', caller, { tools, callbacks: [silent] }),
];

function note({ trail }: JsonObject, what: string): string {
  return `${typeof trail === 'string' ? trail : ''}>${what}`;
}

describe('hooks around calls that the run schedules itself', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    await harness.worker({
      runners,
      providers: { scripted: agents.provider },
      workerOptions: { activities: { ChargeCard: (args: JsonObject) => charge(args) } },
    });
  });
  beforeEach(() => {
    hooks = {};
    charge = jest.fn(({ cents }: JsonObject) => ({ charged: cents ?? null }));
    helper = jest.fn((input: string) => `helper: ${input}`);
  });
  afterAll(() => harness.close());

  async function start(
    input: string,
    options: StartOptions & { readonly agent?: string } = {},
  ): Promise<RunHandle> {
    const { agent = 'boss', ...rest } = options;
    return await harness.longhaul.start(agent, input, rest);
  }

  async function answer(run: RunHandle): Promise<string> {
    return (await run.result()).finalResponse.text;
  }

  /** Activities and children in the order the run scheduled them. */
  async function scheduled(run: RunHandle): Promise<readonly string[]> {
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    return events.flatMap(
      ({ activityTaskScheduledEventAttributes: activity, ...event }) =>
        activity?.activityType?.name ??
        event.startChildWorkflowExecutionInitiatedEventAttributes?.workflowType?.name ??
        [],
    );
  }

  const calls = [
    { kind: 'an activity', input: 'charge {"cents":5}', shown: '"charged":5', type: 'ChargeCard' },
    {
      kind: 'an agent',
      input: 'ask_helper {"input":"hi"}',
      shown: 'helper: hi',
      type: 'agentWorkflow',
    },
  ];

  it.each(calls)('are told of $kind and of its result', async ({ input, shown, type }) => {
    const seen: unknown[] = [];
    hooks = {
      beforeToolCall: ({ call, path, turn }) => void seen.push({ call, path, turn }),
      afterToolCall: ({ call, result }) => void seen.push({ name: call.name, result }),
    };
    const run = await start(input);
    expect(await answer(run)).toContain(shown);
    const [name = '', args = ''] = input.split(' ');
    expect(seen).toEqual([
      {
        call: { callId: expect.any(String) as string, name, args: JSON.parse(args) as unknown },
        path: 'boss',
        turn: 1,
      },
      { name, result: { isError: false, content: [expect.anything()] } },
    ]);
    expect(JSON.stringify(seen)).toContain(shown);
    expect(await scheduled(run)).toEqual([
      ...['loadDefinition', 'callModel', 'runToolHooks', type, 'runToolHooks', 'callModel'],
    ]);
  });

  it.each(calls)('that are not there cost $kind nothing', async ({ input, shown, type }) => {
    const run = await start(input, { agent: 'quiet' });
    expect(await answer(run)).toContain(shown);
    expect(await scheduled(run)).toEqual(['loadDefinition', 'callModel', type, 'callModel']);
  });

  it.each(calls)('put their text in place of $kind', async ({ input, type }) => {
    hooks = { beforeToolCall: () => overrideResponse('Not needed.') };
    const run = await start(input);
    expect(await answer(run)).toContain(
      '"isError":false,"content":[{"type":"text","text":"Not needed."}]',
    );
    expect(await scheduled(run)).not.toContain(type);
  });

  it.each(calls)('put their text in place of the result of $kind', async ({ input, shown }) => {
    hooks = { afterToolCall: ({ call }) => overrideResponse(`${call.name} done`) };
    const text = await answer(await start(input));
    expect(text).toContain(`"text":"${input.split(' ')[0]} done"`);
    expect(text).not.toContain(shown);
  });

  it.each(calls)('end the run before and after $kind', async ({ input, type }) => {
    const stop = () => abort('not today');
    const abortion = { code: 'CallbackAbort', details: { reason: 'not today' } };
    hooks = { beforeToolCall: stop };
    const before = await start(input);
    await expect(before.result()).rejects.toMatchObject(abortion);
    expect(await scheduled(before)).not.toContain(type);
    hooks = { afterToolCall: stop };
    const after = await start(input);
    await expect(after.result()).rejects.toMatchObject(abortion);
    expect(await scheduled(after)).toContain(type);
  });

  it('see the session as each of them, and the agent they stand around, has left it', async () => {
    hooks = {
      beforeToolCall: ({ session }) => void (session['trail'] = note(session, 'before')),
      afterToolCall: ({ session }) => void (session['trail'] = note(session, 'after')),
    };
    const [asked, charged] = await Promise.all([
      start('ask_helper {"input":"hi"}', { session: { trail: 'start', kept: 1 } }),
      start('charge {"cents":5}', { session: { trail: 'start', kept: 1 } }),
    ]);
    expect((await asked.result()).session).toEqual({
      trail: 'start>before>helper>after',
      kept: 1,
    });
    expect((await charged.result()).session).toEqual({ trail: 'start>before>after', kept: 1 });
  });

  it('hand a session that is too long to travel on to the agent', async () => {
    const long = 'l'.repeat(10_000);
    hooks = { beforeToolCall: ({ session }) => void (session['trail'] = note(session, 'before')) };
    const run = await start('ask_helper {"input":"hi"}', { session: { trail: long } });
    expect((await run.result()).session).toEqual({ trail: `${long}>before>helper` });
  });

  it('see errors as results', async () => {
    const seen: unknown[] = [];
    hooks = { afterToolCall: ({ result }) => void seen.push(result) };
    charge = () => {
      throw new Error('card declined');
    };
    helper = () => {
      throw new ProviderError('rejected', 'helper is ill');
    };
    const runs = await Promise.all(calls.map(({ input }) => start(input)));
    await Promise.all(runs.map(answer));
    expect(seen).toHaveLength(2);
    expect(seen).toMatchObject([{ isError: true }, { isError: true }]);
    expect(seen.map((result) => JSON.stringify(result)).sort()).toEqual([
      expect.stringContaining('helper is ill'),
      expect.stringContaining('card declined'),
    ]);
  });

  it('are not asked about arguments that do not match the schema', async () => {
    hooks = { beforeToolCall: () => abort('asked') };
    for (const input of ['charge {"cents":"5"}', 'ask_helper {"text":"hi"}']) {
      expect(await answer(await start(input))).toMatch(/"isError":true/);
    }
    expect(charge).not.toHaveBeenCalled();
  });

  it('see what a person made of the arguments', async () => {
    const seen: unknown[] = [];
    hooks = { beforeToolCall: ({ call }) => void seen.push(call.args) };
    const run = await start('charge_approved {"cents":5}');
    const outcome = await run.outcome();
    if (outcome.kind !== 'needs-input') throw new Error('does not ask');
    expect(seen).toEqual([]);
    await run.approve(outcome.inputId, { args: { cents: 3 } });
    expect(await answer(run)).toContain('"charged":3');
    expect(seen).toEqual([{ cents: 3 }]);
  });

  it('are given arguments that are too long to travel', async () => {
    const seen: unknown[] = [];
    const text = 'w'.repeat(20_000);
    hooks = { beforeToolCall: ({ call }) => void seen.push(call.args) };
    await answer(await start(`ask_helper ${JSON.stringify({ input: text })}`));
    expect(seen).toEqual([{ input: text }]);
  });

  it('end the run when they throw three times, without making the call', async () => {
    let asked = 0;
    hooks = {
      beforeToolCall: () => {
        asked += 1;
        throw new TypeError('no such row');
      },
    };
    await expect((await start('charge {"cents":5}')).result()).rejects.toMatchObject({
      code: 'InternalError',
      message: `callbacks 'own', beforeToolCall: failed: TypeError: no such row`,
    });
    expect(asked).toBe(3);
    expect(charge).not.toHaveBeenCalled();
  });
});
