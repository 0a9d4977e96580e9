// The inbox of all runs on the dev server: with and without search attributes, with and without a worker, of everybody and of one user.

import { randomUUID } from 'node:crypto';
import { defineSearchAttributeKey } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time';
import { defineAgent, defineTool, subAgent } from '../../src';
import { connect, type InboxFilter, type InboxItem, type Longhaul } from '../../src/client/index';
import { keyHashes } from '../../src/core/key-hashes';
import { searchAttributes } from '../../src/protocol/names';
import type { RunKey } from '../../src/protocol/run';
import { addAttributes, attributeNames, readAttributes } from '../../src/server/search-attributes';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { devServerAddress } from '../servers';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends a mail',
  needsApproval: true,
  inputSchema: { type: 'object', properties: { to: { type: 'string' } } },
  execute: () => 'sent',
});
const long = `Which of these? ${'x'.repeat(300)}`;
const scripts: Readonly<Record<string, readonly ScriptedStep[]>> = {
  top: [{ toolCalls: [{ name: 'dig', args: { input: 'Deeper.' } }] }, 'Done.'],
  deep: [
    { toolCalls: [{ name: 'ask_user', args: { question: long, options: ['this', 'that'] } }] },
    'Dug.',
  ],
  mailer: [{ toolCalls: [{ name: 'send_mail', args: { to: 'bob' } }] }, 'Mailed.'],
};
const deep = defineAgent({ id: 'deep', model: 'deep/one', askUser: 'tool' });
const runners = [
  defineAgent({
    id: 'top',
    model: 'top/one',
    tools: [subAgent(deep, { name: 'dig', description: 'Digs' })],
  }),
  defineAgent({ id: 'mailer', model: 'mailer/one', tools: [sendMail] }),
];
const freshModels = () =>
  Object.fromEntries(
    Object.entries(scripts).map(([name, steps]) => [
      name,
      scriptedModel(steps, { per: 'conversation' }),
    ]),
  );

