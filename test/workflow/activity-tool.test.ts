// Activities of the user's own as tools: another worker, on another task queue, has them.

import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { activityTool, defineAgent, type JsonObject } from '../../src';
import type { RunHandle } from '../../src/client';
import type { ActivityToolDefinition } from '../../src/define/activity-tool';
import { scriptedModel } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

const charge = z.object({ order: z.string().min(1), cents: z.int().positive() });
type Options = Partial<ActivityToolDefinition<typeof charge, z.infer<typeof charge>>>;
const order = { order: 'A1', cents: 500 };

describe('activityTool', () => {
  let harness: Harness;
  let taskQueue: string;
  let calls: unknown[][];
  let activity: (args: JsonObject) => unknown;

  beforeAll(async () => {
    harness = await openHarness();
    taskQueue = await harness.activities({
      ChargeCard: async (...args: [JsonObject]) => {
        calls.push(args);
        return activity(...args);
      },
    });
  });
  beforeEach(() => {
    calls = [];
    activity = ({ cents }) => ({ charged: cents ?? null });
  });
  afterAll(() => harness.close());

  /** A run whose model charges once with these arguments, then says what it was told. */
  async function start(args: JsonObject, options: Options = {}): Promise<RunHandle> {
    const tool = activityTool({
      name: 'charge_card',
      description: 'Charges the customer',
      inputSchema: charge,
      activity: 'ChargeCard',
      taskQueue,
      retry: { initialInterval: 10 },
      ...options,
    });
    const model = scriptedModel([
      { toolCalls: [{ name: 'charge_card', args }] },
      ({ messages }) => JSON.stringify(messages.at(-1)),
    ]);
    const agent = defineAgent({ id: 'billing', model: 'scripted/one', tools: [tool] });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    return await harness.longhaul.start('billing', 'Charge it.');
  }

  /** What the model was told. */
  async function answer(run: RunHandle): Promise<string> {
    return (await run.result()).finalResponse.text;
  }

  it('schedules the activity itself, with the arguments object alone', async () => {
    const run = await start(order);
    expect(await answer(run)).toContain('{"type":"json","value":{"charged":500}}');
    expect(calls).toEqual([[order]]);
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const scheduled = events.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    expect(scheduled.map(({ activityType }) => activityType?.name)).toEqual([
      'loadDefinition',
      'callModel',
      'ChargeCard',
      'callModel',
    ]);
    expect(scheduled[2]).toMatchObject({ taskQueue: { name: taskQueue } });
    expect(Number(scheduled[2]?.heartbeatTimeout?.seconds ?? 0)).toBe(0);
  });

  it('tells the model what is wrong with its arguments and does not run', async () => {
    expect(await answer(await start({ order: '', cents: 1.5 }))).toMatch(
      /"isError":true.*do not match its schema.*order.*cents/,
    );
    expect(calls).toEqual([]);
  });

  it('runs with what a person made of the arguments, and not with what a person broke', async () => {
    const run = await start(order, { needsApproval: true });
    const outcome = await run.outcome();
    if (outcome.kind !== 'needs-input') throw new Error('does not ask');
    const broken = run.approve(outcome.inputId, { args: { order: 'A1', cents: -1 } });
    await expect(broken).rejects.toMatchObject({ code: 'InvalidAnswer' });
    const args = { order: 'A1', cents: 20 };
    await run.approve(outcome.inputId, { args });
    expect(await answer(run)).toMatch(/"charged":20/);
    expect(calls).toEqual([[args]]);
  });

  it('asks the function that decides per call', async () => {
    const run = await start(order, { needsApproval: ({ cents }) => cents > 100 });
    expect(await run.outcome()).toMatchObject({
      kind: 'needs-input',
      pending: [{ kind: 'approval' }],
    });
    await run.cancel('enough');
  });

  it('waits for the people that its rules name, also after an edit', async () => {
    const run = await start(order, {
      needsApproval: {
        by: ({ cents }) => ({ roles: ['finance'], approvals: cents > 1_000 ? 2 : 1 }),
        show: ({ cents }) => `${cents / 100} euros`,
      },
    });
    const [ada, bob] = ['ada', 'bob'].map((id) => ({ id, roles: ['finance'] }));
    if (ada === undefined || bob === undefined) throw new Error('nobody');
    expect(await run.outcome()).toMatchObject({
      pending: [{ inputId: 'a1.0', by: { roles: ['finance'], approvals: 1 }, preview: '5 euros' }],
    });
    await expect(run.approve('a1.0', { by: { id: 'eve' } })).rejects.toMatchObject({
      code: 'NotPermitted',
    });
    const args = { order: 'A1', cents: 2_000 };
    await run.approve('a1.0', { by: ada, args });
    await eventually('it asks anew', async () => (await run.pending())[0]?.preview === '20 euros');
    expect(calls).toEqual([]);
    await run.approve('a1.0-1', { by: bob });
    expect(await answer(run)).toMatch(/"charged":2000/);
    expect(calls).toEqual([[args]]);
  });

  it('shows the model the error once the attempts are used up', async () => {
    activity = () => {
      throw new Error('card declined');
    };
    const run = await start(order, { retry: { maximumAttempts: 2, initialInterval: 10 } });
    expect(await answer(run)).toMatch(/"isError":true.*'charge_card' failed: card declined/);
    expect(calls).toHaveLength(2);
  });

  it('runs once when the activity says that another attempt would not help', async () => {
    activity = () => {
      throw ApplicationFailure.nonRetryable('gone');
    };
    expect(await answer(await start(order))).toContain("'charge_card' failed: gone");
    expect(calls).toHaveLength(1);
  });

  it.each([
    { type: 'ToolError', text: "The tool 'charge_card' failed: gone" },
    { type: 'CardDeclined', text: 'OutcomeUnknown: the call broke off (gone)' },
    { type: 'InternalError', text: 'OutcomeUnknown: the call broke off (gone)' },
    { type: 'WorkerShutdown', text: 'OutcomeUnknown: the call broke off (gone)' },
    { type: 'ActivityReset', text: 'OutcomeUnknown: the call broke off (gone)' },
  ])('with effect once takes a failure for an answer by its type: $type', async (row) => {
    activity = () => {
      throw ApplicationFailure.create({ message: 'gone', type: row.type });
    };
    const options: Options = { effect: 'once', retry: { maximumAttempts: 1 } };
    expect(await answer(await start(order, options))).toContain(row.text);
    expect(calls).toHaveLength(1);
  });

  it('says that the outcome is unknown when the one attempt is cut off', async () => {
    activity = () => Context.current().sleep('1 minute');
    const retry = { maximumAttempts: 1 };
    const run = await start(order, { effect: 'once', timeout: 300, retry });
    expect(await answer(run)).toMatch(/"isError":true.*OutcomeUnknown/);
    expect(calls).toHaveLength(1);
  });

  it('fails the run with ToolError when it says so', async () => {
    activity = () => {
      throw new Error('ledger closed');
    };
    const run = await start(order, { onError: 'fail', retry: { maximumAttempts: 1 } });
    await expect(run.result()).rejects.toMatchObject({
      code: 'ToolError',
      message: expect.stringContaining('ledger closed') as string,
    });
  });

  it.each([
    { name: 'bytes', result: new Uint8Array([1, 2]), shown: /isError":true.*is not JSON/ },
    { name: 'a long text', result: 'x'.repeat(100_000), shown: /cut: the first \d+ of 100000 b/ },
    { name: 'nothing', result: undefined, shown: /"isError":false.*"value":null/ },
  ])('shows the model $name as it shows results of other tools', async ({ result, shown }) => {
    activity = () => result;
    expect(await answer(await start(order))).toMatch(shown);
  });
});
