// Who did what: three agents deep, in a thread, with a worker and without one.

import { defineAgent, defineTool, subAgent } from '../../src';
import type { Actor, AuditEntry } from '../../src/client';
import { callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { scriptedAgents } from './scripted-agents';

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
  execute: ({ amount }) => `transferred ${amount}`,
});

const ada: Actor = { id: 'ada', roles: ['finance'], name: 'Ada' };
const bob: Actor = { id: 'bob' };
const carol: Actor = { id: 'carol' };

describe('audit', () => {
  let harness: Harness;
  const { agent, provider } = scriptedAgents();
  const payer = agent(
    'payer',
    [
      callOf('transfer', { to: 'Ann', amount: 100 }),
      callOf('ask_user', { question: 'Which invoice?' }),
      'Paid 40.',
    ],
    { tools: [transfer], askUser: 'tool' },
  );
  const researcher = agent('researcher', [callOf('pay', { input: 'Pay Ann.' }), 'Ann was paid.'], {
    tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
  });
  const manager = agent('manager', [callOf('research', { input: 'Settle it.' }), 'Settled.'], {
    tools: [subAgent(researcher, { name: 'research', description: 'Researches' })],
  });
  const talker = defineAgent({ id: 'talker', model: 'scripted/talker' });

  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  const kinds = (entries: readonly AuditEntry[]): readonly string[] =>
    entries.map((entry) =>
      entry.kind === 'verdict' ? `${entry.verdict} by ${entry.by?.id}` : entry.kind,
    );

  it('says who asked, who decided what and on which arguments, three agents deep', async () => {
    const { longhaul, taskQueue } = harness;
    const worker = await harness.worker({ runners: [manager], providers: { scripted: provider } });
    const tenant = `acme-${taskQueue}`;
    const run = await longhaul.start('manager', 'Go.', { by: bob, key: { tenant } });
    const asked = await run.outcome();
    const [input] = asked.kind === 'needs-input' ? asked.pending : [];
    const inputId = input?.inputId ?? '';
    const args = { to: 'Ann', amount: 40 };
    const verdict = { args, by: ada, note: 'as agreed' };
    expect(await run.approve(inputId, verdict)).toEqual({ missing: 0 });
    expect(await run.approve(inputId, verdict)).toEqual({ missing: 0 });
    await expect(run.approve(inputId, { ...verdict, by: carol })).rejects.toMatchObject({
      code: 'AlreadyAnswered',
      details: { by: 'ada' },
    });
    await expect(run.reject(inputId, 'no', { seen: 'x', by: carol })).rejects.toMatchObject({
      code: 'AlreadyAnswered',
    });
    const again = await run.outcome();
    expect(again).toMatchObject({ kind: 'needs-input', question: 'Which invoice?' });
    await run.resume('Number 7', { by: carol });
    await run.result();

    const entries = await run.audit();
    expect(kinds(entries)).toEqual(['start', 'approve by ada', 'answer by carol']);
    const [start, approval, answer] = entries;
    const definition = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
    expect(start).toEqual({
      kind: 'start',
      at: expect.any(String),
      by: bob,
      workflowId: run.workflowId,
      path: 'manager',
      agent: 'manager',
      definition,
    });
    expect(approval).toEqual({
      kind: 'verdict',
      verdict: 'approve',
      input: 'approval',
      inputId: 'a1.0',
      at: expect.any(String),
      by: ada,
      note: 'as agreed',
      ...(input?.digest !== undefined && { digest: input.digest }),
      tool: 'transfer',
      args: { to: 'Ann', amount: 100 },
      edited: args,
      workflowId: expect.stringMatching(`^${run.workflowId}.`),
      path: 'manager/research/pay',
      agent: 'payer',
      definition: start?.definition,
    });
    expect(answer).toMatchObject({
      input: 'question',
      tool: 'ask_user',
      args: { question: 'Which invoice?' },
      told: 'Number 7',
      path: 'manager/research/pay',
    });
    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).sort());

    await worker.stop();
    const without = await longhaul.run(run.workflowId, { withoutWorker: true }).audit();
    await eventually('the runs are listed', async () => {
      const read = await longhaul.run(run.workflowId, { withoutWorker: true }).audit();
      return read.filter(({ kind }) => kind === 'gap').length === 3;
    });
    expect(without[0]).toMatchObject({ kind: 'start', by: bob });
    const found: string[] = [];
    for await (const { workflowId } of longhaul.runs({ key: { tenant }, children: true }))
      found.push(workflowId);
    expect(found).toHaveLength(3);
    for await (const { workflowId } of longhaul.runs({ key: { tenant: 'other' } }))
      expect(workflowId).not.toBe(run.workflowId);
    await expect(longhaul.run('no-such-run').audit()).rejects.toMatchObject({
      code: 'RunNotFound',
    });
  });

  it('tells the turns of a thread apart, by who sent each, and who cancelled', async () => {
    const { longhaul, taskQueue } = harness;
    await harness.worker({ runners: [payer, talker], providers: { scripted: provider } });
    const thread = longhaul.thread({ agent: 'payer', sessionId: taskQueue, tenant: 'acme' });
    const first = await thread.send('Pay.', { by: ada });
    await first.outcome();
    await eventually('the thread asks', async () => (await thread.pending()).length === 1);
    const [input] = await thread.pending();
    await thread.reject(input?.inputId ?? '', 'not now', { by: bob });
    await first.outcome();
    await first.cancel('enough', { by: carol });
    await expect(first.result()).rejects.toMatchObject({
      code: 'RunCancelled',
      details: { reason: 'enough', by: 'carol' },
    });
    const second = await thread.send('Again.', { by: bob });
    await second.outcome();

    const entries = await thread.audit();
    expect(kinds(entries)).toEqual(['start', 'reject by bob', 'cancel', 'start']);
    expect(entries).toMatchObject([
      { by: ada, path: 'payer/turn-1', workflowId: first.workflowId },
      { tool: 'transfer', told: 'not now', args: { to: 'Ann', amount: 100 } },
      { by: carol, note: 'enough', workflowId: first.workflowId },
      { by: bob, path: 'payer/turn-2', workflowId: second.workflowId },
    ]);
    expect(kinds(await first.audit())).toEqual(['start', 'reject by bob', 'cancel']);
    await longhaul.client.workflow.getHandle(thread.threadId).terminate();
  });
});
