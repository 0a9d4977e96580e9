// An answer on the dev server that comes right after its run continued as new, before the run has its log again.

import { randomBytes } from 'node:crypto';
import { defineAgent, defineTool } from '../../src';
import { scriptedModel } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

const held = 'pullLog';

describe('an answer to a run that has just continued as new', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('is taken once the run has its log again', async () => {
    let isPulling = false;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const large = defineTool({
      name: 'large',
      description: 'Gives much that does not deflate',
      inputSchema: { type: 'object' },
      maxResultBytes: 250_000,
      execute: () => randomBytes(187_000).toString('base64'),
    });
    const call = { name: 'large', args: {} };
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
      tools: [large],
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
                  isPulling ||= info.activityType === held;
                  if (info.activityType === held) await released;
                  return await next(input);
                },
              },
            }),
          ],
        },
      },
    });
    const run = await harness.longhaul.start(agent, 'Go.');
    await eventually('the next execution', () => isPulling, 15_000);
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', question: 'Which one?' });
    const resumed = run.resume('Whales');
    await eventually('the answer', async () => {
      const events = await fetchHistory(harness.longhaul, run.runId);
      return events.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
    });
    release();
    await resumed;
    expect((await run.result()).finalResponse.text).toBe('Whales it is.');
    await expect(run.resume('Ants')).rejects.toMatchObject({ code: 'RunClosed' });
  });
});
