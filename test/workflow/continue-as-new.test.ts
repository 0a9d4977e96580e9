// Continue-as-new: a run outgrows its history in the middle, and nobody notices.

import { randomBytes } from 'node:crypto';
import { defineAgent, defineTool, type Message, type Tool } from '../../src';
import type { RunHandle } from '../../src/client';
import { fetchHistories, measureHistory } from '../../src/testing/history';
import { scriptedModel } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

import { continueAsNew, fetchHistory } from './history';
import { searchingModel } from './searching-model';

function lookUpGiving(bytes: number, text: () => string): Tool {
  return defineTool({
    name: 'look_up',
    description: 'Looks something up',
    inputSchema: { type: 'object', properties: {} },
    maxResultBytes: bytes,
    execute: text,
  });
}

describe('continue-as-new', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  /** The last execution: the bytes it was handed over, and how often it asked the one before it for more. */
  async function handedOver(run: RunHandle): Promise<{ bytes: number; pulls: number }> {
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const started = events[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.continuedExecutionRunId).toBeTruthy();
    const scheduled = events.map(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name,
    );
    return {
      bytes: started?.input?.payloads?.[1]?.data?.length ?? 0,
      pulls: scheduled.filter((name) => name === 'pullLog').length,
    };
  }

  /** It is what the model was sent, call by call, and what history alone tells, up to `end`: not what a person answered. */
  async function transcriptOf(
    run: RunHandle,
    requests: readonly (readonly Message[])[],
    end?: number,
  ): Promise<readonly Message[]> {
    const transcript = await run.transcript();
    for (const messages of requests) expect(messages).toEqual(transcript.slice(0, messages.length));
    const told = await harness.longhaul.run(run.workflowId, { withoutWorker: true }).transcript();
    expect(told.slice(0, end)).toEqual(transcript.slice(0, end));
    return transcript;
  }

  it('carries the log inline', async () => {
    const model = searchingModel(13, { calls: 2 });
    const sentence = 'The quick brown fox jumps over the lazy dog. ';
    const agent = defineAgent({
      id: 'long',
      model: 'scripted/one',
      tools: [lookUpGiving(200_000, () => sentence.repeat(4_000))],
      maxIterations: 100,
    });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'Go on and on.', {
      session: { kept: true },
    });
    expect(await run.outcome()).toMatchObject({
      kind: 'complete',
      result: { iterations: 12, session: { kept: true } },
    });
    expect(await transcriptOf(run, model.requests)).toHaveLength(1 + 12 * 2 + 1);
    const { bytes, pulls } = await handedOver(run);
    expect(bytes).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(1_500_000);
    expect(pulls).toBe(0);
  });

  /** A worker that has no log in memory, as one that was just started, and a run of so many turns, each of two pictures. */
  async function withPictures(turns: number): Promise<RunHandle> {
    const model = searchingModel(turns + 1, { calls: 2 });
    const picture = lookUpGiving(262_144, () => randomBytes(142_500).toString('base64'));
    const agent = defineAgent({
      id: 'viewer',
      model: 'scripted/one',
      tools: [picture],
      maxIterations: 1_000,
    });
    await harness.worker({
      runners: [agent],
      providers: { scripted: model },
      logCacheBytes: 1,
    });
    return await harness.longhaul.startSpec(agent, 'Go on and on.');
  }

  it('goes on with a log that does not deflate, step by step, on a worker that lacks it', async () => {
    const run = await withPictures(12);
    expect(await run.result()).toMatchObject({ iterations: 12 });
    const executions = await fetchHistories(harness.longhaul, run.workflowId);
    expect(executions.length).toBeLessThan(6);
    for (const history of executions) {
      expect(measureHistory(history).activities['callModel']).toBeGreaterThan(1);
    }
  });

  it('goes on while it waits for a person, who answers the execution after', async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: 'ask_user', args: { question: 'Which one?' } }] },
      'Whales it is.',
    ]);
    const agent = defineAgent({ id: 'waiter', model: 'scripted/one', askUser: 'tool' });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'Go.');
    const first = await run.outcome();
    await continueAsNew(harness.longhaul, run);
    expect(await run.outcome()).toEqual(first);
    await run.resume('whales');
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'Whales it is.' } });
    expect(await fetchHistories(harness.longhaul, run.workflowId)).toHaveLength(2);
  });

  it('pulls a log that deflates badly from the closed execution, and takes an answer meanwhile', async () => {
    let isPulling = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const call = { name: 'look_up', args: {} };
    const question = { name: 'ask_user', args: { question: 'Which one?' } };
    // Outgrows its history in the very turn that asks.
    const model = scriptedModel([
      ...Array.from({ length: 13 }, () => ({ toolCalls: [call] })),
      { toolCalls: [call, call, call, question] },
      'Whales it is.',
    ]);
    const agent = defineAgent({
      id: 'asker',
      model: 'scripted/one',
      tools: [lookUpGiving(250_000, () => randomBytes(187_000).toString('base64'))],
      askUser: 'tool',
      maxIterations: 20,
    });
    await harness.worker({
      runners: [agent],
      providers: { scripted: model },
      workerOptions: {
        interceptors: {
          activity: [
            ({ info }) => ({
              inbound: {
                execute: async (input, next) => {
                  isPulling ||= info.activityType === 'pullLog';
                  if (info.activityType === 'pullLog') await released;
                  return await next(input);
                },
              },
            }),
          ],
        },
      },
    });
    const run = await harness.longhaul.startSpec(agent, 'Go.');
    await eventually('the next execution', () => isPulling);
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', question: 'Which one?' });
    const resumed = run.resume('Whales');
    await eventually('the answer', async () => {
      const events = await fetchHistory(harness.longhaul, run.workflowId);
      return events.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
    });
    release();
    await resumed;
    expect((await run.result()).finalResponse.text).toBe('Whales it is.');
    const requests = model.requests.map(({ messages }) => messages);
    const transcript = await transcriptOf(run, requests, -2);
    expect(JSON.stringify(transcript.at(-2))).toContain('Whales');
    const { bytes, pulls } = await handedOver(run);
    expect(bytes).toBeLessThanOrEqual(20_000);
    expect(pulls).toBeGreaterThan(0);
  });
});