describe('inbox', () => {
  let harness: Harness;
  let providers: ReturnType<typeof freshModels>;
  beforeEach(async () => {
    harness = await openHarness();
    providers = freshModels();
  });
  afterEach(() => harness.close());

  /** Of the runs of this test: other tests wait in the same namespace. */
  async function inboxOf(
    longhaul: Longhaul,
    workflowIds: readonly string[],
    filter: InboxFilter = {},
  ): Promise<InboxItem[]> {
    const items: InboxItem[] = [];
    for await (const item of longhaul.inbox(filter)) items.push(item);
    return items.filter(({ workflowId }) => workflowIds.includes(workflowId));
  }

  it('lists what a run and an agent below another wait for, once, until it is answered', async () => {
    const { longhaul } = harness;
    const worker = await harness.worker({ runners, providers });
    const nested = await longhaul.start('top', 'Go.');
    await nested.outcome();
    const flat = await longhaul.start('mailer', 'Go.');
    await flat.outcome();
    const workflowIds = [nested.workflowId, flat.workflowId];
    const whole = { whole: true };
    await eventually('both', async () => (await inboxOf(longhaul, workflowIds)).length === 2);
    const call = expect.objectContaining({ name: 'send_mail', args: { to: 'bob' } });
    expect(await inboxOf(longhaul, workflowIds, whole)).toEqual([
      expect.objectContaining({
        workflowId: nested.workflowId,
        agent: 'top',
        isComplete: true,
        kind: 'question',
        question: long,
        options: ['this', 'that'],
        agentId: 'deep',
        path: 'top/dig',
      }),
      {
        workflowId: flat.workflowId,
        agent: 'mailer',
        isComplete: true,
        inputId: 'a1.0',
        kind: 'approval',
        question: expect.stringMatching(/^May send_mail run\? \{"to":/),
        call,
        schema: { type: 'object', properties: { to: { type: 'string' } } },
        digest: expect.stringMatching(/^[0-9a-f]{32}$/),
        agentId: 'mailer',
        path: 'mailer',
        since: expect.any(String),
        nonce: expect.any(String),
      },
    ]);
    const [top] = await inboxOf(longhaul, workflowIds, { ...whole, agent: 'top' });
    const [approval] = await inboxOf(longhaul, workflowIds, { kind: 'approval' });
    expect([top?.workflowId, approval?.workflowId]).toEqual(workflowIds);

    await flat.approve('a1.0');
    expect(await inboxOf(longhaul, workflowIds, whole)).toEqual([top]);
    await worker.stop();
    await eventually('one', async () => (await inboxOf(longhaul, workflowIds)).length === 1);
    const [shown, ...others] = await inboxOf(longhaul, workflowIds);
    expect(others).toEqual([]);
    expect(shown).toEqual({
      workflowId: nested.workflowId,
      agent: 'top',
      isComplete: false,
      inputId: top?.inputId,
      kind: 'question',
      question: expect.stringMatching(/^Which of these\? x+…$/),
      agentId: 'deep',
      path: 'top/dig',
      since: top?.since,
      nonce: expect.any(String),
    });
    await longhaul.client.workflow.getHandle(nested.workflowId).terminate();
  });

  it("lists what is a user's: runs, threads, and what they called", async () => {
    const { longhaul } = harness;
    const worker = await harness.worker({ runners, providers });
    const [ada, bob] = [`ada@${harness.taskQueue}`, `bob@${harness.taskQueue}`];
    const run = await longhaul.start('top', 'Go.', { key: { userId: ada, appName: 'shop' } });
    await run.outcome();
    const thread = longhaul.thread({ agent: 'mailer', userId: ada, sessionId: 's', tenant: ada });
    const turn = await thread.send('Mail.');
    const other = await longhaul.start('mailer', 'Send.', {
      key: { userId: bob, appName: 'shop', tenant: bob },
    });
    await Promise.all([turn.outcome(), other.outcome()]);
    await eventually('the thread asks', async () => (await thread.pending()).length === 1);
    await worker.stop();

    const workflowIds = [run.workflowId, thread.threadId, other.workflowId];
    const waitingOf = async (key: RunKey): Promise<readonly string[]> =>
      (await inboxOf(longhaul, workflowIds, { key })).map(({ workflowId }) => workflowId);
    await eventually('both of hers', async () => (await waitingOf({ userId: ada })).length === 2);
    expect(await waitingOf({ userId: ada })).toEqual([run.workflowId, thread.threadId]);
    expect(await waitingOf({ userId: ada, appName: 'shop' })).toEqual([run.workflowId]);
    expect(await waitingOf({ userId: bob })).toEqual([other.workflowId]);
    expect(await waitingOf({ appName: ada })).toEqual([]);
    expect(await waitingOf({ tenant: ada })).toEqual([thread.threadId]);
    expect(await waitingOf({ tenant: bob, userId: ada })).toEqual([]);

    const agents: string[] = [];
    const filter = { key: { userId: ada }, children: true };
    for await (const { agent } of longhaul.runs(filter)) agents.push(agent);
    expect(agents.sort()).toEqual(['deep', 'mailer', 'top']);
    const { typedSearchAttributes, memo } = await longhaul.client.workflow
      .getHandle(run.workflowId)
      .describe();
    const entries = keyHashes({ userId: ada, appName: 'shop' });
    const attribute = defineSearchAttributeKey(searchAttributes.key, 'KEYWORD_LIST');
    expect([...(typedSearchAttributes.get(attribute) ?? [])].sort()).toEqual([...entries].sort());
    expect(memo).toMatchObject({ longhaul: { key: entries } });
    expect(JSON.stringify([memo, typedSearchAttributes])).not.toContain(ada);
    for (const id of workflowIds) await longhaul.client.workflow.getHandle(id).terminate();
  });

  it('misses no run that started before the search attributes were registered', async () => {
    const { workflowService } = harness.longhaul.client;
    const namespace = `inbox-${randomUUID()}`;
    const workflowExecutionRetentionPeriod = msToTs('1 day');
    await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
    const options = { address: devServerAddress(), namespace, taskQueue: harness.taskQueue };
    const before = await connect(options);
    await eventually('the namespace', () => isServed(before));
    const { operatorService } = before.client.connection;
    const states = async (): Promise<readonly string[]> =>
      (await readAttributes({ operatorService, namespace })).map(({ status }) => status);
    expect(await states()).toEqual(['missing', 'missing', 'missing']);
    const worker = await harness.worker({ runners, providers, namespace });
    const key = { userId: 'ada' };
    const early = await before.start('mailer', 'Before.', { key });
    await early.outcome();
    await eventually('one', async () => (await inboxOf(before, [early.workflowId])).length === 1);
    await worker.stop();

    await addAttributes({ operatorService, namespace }, attributeNames);
    await eventually('all attributes', async () => (await states()).every(isRegistered));
    await harness.worker({ runners, providers, namespace });
    const after = await connect(options);
    const late = await after.start('mailer', 'After.', { key });
    await late.outcome();
    expect(await statusOf(after, late.workflowId)).toBe('needs-input');
    expect(await statusOf(after, early.workflowId)).toBeUndefined();
    const both = [early.workflowId, late.workflowId];
    for (const longhaul of [before, after]) {
      await eventually('both', async () => (await inboxOf(longhaul, both)).length === 2);
      const found = await inboxOf(longhaul, both, { agent: 'mailer', key });
      expect(found.map(({ workflowId }) => workflowId)).toEqual(both);
      expect(await inboxOf(longhaul, both, { limit: 1 })).toEqual(found.slice(0, 1));
      expect(await inboxOf(longhaul, both, { key: { userId: 'bob' } })).toEqual([]);
    }
    await Promise.all([before.close(), after.close()]);
  });
});

const isRegistered = (status: string): boolean => status === 'registered';

async function isServed({ client }: Longhaul): Promise<boolean> {
  return await client.workflow.count().then(
    () => true,
    () => false,
  );
}

/** What the index on the server has. */
async function statusOf({ client }: Longhaul, workflowId: string): Promise<unknown> {
  const { typedSearchAttributes } = await client.workflow.getHandle(workflowId).describe();
  return typedSearchAttributes.get(defineSearchAttributeKey(searchAttributes.status, 'KEYWORD'));
}
