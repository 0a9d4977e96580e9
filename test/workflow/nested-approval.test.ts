// An approval three agents deep, answered through the root run: a week later on a time-skipping server, and in the inbox.

import { defineAgent, defineTool, subAgent } from '../../src';
import type { InboxItem, Longhaul } from '../../src/client';
import type { AgentRunOutcome } from '../../src/protocol/run';
import { createTestEnvironment, scriptedModel, type TestEnvironment } from '../../src/testing';
import { describeWithTimeSkipping, timeSkippingServerPath, workflowsInThread } from '../servers';
import { callOf } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness } from './harness';
import { fetchHistory } from './history';
import { quietRuntime } from './quiet';

const scripts = {
  manager: [callOf('research', { input: 'Settle invoice 7.' }), 'All is settled.'],
  researcher: [callOf('pay', { input: 'Pay Ann.' }), 'Ann was paid.'],
  payer: [callOf('transfer', { to: 'Ann', amount: 100 }), 'Paid 40.'],
};

/** Manager, researcher and payer, each with a model of its own, and what the payer's tool was called with. */
function transferAgents() {
  const transfers: object[] = [];
  const transfer = defineTool<{ to: string; amount: number }>({
    name: 'transfer',
    description: 'Transfers money',
    inputSchema: {
      type: 'object',
      properties: { to: { type: 'string' }, amount: { type: 'number' } },
      required: ['to', 'amount'],
    },
    effect: 'once',
    needsApproval: true,
    execute: (args, { agentId, path }) => {
      transfers.push({ ...args, agentId, path });
      return { transferred: args.amount };
    },
  });
  const payer = defineAgent({ id: 'payer', model: 'payer/one', tools: [transfer] });
  const researcher = defineAgent({
    id: 'researcher',
    model: 'researcher/one',
    tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
  });
  const manager = defineAgent({
    id: 'manager',
    model: 'manager/one',
    tools: [subAgent(researcher, { name: 'research', description: 'Researches' })],
  });
  const providers = Object.fromEntries(
    Object.entries(scripts).map(([name, steps]) => [name, scriptedModel(steps)]),
  );
  return { transfers, options: { runners: [manager], providers } };
}

const approval = {
  inputId: expect.stringMatching(/^a1\.0@[0-9a-f]{16}$/) as string,
  kind: 'approval',
  question: 'May transfer run? {"to":"Ann","amount":100}',
  call: {
    type: 'tool_call',
    callId: 'call_1_0',
    name: 'transfer',
    args: { to: 'Ann', amount: 100 },
  },
  agentId: 'payer',
  path: 'manager/research/pay',
  since: expect.any(String) as string,
  nonce: expect.stringMatching(/^[0-9a-f]{20}$/) as string,
  digest: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
};
const edited = { to: 'Ann', amount: 40 };

/** What was said in a run and in the runs it called, the root first. */
async function conversations(
  longhaul: Longhaul,
  workflowId: string,
): Promise<Record<string, string[]>> {
  const run = longhaul.run(workflowId);
  const { path } = await run.state();
  const lines = linesOf(await run.transcript());
  const events = await fetchHistory(longhaul, workflowId);
  const children = events.flatMap((event) => {
    const started = event.childWorkflowExecutionStartedEventAttributes;
    return started?.workflowExecution?.workflowId ?? [];
  });
  const below = await Promise.all(children.map((child) => conversations(longhaul, child)));
  return Object.assign({ [path]: lines }, ...below) as Record<string, string[]>;
}

const said = {
  manager: [
    'Settle what is open.',
    '→ research {"input":"Settle invoice 7."}',
    '← research Ann was paid.',
    'All is settled.',
  ],
  'manager/research': [
    'Settle invoice 7.',
    '→ pay {"input":"Pay Ann."}',
    '← pay Paid 40.',
    'Ann was paid.',
  ],
  'manager/research/pay': [
    'Pay Ann.',
    '→ transfer {"to":"Ann","amount":100}',
    '← transfer A person changed the arguments of this call before it ran, to: {"to":"Ann","amount":40} | {"transferred":40}',
    'Paid 40.',
  ],
};

const complete: AgentRunOutcome = {
  kind: 'complete',
  result: {
    finalResponse: {
      text: 'All is settled.',
      content: [{ type: 'text', text: 'All is settled.' }],
    },
    iterations: 1,
    completionReason: 'text response',
    usage: {
      inputTokens: 60,
      outputTokens: 30,
      totalTokens: 90,
      cacheReadTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: null,
    },
    session: {},
  },
};

/** What is listed of this run and of those below it, whose ids begin with its own: other tests wait in the same namespace. */
async function inboxOf(longhaul: Longhaul, workflowId: string): Promise<InboxItem[]> {
  const items: InboxItem[] = [];
  for await (const item of longhaul.inbox({ whole: true })) items.push(item);
  return items.filter((item) => item.workflowId.startsWith(workflowId));
}

describeWithTimeSkipping('an approval three agents deep', () => {
  const environments: TestEnvironment[] = [];
  afterEach(async () => {
    await Promise.all(environments.splice(0).map((test) => test.close()));
  });

  it('is given a week later through the root run, and its call runs once, as the person changed it', async () => {
    quietRuntime();
    const { transfers, options } = transferAgents();
    const test = await createTestEnvironment({
      ...options,
      serverPath: timeSkippingServerPath(),
      workerOptions: workflowsInThread(),
    });
    environments.push(test);
    const run = await test.client.start('manager', 'Settle what is open.');
    expect(await test.outcome(run)).toEqual({
      ...approval,
      kind: 'needs-input',
      pending: [approval],
    });
    const asked = await test.now();
    await test.skip('7 days');
    expect((await test.now()).getTime() - asked.getTime()).toBeGreaterThanOrEqual(7 * 24 * 3.6e6);
    const [waiting, ...others] = await run.pending();
    expect([waiting, others, transfers]).toEqual([approval, [], []]);
    await run.approve(waiting?.inputId ?? '', { args: edited });
    expect(await test.outcome(run)).toEqual(complete);
    expect(transfers).toEqual([{ ...edited, agentId: 'payer', path: 'manager/research/pay' }]);
    expect(await conversations(test.client, run.workflowId)).toEqual(said);
  });
});

// The time-skipping server lists no runs.
describe('the inbox', () => {
  it('lists an approval three agents deep once, on the root run, and drops it once it is given', async () => {
    const harness = await openHarness();
    try {
      const { longhaul } = harness;
      const { transfers, options } = transferAgents();
      await harness.worker(options);
      const run = await longhaul.start('manager', 'Settle what is open.');
      await run.outcome();
      await eventually(
        'the approval',
        async () => (await inboxOf(longhaul, run.workflowId)).length > 0,
      );
      const items = await inboxOf(longhaul, run.workflowId);
      expect(items).toEqual([
        { ...approval, workflowId: run.workflowId, agent: 'manager', isComplete: true },
      ]);
      await longhaul
        .run(items[0]?.workflowId ?? '')
        .approve(items[0]?.inputId ?? '', { args: edited });
      expect(await inboxOf(longhaul, run.workflowId)).toEqual([]);
      expect(await run.outcome()).toEqual(complete);
      expect(transfers).toEqual([{ ...edited, agentId: 'payer', path: 'manager/research/pay' }]);
    } finally {
      await harness.close();
    }
  });
});
