// Two applications on one task queue, on the dev server: neither runs the other's code, whichever worker is asked first.

import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { defineTool, subAgent, type Tool } from '../../src';
import { connect, type Longhaul } from '../../src/client';
import { createWorker } from '../../src/worker';
import { createTestEnvironment } from '../../src/testing';
import {
  describeWithTimeSkipping,
  devServerAddress,
  timeSkippingServerPath,
  workflowsInThread,
} from '../servers';
import { quietRuntime } from './quiet';
import { scriptedAgents } from './scripted-agents';

const refundCall = { toolCalls: [{ name: 'refund', args: {} }] };

/** A tool of the same name in both; what it did is told by whose it is. */
const refund = (application: string, ran: string[], effect: 'once' | 'idempotent'): Tool =>
  defineTool({
    name: 'refund',
    description: 'Refunds',
    inputSchema: { type: 'object', properties: {} },
    effect,
    execute: (_args, { context }) => {
      ran.push(`${context['of'] as string} by ${application}`);
      return application;
    },
  });

describe('two applications on one task queue', () => {
  const taskQueue = `test-${randomUUID()}`;
  const address = devServerAddress();
  const ran: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const clients: Record<string, Longhaul> = {};

  async function open(application: string, effect: 'once' | 'idempotent'): Promise<void> {
    quietRuntime();
    const { agent, provider } = scriptedAgents();
    const helper = agent('helper', [refundCall, `Refunded by ${application}.`], {
      tools: [refund(application, ran, effect)],
    });
    const boss = agent(
      'boss',
      [{ toolCalls: [{ name: 'ask', args: { input: 'Go' } }] }, `Done by ${application}.`],
      { tools: [subAgent(helper, { name: 'ask', description: 'Asks' })] },
    );
    const connection = await NativeConnection.connect({ address });
    const worker = await createWorker({
      connection,
      taskQueue,
      application,
      runners: [boss, helper],
      providers: { scripted: provider },
      workerOptions: {
        ...workflowsInThread(),
        shutdownGraceTime: '1s',
      },
    });
    const ended = worker.run();
    const client = await connect({ address, taskQueue, application });
    clients[application] = client;
    stops.push(async () => {
      worker.shutdown();
      await ended;
      await connection.close();
      await client.close();
    });
  }

  beforeAll(async () => {
    await open('shop', 'once');
    await open('bank', 'idempotent');
  });
  afterAll(() => Promise.all(stops.map((stop) => stop())));

  it('every call of the runs of each is made by its own workers', async () => {
    const applications = ['shop', 'shop', 'shop', 'bank', 'bank', 'bank'];
    const texts = applications.map(async (application) => {
      const longhaul = clients[application] as Longhaul;
      const run = await longhaul.start('boss', 'Go', { context: { of: application } });
      return (await run.result()).finalResponse.text;
    });
    expect(await Promise.all(texts)).toEqual(applications.map((name) => `Done by ${name}.`));
    expect(ran.sort()).toEqual(applications.map((name) => `${name} by ${name}`).sort());
  });

  it('conversations of one name are two', async () => {
    const told = await Promise.all(
      Object.entries(clients).map(async ([application, longhaul]) => {
        const thread = longhaul.thread({ agent: 'helper', sessionId: taskQueue });
        const turn = await thread.send('Go');
        const { finalResponse } = await turn.result();
        return { application, id: thread.threadId, text: finalResponse.text };
      }),
    );
    expect(told).toEqual(
      ['shop', 'bank'].map((application) => ({
        application,
        id: `thread:${application}/default/${taskQueue}`,
        text: `Refunded by ${application}.`,
      })),
    );
  });
});

describeWithTimeSkipping('a run of an application that no worker has', () => {
  it('says so after a minute', async () => {
    const { agent, provider } = scriptedAgents();
    const test = await createTestEnvironment({
      application: 'shop',
      runners: [agent('helper', ['Hi.'])],
      providers: { scripted: provider },
      serverPath: timeSkippingServerPath(),
      workerOptions: workflowsInThread(),
    });
    const { connection } = test.client.client;
    const stranger = await connect({ connection, application: 'nobody' });
    const run = await stranger.start('helper', 'Go');
    await expect(test.outcome(run)).rejects.toMatchObject({
      code: 'NotRegisteredHere',
      message: expect.stringContaining("the call is for 'nobody'") as string,
    });
    await test.close();
  });
});
