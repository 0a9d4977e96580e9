// A run that outlives its worker, with one worker after the other.

import { SqliteStores } from '../../src/stores';
import type { ScriptedStep } from '../../src/testing/scripted-model';
import { aTool, callOf, TestAgents, resultOf } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness, type RunningWorker } from './harness';

const key = { appName: 'shop', userId: 'ada', sessionId: 'one' };

describe('a run whose worker is replaced', () => {
  let harness: Harness;
  let worker: RunningWorker;
  const stores = SqliteStores.inMemory();
  const attempts: string[] = [];
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(async () => {
    await harness.close();
    await stores.close();
  });

  /** A worker that defines the agent anew, as another process would, with what its model is yet to say. */
  async function startWorker(steps: readonly ScriptedStep[]) {
    const agents = new TestAgents();
    const charge = aTool(
      'charge',
      async (_args, { idempotencyKey, session, signal }) => {
        attempts.push(idempotencyKey);
        const stopped = new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        );
        if (attempts.length === 1) await stopped;
        session['charged'] = true;
        return 'charged';
      },
      { session: ['charged'], retry: { initialInterval: '100ms' } },
    );
    const { model } = agents.agent('helper', steps, { tools: [charge], askUser: 'tool' });
    const { runners, providers } = agents;
    const workerOptions = { shutdownGraceTime: 0 };
    worker = await harness.worker({ runners, providers, stores, workerOptions });
    return model;
  }

  it('a run outlives its worker: nothing is asked twice, and the session is saved with its end', async () => {
    await startWorker([callOf('charge')]);
    const run = await harness.longhaul.start('helper', 'Charge it.', { key });
    await eventually('the call', () => attempts.length === 1);
    await worker.stop();
    expect(await stores.session.exists(key)).toBe(false);
    const model = await startWorker(['Charged.']);
    const session = { charged: true };
    expect(await run.result()).toEqual(resultOf('Charged.', { iterations: 1, calls: 2, session }));
    expect(model.requests.map(({ messages }) => linesOf(messages))).toEqual([
      ['Charge it.', '→ charge {}', '← charge charged'],
    ]);
    expect(attempts).toEqual([attempts[0], attempts[0]]);
    expect(await stores.session.load(key)).toEqual(session);
    await worker.stop();
  });

  it('any process answers a run by its id, and only what that run has asked', async () => {
    await startWorker([callOf('ask_user', { question: 'Which colour?' })]);
    const { workflowId } = await harness.longhaul.start('helper', 'Paint it.');
    await harness.longhaul.run(workflowId).outcome();
    await worker.stop();

    await startWorker(['Blue it is.']);
    const elsewhere = await harness.connect();
    try {
      const run = elsewhere.run(workflowId);
      expect(await run.pending()).toEqual([
        {
          inputId: 'q1.0',
          kind: 'question',
          question: 'Which colour?',
          call: expect.objectContaining({ name: 'ask_user' }) as object,
          agentId: 'helper',
          path: 'helper',
          since: expect.any(String) as string,
          nonce: expect.stringMatching(/^[0-9a-f]{20}$/) as string,
        },
      ]);
      await expect(run.resume('red', { inputId: 'q9.0' })).rejects.toMatchObject({
        code: 'NotWaiting',
      });
      await expect(elsewhere.run('another').resume('red')).rejects.toMatchObject({
        code: 'RunNotFound',
      });
      await run.resume('blue', { inputId: 'q1.0' });
      expect(await run.result()).toEqual(resultOf('Blue it is.', { calls: 2 }));
    } finally {
      await elsewhere.close();
    }
  });
});
