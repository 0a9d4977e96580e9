// Cancellation on the dev server: by client, by signal, by the server; the provider call is aborted and the run ends as Canceled.

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { defineAgent, defineTool } from '../../src';
import type { RunHandle } from '../../src/client';
import type { ModelProvider } from '../../src/worker';
import { scriptedModel } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

/** A provider that never answers and notes when its call is aborted. `hinted`: before the answer to a heartbeat said so. */
function hangingModel(): ModelProvider & { calls: number; aborted: number; hinted: number } {
  const model = {
    name: 'scripted',
    calls: 0,
    aborted: 0,
    hinted: 0,
    call: async (_request: unknown, { signal }: { signal: AbortSignal }): Promise<never> => {
      model.calls += 1;
      const { cancellationSignal } = Context.current();
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          model.aborted += 1;
          if (!cancellationSignal.aborted) model.hinted += 1;
          reject(signal.reason as Error);
        });
      });
    },
  };
  return model;
}

/** Tries again until a hint came first: on a busy machine, the answer to a heartbeat may. `attempt` tells whether one did. */
const untilHinted = (attempt: () => Promise<boolean>): Promise<void> =>
  eventually('a hint before the answer to a heartbeat', attempt);

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

  it.each(ways)('ends the run as Canceled and aborts the model call $name', ({ cancel, reason }) =>
    untilHinted(async () => {
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
      return model.hinted === 1;
    }),
  );

  it('aborts the call that a message cuts, which history has as cancelled', () =>
    untilHinted(async () => {
      const { run, model } = await startHanging();
      await run.send('Wait.', { when: 'now' });
      await eventually('the next model call', () => model.calls === 2);
      await eventually('the abort of the first', () => model.aborted === 1);
      const isHinted = model.hinted === 1;
      await eventually('its end in history', async () => {
        const events = await fetchHistory(harness.longhaul, run.workflowId);
        return events.some((event) => event.activityTaskCanceledEventAttributes);
      });
      await run.cancel();
      await eventually('the abort of the second', () => model.aborted === 2);
      return isHinted;
    }));

  it("aborts the call of a thread's turn that is stopped twice, and the thread goes on", async () => {
    const model = hangingModel();
    const agent = defineAgent({ id: 'talking', model: 'scripted/one' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const thread = harness.longhaul.thread({
      agent: agent.id,
      userId: 'ann',
      sessionId: randomUUID(),
    });
    for (const count of [1, 2]) {
      const turn = await thread.send('Go.');
      await eventually('the model call', () => model.calls === count);
      await Promise.all([turn.cancel(), turn.cancel()]);
      await eventually('its abort', () => model.aborted === count);
      await expect(turn.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    }
    await untilHinted(async () => {
      const before = { ...model };
      const turn = await thread.send('Go.');
      await eventually('the model call', () => model.calls > before.calls);
      await turn.cancel();
      await eventually('its abort', () => model.aborted > before.aborted);
      return model.hinted > before.hinted;
    });
  });

  it('aborts a running tool through its signal, at a hint', async () => {
    let started = 0;
    let aborted = 0;
    let hinted = 0;
    const slow = defineTool({
      name: 'slow',
      description: 'x',
      inputSchema: { type: 'object', properties: {} },
      execute: async (_args, { signal }) => {
        started += 1;
        const { cancellationSignal } = Context.current();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted += 1;
        if (!cancellationSignal.aborted) hinted += 1;
      },
    });
    const agent = defineAgent({ id: 'slow', model: 'scripted/one', tools: [slow] });
    await untilHinted(async () => {
      const [count, ended] = [started, aborted];
      const model = scriptedModel([{ toolCalls: [{ name: 'slow', args: {} }] }]);
      await harness.deploy({ runners: [agent], providers: { scripted: model } });
      const run = await harness.longhaul.start(agent.id, 'Go.');
      await eventually('the tool', () => started > count);
      await run.cancel();
      await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
      await eventually('the abort of the tool', () => aborted > ended);
      return hinted > 0;
    });
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
