// Cancellation on the dev server: by client, by signal, by the server; the provider call is aborted and the run ends as Canceled.

import { defineAgent, defineTool } from '../../src';
import type { RunHandle } from '../../src/client';
import type { ModelProvider } from '../../src/worker';
import { scriptedModel } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

/** A provider that never answers and notes when its call is aborted. */
function hangingModel(): ModelProvider & { calls: number; aborted: number } {
  const model = {
    name: 'scripted',
    calls: 0,
    aborted: 0,
    call: async (_request: unknown, { signal }: { signal: AbortSignal }): Promise<never> => {
      model.calls += 1;
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          model.aborted += 1;
          reject(signal.reason as Error);
        });
      });
    },
  };
  return model;
}

describe('cancel', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function startHanging(): Promise<{
    run: RunHandle;
    model: ReturnType<typeof hangingModel>;
  }> {
    const model = hangingModel();
    const agent = defineAgent({ id: 'hanging', model: 'scripted/one' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.start(agent.id, 'Go.');
    await eventually('the model call', () => model.calls === 1);
    return { run, model };
  }

  const ways: readonly {
    name: string;
    cancel: (run: RunHandle) => Promise<unknown>;
    reason: string | undefined;
  }[] = [
    {
      name: 'by the client',
      cancel: (run) => run.cancel('changed my mind'),
      reason: 'changed my mind',
    },
    {
      name: 'by signal',
      cancel: (run) =>
        harness.longhaul.client.workflow
          .getHandle(run.workflowId)
          .signal('cancelRun', { reason: 'by signal' }),
      reason: 'by signal',
    },
    {
      name: 'by the server',
      cancel: (run) => harness.longhaul.client.workflow.getHandle(run.workflowId).cancel(),
      reason: undefined,
    },
  ];

  it.each(ways)(
    'ends the run as Canceled and aborts the model call $name',
    async ({ cancel, reason }) => {
      const { run, model } = await startHanging();
      await cancel(run);
      await expect(run.outcome()).rejects.toMatchObject({
        code: 'RunCancelled',
        ...(reason && { message: reason }),
      });
      await eventually('the abort of the model call', () => model.aborted === 1);
      const description = await harness.longhaul.client.workflow
        .getHandle(run.workflowId)
        .describe();
      expect(description.status.name).toBe('CANCELLED');
      expect(description.memo).toMatchObject({
        longhaul: { status: 'cancelled', ...(reason && { reason }) },
      });
      expect(await run.state()).toMatchObject({ status: 'cancelled' });
    },
  );

  it('aborts a running tool through its signal', async () => {
    let aborted = false;
    let started = false;
    const slow = defineTool({
      name: 'slow',
      description: 'x',
      inputSchema: { type: 'object', properties: {} },
      execute: async (_args, { signal }) => {
        started = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted = true;
      },
    });
    const agent = defineAgent({ id: 'slow', model: 'scripted/one', tools: [slow] });
    const model = scriptedModel([{ toolCalls: [{ name: 'slow', args: {} }] }]);
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.start(agent.id, 'Go.');
    await eventually('the tool', () => started);
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    await eventually('the abort of the tool', () => aborted);
  });

  it('cancels a waiting run, twice without harm, and a finished one not at all', async () => {
    const agent = defineAgent({ id: 'waiting', model: 'scripted/one', askUser: 'marker' });
    const model = scriptedModel(['__ask_user__: Which?', 'Done.'], { per: 'conversation' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const waiting = await harness.longhaul.start(agent.id, 'First.');
    await waiting.outcome();
    await waiting.cancel();
    await expect(waiting.outcome()).rejects.toMatchObject({ code: 'RunCancelled' });
    await waiting.cancel();
    const finished = await harness.longhaul.start(agent.id, 'Second.');
    await finished.outcome();
    await finished.resume('a');
    await finished.result();
    await finished.cancel();
    expect(await finished.outcome()).toMatchObject({ kind: 'complete' });
    await expect(harness.longhaul.run('no-such-run').cancel()).rejects.toMatchObject({
      code: 'RunNotFound',
    });
  });
});
