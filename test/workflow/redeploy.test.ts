// Runs through a redeploy, on servers real and time-skipping: what they pinned, code that is gone, workers of two versions at once.

import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { defineAgent, defineTool, loadSpec, type Tool } from '../../src';
import { runsByDefinition, type PinnedRun } from '../../src/cli/commands/spec-diff';
import type { Definitions } from '../../src/define/diff';
import { createRegistry } from '../../src/define/registry';
import { createTestEnvironment, scriptedModel } from '../../src/testing';
import type { RunHandle } from '../../src/client';
import { createWorker, type CreateWorkerOptions, type ModelRequest } from '../../src/worker';
import { describeWithTimeSkipping, timeSkippingServerPath, workflowsInThread } from '../servers';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { quietRuntime } from './quiet';

const askFirst = { toolCalls: [{ name: 'ask_user', args: { question: 'Go on?' } }] };
const callOwnTool = ({ tools }: Pick<ModelRequest, 'tools'>) => ({
  toolCalls: [{ name: tools.find(({ name }) => name !== 'ask_user')?.name ?? '', args: {} }],
});
const aTool = (name: string): Tool =>
  defineTool({
    name,
    description: name,
    inputSchema: { type: 'object', properties: {} },
    execute: () => `${name} ran`,
  });

describe('a redeploy', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  it('leaves a run that waits with its prompt and schemas, and gives new runs the new ones', async () => {
    const id = `helper-${randomUUID().slice(0, 8)}`;
    const spec = (word: string): string =>
      `agents: [{ id: ${id}, model: scripted/one, instructions: ${word}, askUser: tool, output: { schema: { type: object, properties: { ${word}: { type: string } }, required: [${word}] } } }]`;
    const definitions = (word: string): Definitions => {
      const runners = loadSpec({ text: spec(word) }).all;
      return new Map([[id, createRegistry({ runners }).definition(id)]]);
    };
    const model = scriptedModel([askFirst, '{"before": "done"}', askFirst]);
    const providers = { scripted: model };
    const first = await harness.worker({ specs: { text: spec('before') }, providers });
    const waiting = await harness.longhaul.start(id, 'Go.');
    expect(await waiting.outcome()).toMatchObject({ kind: 'needs-input' });
    await first.stop();

    await harness.worker({ specs: { text: spec('after') }, providers });
    await waiting.resume('yes');
    expect(await waiting.result()).toMatchObject({
      finalResponse: { structured: { before: 'done' } },
    });
    const fresh = await harness.longhaul.start(id, 'Go.');
    await fresh.outcome();
    const told = model.requests.map(({ instructions, output }) => [
      instructions,
      Object.keys(output?.schema.properties ?? {}),
    ]);
    expect(told).toEqual([
      ['before', ['before']],
      ['before', ['before']],
      ['after', ['after']],
    ]);

    let pinned: readonly PinnedRun[] = [];
    await eventually('the new run to be listed', async () => {
      const sides = { before: definitions('before'), after: definitions('after') };
      pinned = await runsByDefinition(harness.longhaul, [id], sides);
      return pinned.length > 0;
    });
    expect(pinned).toMatchObject([{ workflowId: fresh.workflowId, definition: 'new' }]);
  });

  it('loses no run while workers of two versions share the task queue', async () => {
    const id = randomUUID().slice(0, 8);
    const [older, newer] = [aTool('older'), aTool('newer')];
    const model = scriptedModel([callOwnTool, 'Done.'], { per: 'conversation' });
    const providers = { scripted: model };
    const agent = (name: string, tool: Tool) =>
      defineAgent({ id: `${name}-${id}`, model: 'scripted/one', tools: [tool] });
    await harness.worker({ runners: [agent('steady', older)], providers });
    await harness.worker({ runners: [agent('fresh', newer)], providers });
    const names = ['steady', 'fresh', 'fresh'];
    const results = names.map(async (name, index) => {
      const run = await harness.longhaul.start(`${name}-${id}`, `run ${index}`);
      await run.result();
      return await toolResults(run);
    });
    const [ofSteady, ofFresh] = [['older ran'], ['newer ran']];
    expect(await Promise.all(results)).toEqual(
      names.map((name) => (name === 'steady' ? ofSteady : ofFresh)),
    );
  });
});

describeWithTimeSkipping('a redeploy, in skipped time', () => {
  it('tells the model of a tool whose code is gone', async () => {
    const agent = defineAgent({
      ...{ id: 'helper', model: 'scripted/one', askUser: 'tool' },
      tools: [aTool('older')],
    });
    const model = scriptedModel([callOwnTool, askFirst, callOwnTool, 'Done.']);
    const shared = {
      providers: { scripted: model },
      taskQueue: randomUUID(),
      // With a cache, the server would wait for the worker that is gone, in time that does not pass.
      workerOptions: {
        ...workflowsInThread(),
        maxCachedWorkflows: 0,
      },
    };
    quietRuntime();
    const test = await createTestEnvironment({
      ...shared,
      runners: [agent],
      serverPath: timeSkippingServerPath(),
    });
    const run = await test.client.start('helper', 'Go.');
    expect(await test.outcome(run)).toMatchObject({ kind: 'needs-input' });
    test.worker.shutdown();
    await eventually('the worker to end', () => test.worker.getState() === 'STOPPED');
    const fresh = await startWorker(test.env.address, shared);
    try {
      await run.resume('yes');
      await test.skip('2 minutes');
      expect(await run.outcome()).toMatchObject({ kind: 'complete' });
      expect(await toolResults(run)).toEqual([
        'older ran',
        'yes',
        "error: The tool 'older' is not available any more: no worker has its code.",
      ]);
    } finally {
      await fresh.stop();
      await test.close();
    }
  });
});

/** What the model was told of its calls. */
async function toolResults(run: RunHandle): Promise<readonly string[]> {
  const parts = (await run.transcript()).flatMap((message) =>
    message.role === 'tool' ? message.parts : [],
  );
  return parts.map(({ isError, content }) => {
    const text = content.map((part) => ('text' in part ? part.text : part.type)).join(' ');
    return isError ? `error: ${text}` : text;
  });
}

/** On a connection of its own: two workers on one task queue may not share one. */
async function startWorker(
  address: string,
  options: CreateWorkerOptions,
): Promise<{ stop(): Promise<void> }> {
  const connection = await NativeConnection.connect({ address });
  const workerOptions = { shutdownGraceTime: 0, ...options.workerOptions };
  const worker = await createWorker({ ...options, connection, workerOptions });
  const ended = worker.run();
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    worker.shutdown();
    await ended;
    await connection.close();
  };
  return { stop: () => (stopping ??= stop()) };
}
