// What a foreign worker may send along with a model's turn as what came of inline calls: the run takes a result that
// answers an open call, and makes every other call itself.

import type { Tool } from '../../src';
import type { CallModelInput } from '../../src/protocol/activities';
import { measureHistory } from '../../src/testing/history';
import { aTool } from './builders';
import { linesOf } from './conversation';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { scriptedAgents } from './scripted-agents';

type Sent = { readonly results?: unknown; readonly unfinished?: unknown };

const text = 'came along';

/** A result that answers the only call of the first turn, but for what is given. */
const aResult = (entry: object = {}, result: object = {}): object => ({
  entry: {
    id: 'forged',
    kind: 'tool-result',
    inline: true,
    result: {
      type: 'tool_result',
      callId: 'call_a',
      name: 'look',
      isError: false,
      content: [{ type: 'text', text }],
      turn: 1,
      index: 0,
      ...result,
    },
    ...entry,
  },
});

describe('what comes along with a turn', () => {
  let harness: Harness;
  let sent: Sent = {};
  const agents = scriptedAgents();
  const aCaller = (id: string, called: string, tools: readonly Tool[]) =>
    agents.agent(id, [{ toolCalls: [{ name: called, args: {}, callId: 'call_a' }] }, 'Done.'], {
      tools,
    });

  /** A worker that runs nothing inline, and sends along what it is told to. */
  const forging = {
    execute: async (
      input: { readonly args: readonly unknown[] },
      next: (input: never) => Promise<unknown>,
    ): Promise<unknown> => {
      const [given] = input.args as readonly [Partial<CallModelInput>?];
      if (given?.inline === undefined) return await next(input as never);
      const { inline: _inline, ...others } = given;
      const result = (await next({ ...input, args: [others] } as never)) as object;
      return given.turn === 1 ? { ...result, ...sent } : result;
    },
  };

  beforeAll(async () => {
    harness = await openHarness();
    const made = () => 'made';
    const inline = true;
    const look = aTool('look', made, { inline });
    const once = aTool('once', made, { effect: 'once' });
    const runners = [
      aCaller('looker', 'look', [look]),
      aCaller('patient', 'patient', [
        aTool('patient', made, { inline, retry: { maximumAttempts: 3 } }),
      ]),
      aCaller('asker', 'ask', [aTool('ask', made, { inline, needsApproval: () => true })]),
      aCaller('booker', 'once', [look, once]),
      aCaller('stranger', 'nothing', [look]),
    ];
    await harness.worker({
      runners,
      providers: { scripted: agents.provider },
      workerOptions: { interceptors: { activity: [() => ({ inbound: forging })] } },
    });
  });
  afterAll(() => harness.close());

  const start = async (agent: string, forged: Sent) => {
    sent = forged;
    return await harness.longhaul.start(agent, 'Go.');
  };

  const eventsOf = async ({ workflowId }: { readonly workflowId: string }) =>
    await fetchHistory(harness.longhaul, workflowId);

  it.each<{ readonly name: string; readonly forged: Sent; readonly isTaken?: boolean }>([
    { name: 'a result that answers the call', forged: { results: [aResult()] }, isTaken: true },
    {
      name: 'a result that answers the call, among others',
      forged: { results: [aResult({}, { index: 1 }), aResult(), null], unfinished: [0] },
      isTaken: true,
    },
    { name: 'nothing', forged: {} },
    { name: 'no lists', forged: { results: { 0: aResult() }, unfinished: { 0: 0 } } },
    { name: 'no results', forged: { results: [null, 'look', {}, { entry: null }, { entry: {} }] } },
    { name: 'a result without a call', forged: { results: [aResult({}, { index: 7 })] } },
    { name: 'a result without an index', forged: { results: [aResult({}, { index: null })] } },
    { name: 'a result of another turn', forged: { results: [aResult({}, { turn: 2 })] } },
    { name: 'another call id', forged: { results: [aResult({}, { callId: 'call_b' })] } },
    { name: 'another name', forged: { results: [aResult({}, { name: 'peek' })] } },
    { name: 'a result without content', forged: { results: [aResult({}, { content: text })] } },
    { name: 'an entry without an id', forged: { results: [aResult({ id: 7 })] } },
    { name: 'another kind of entry', forged: { results: [aResult({ kind: 'summary' })] } },
    { name: 'two results of one call', forged: { results: [aResult(), aResult({ id: 'other' })] } },
    { name: 'unfinished calls that are none', forged: { unfinished: [7, -1, 'a', null] } },
  ])('is a result only if it answers the call: $name', async ({ forged, isTaken = false }) => {
    const run = await start('looker', forged);
    await run.result();
    expect(linesOf(await run.transcript())).toEqual([
      'Go.',
      '→ look {}',
      `← look ${isTaken ? text : 'made'}`,
      'Done.',
    ]);
    const { activities } = measureHistory({ events: await eventsOf(run) });
    expect(activities['callTool']).toBe(isTaken ? undefined : 1);
  });

  it('is no result of a call that a person must approve', async () => {
    const run = await start('asker', { results: [aResult({}, { name: 'ask' })] });
    await run.outcome();
    const [asked] = await run.pending();
    await run.approve(asked?.inputId ?? '');
    await run.result();
    expect(linesOf(await run.transcript())).toContain('← ask made');
  });

  it('is no result of a call with a name that is not allowed', async () => {
    const run = await start('stranger', { results: [aResult({}, { name: 'nothing' })] });
    await run.result();
    expect(linesOf(await run.transcript()).at(2)).toMatch(/^✗ nothing There is no tool 'nothing'/);
  });

  it.each([
    { agent: 'looker', unfinished: [0], attempts: 4 },
    { agent: 'looker', unfinished: [1], attempts: 5 },
    { agent: 'patient', unfinished: [0, 0, 0], attempts: 2 },
    { agent: 'booker', unfinished: [0], attempts: 1 },
  ])(
    'took one attempt of an unfinished call: $agent, $unfinished',
    async ({ agent, unfinished, attempts }) => {
      const run = await start(agent, { unfinished });
      await run.result();
      const policies = (await eventsOf(run)).flatMap(
        ({ activityTaskScheduledEventAttributes: scheduled }) =>
          scheduled?.activityType?.name === 'callTool' ? [scheduled.retryPolicy] : [],
      );
      expect(policies).toMatchObject([{ maximumAttempts: attempts }]);
    },
  );
});
