// What a run pins when it starts, on servers real and time-skipping: redeploys, missing code, unknown runners, bugs of our own.

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { defineAgent, defineTool } from '../../src';
import { createTestEnvironment, scriptedModel } from '../../src/testing';
import type { ScriptedStep } from '../../src/testing/scripted-model';
import { describeWithTimeSkipping, timeSkippingServerPath, workflowsInThread } from '../servers';
import { openHarness, type Harness } from './harness';

const noArguments = { type: 'object', properties: {} } as const;
const probe = defineTool({
  name: 'probe',
  description: 'Probes',
  inputSchema: noArguments,
  execute: () => 'probed',
});

const script: readonly ScriptedStep[] = [
  { toolCalls: [{ name: 'ask_user', args: { question: 'Go on?' } }] },
  { toolCalls: [{ name: 'probe', args: {} }] },
  'Done.',
];

describe('definition', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  it('stays as it was when the agent is redeployed while a run waits', async () => {
    const old = defineAgent({
      id: 'evolving',
      model: 'scripted/one',
      instructions: 'OLD',
      tools: [probe],
      askUser: 'tool',
    });
    const model = scriptedModel(script);
    const providers = { scripted: model };
    const first = await harness.worker({ runners: [old], providers });
    const run = await harness.longhaul.start('evolving', 'Go.');
    await run.outcome();
    await first.stop();
    const changed = defineTool({
      name: 'probe',
      description: 'CHANGED',
      inputSchema: { type: 'object', properties: { depth: { type: 'number' } } },
      execute: () => 'probed anew',
    });
    const fresh = defineAgent({
      id: 'evolving',
      model: 'scripted/two',
      instructions: 'NEW',
      tools: [changed],
    });
    await harness.worker({ runners: [fresh], providers });
    await run.resume('yes');
    await run.result();
    const requests = model.requests.map(({ instructions, model: name, tools }) => ({
      instructions,
      name,
      probe: tools.find((tool) => tool.name === 'probe')?.description,
    }));
    expect(requests).toEqual(Array(3).fill({ instructions: 'OLD', name: 'one', probe: 'Probes' }));
    expect(JSON.stringify(await run.transcript())).toContain('probed anew');
  });

  it('travels with a run that is started by its spec, to a worker that knows only the tool', async () => {
    const agent = defineAgent({ id: 'made-at-run-time', model: 'scripted/one', tools: [probe] });
    const model = scriptedModel([{ toolCalls: [{ name: 'probe', args: {} }] }, 'Done.']);
    await harness.worker({ tools: [probe], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'Go.');
    expect(await run.outcome()).toMatchObject({ kind: 'complete', result: { iterations: 1 } });
  });

  it('of an agent that all workers refuse ends the search, with the nearest name', async () => {
    const asked = [0, 0];
    const counted = (index: number): ActivityInboundCallsInterceptor => ({
      execute: async (input, next) => {
        asked[index] = (asked[index] ?? 0) + 1;
        return await next(input);
      },
    });
    for (const index of asked.keys())
      await harness.worker({
        runners: [defineAgent({ id: 'somebody', model: 'scripted/one', memory: { kind: 'full' } })],
        providers: { scripted: scriptedModel([]) },
        workerOptions: { interceptors: { activity: [() => ({ inbound: counted(index) })] } },
      });
    const error = {
      code: 'AgentNotFound',
      message: expect.stringContaining("'somebody'") as string,
    };
    const spec = { kind: 'agent', id: 'x', model: { provider: 'scriptd', model: 'one' } } as const;
    const { longhaul } = harness;
    const [run, sent, turn] = await Promise.all([
      longhaul.start('sombody', 'Go.'),
      longhaul.startSpec(spec, 'Go.'),
      longhaul.thread({ agent: 'sombody', sessionId: randomUUID() }).send('Go.').catch(String),
    ]);
    await Promise.all([
      expect(run.result()).rejects.toMatchObject(error),
      expect(sent.result()).rejects.toMatchObject({
        code: 'NotRegisteredHere',
        message: expect.stringContaining("'scripted'") as string,
      }),
    ]);
    expect(turn).toContain("'somebody'");
    expect(asked.every((count) => count > 0)).toBe(true);
  });

  it('is found on the one worker that has it', async () => {
    const agent = (id: string) => defineAgent({ id, model: 'scripted/one' });
    for (const id of ['first', 'second', 'third'])
      await harness.worker({
        runners: [agent(id)],
        providers: { scripted: scriptedModel(['Here.', 'Here.', 'Here.']) },
      });
    const runs = ['first', 'second', 'third'].map(async (id) => {
      const run = await harness.longhaul.start(id, 'Go.');
      return (await run.result()).finalResponse.text;
    });
    expect(await Promise.all(runs)).toEqual(Array(3).fill('Here.'));
  });

  it('fails a run of ours with InternalError instead of wedging it', async () => {
    const broken = { name: 'scripted', call: () => Promise.resolve(null as never) };
    const agent = defineAgent({ id: 'broken', model: 'scripted/one' });
    await harness.worker({
      runners: [agent],
      providers: { scripted: broken },
      workerOptions: {
        interceptors: {
          activity: [() => ({ inbound: breakModelTurns })],
        },
      },
    });
    const run = await harness.longhaul.startSpec(agent, 'Go.');
    await expect(run.result()).rejects.toMatchObject({ code: 'InternalError' });
    expect(await run.state()).toMatchObject({ status: 'failed' });
  });
});

/** What no activity of ours returns: the workflow trips over it, as it would over a bug. */
const breakModelTurns: ActivityInboundCallsInterceptor = {
  execute: async (input, next) =>
    Context.current().info.activityType === 'callModel' ? { entry: null } : await next(input),
};

describeWithTimeSkipping('definition, in skipped time', () => {
  it.each([
    { name: 'an agent', runner: 'nobody', code: 'AgentNotFound', message: /somebody/ },
    {
      name: 'a tool',
      runner: {
        kind: 'agent' as const,
        id: 'x',
        model: { provider: 'scripted', model: 'one' },
        tools: ['prob'],
      },
      code: 'NotRegisteredHere',
      message: /'?prob'?/,
    },
    {
      name: 'callbacks',
      runner: {
        kind: 'agent' as const,
        id: 'x',
        model: { provider: 'scripted', model: 'one' },
        callbacks: ['audti'],
      },
      code: 'NotRegisteredHere',
      message: /'?audti'?/,
    },
    {
      name: 'a model provider',
      runner: { kind: 'agent' as const, id: 'x', model: { provider: 'nobody', model: 'one' } },
      code: 'NotRegisteredHere',
      message: /nobody/,
    },
  ])(
    'names $name that no worker knows, after looking for it',
    async ({ runner, code, message }) => {
      const agent = defineAgent({ id: 'somebody', model: 'scripted/one', tools: [probe] });
      const test = await createTestEnvironment({
        runners: [agent],
        providers: { scripted: scriptedModel([]) },
        taskQueue: randomUUID(),
        serverPath: timeSkippingServerPath(),
        workerOptions: workflowsInThread(),
      });
      try {
        const run = await (typeof runner === 'string'
          ? test.client.start(runner, 'Go.')
          : test.client.startSpec(runner, 'Go.'));
        const error: unknown = await test.outcome(run).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code });
        expect((error as Error).message).toMatch(message);
      } finally {
        await test.close();
      }
    },
  );
});
