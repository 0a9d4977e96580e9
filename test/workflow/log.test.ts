// The log and its cache: what the model is sent is always the run's own transcript, whatever happens to attempts, workers and executions.

import { randomBytes } from 'node:crypto';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { defineAgent, defineTool } from '../../src';
import type { RunHandle } from '../../src/client';
import type { Message } from '../../src/protocol/message';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { searchingModel, type SearchingModel } from './searching-model';

const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks something up',
  inputSchema: { type: 'object', properties: {} },
  execute: () => `found ${randomBytes(6).toString('hex')}`,
});

const agent = defineAgent({
  id: 'searcher',
  model: 'scripted/one',
  tools: [lookUp],
  maxIterations: 200,
});

/** The text of the first user message tells conversations apart. */
function requestsOf(model: SearchingModel, prompt: string): (readonly Message[])[] {
  return model.requests.filter((messages) => JSON.stringify(messages[0]).includes(prompt));
}

/** Each request was the transcript as it stood: a prefix of the final one. */
async function expectPrefixes(
  run: RunHandle,
  requests: readonly (readonly Message[])[],
): Promise<void> {
  const transcript = await run.transcript();
  expect(requests.length).toBeGreaterThan(0);
  for (const messages of requests) expect(messages).toEqual(transcript.slice(0, messages.length));
}

describe('log', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  it('never holds the entry of an attempt whose completion was lost', async () => {
    let modelCalls = 0;
    const loseEveryThird: ActivityInboundCallsInterceptor = {
      execute: async (input, next) => {
        const result = await next(input);
        if ((result as { entry?: { kind?: string } }).entry?.kind !== 'model-turn') return result;
        modelCalls += 1;
        if (modelCalls % 3 === 0) throw new Error('the completion was lost');
        return result;
      },
    };
    const model = searchingModel(8);
    await harness.worker({
      runners: [agent],
      providers: { scripted: model },
      workerOptions: { interceptors: { activity: [() => ({ inbound: loseEveryThird })] } },
    });
    const run = await harness.longhaul.startSpec(agent, 'lost attempts');
    await run.outcome();
    await expectPrefixes(run, model.requests);
    expect(model.requests.length).toBe(11);
  });

  it('is read again after a reset, not taken from the abandoned branch', async () => {
    const model = searchingModel(6);
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'to be reset');
    await run.outcome();
    const abandoned = await run.transcript();
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const completions = events.filter((event) => event.workflowTaskCompletedEventAttributes);
    const { client } = harness.longhaul;
    const seen = model.requests.length;
    await client.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId: run.workflowId },
      reason: 'test',
      workflowTaskFinishEventId: completions[5]?.eventId ?? null,
      requestId: randomBytes(8).toString('hex'),
    });
    await run.outcome();
    const requests = model.requests.slice(seen);
    await expectPrefixes(run, requests);
    const transcript = await run.transcript();
    expect(transcript).not.toEqual(abandoned);
    expect(transcript.slice(0, 3)).toEqual(abandoned.slice(0, 3));
  });

  it('is right with two workers that share the runs of one task queue', async () => {
    const model = searchingModel(12);
    const options = { runners: [agent], providers: { scripted: model } };
    await Promise.all([harness.worker(options), harness.worker(options)]);
    const prompts = Array.from({ length: 8 }, (_, index) => `conversation ${index} of two workers`);
    const runs = await Promise.all(
      prompts.map((prompt) => harness.longhaul.startSpec(agent, prompt)),
    );
    await Promise.all(runs.map((run) => run.outcome()));
    for (const [index, run] of runs.entries())
      await expectPrefixes(run, requestsOf(model, prompts[index] ?? ''));
  });

  it('is right when nothing is kept in memory', async () => {
    const model = searchingModel(12);
    await harness.worker({ runners: [agent], providers: { scripted: model }, logCacheBytes: 1 });
    const run = await harness.longhaul.startSpec(agent, 'nothing in memory');
    await run.outcome();
    await expectPrefixes(run, model.requests);
  });

  it('of an earlier run is not taken for that of a new one with its id', async () => {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const model = searchingModel(5, {
      answer: async () => {
        if (model.requests.length >= 3) await held;
      },
    });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const workflowId = `reused-${randomBytes(6).toString('hex')}`;
    const first = await harness.longhaul.startSpec(agent, 'the first run', { workflowId });
    await eventually('the third model call of the first run', () => model.requests.length >= 3);
    await harness.longhaul.client.workflow.getHandle(first.workflowId).terminate('to reuse the id');
    letGo();
    const second = await harness.longhaul.startSpec(agent, 'the second run', { workflowId });
    await second.outcome();
    await expectPrefixes(second, requestsOf(model, 'the second run'));
  });
});
