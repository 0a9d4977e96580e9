// States that another version of Longhaul wrote, and messages of its activities, on the dev server. The next version is made of this one.

import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { isJsonObject } from '../../src/base/json';
import { defineAgent, sequential } from '../../src';
import { scriptedModel } from '../../src/testing';
import type { CreateWorkerOptions } from '../../src/worker';
import { runInProcess } from '../e2e/in-process-cli';
import { everything, runEverything, shortOutcomes } from '../encryption/everything';
import { devServerAddress } from '../servers';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';
import { nextVersion } from './next-version';

describe('a state of another version', () => {
  const agent = defineAgent({ id: 'patient', model: 'scripted/one', askUser: 'tool' });
  const script = [askUser('Which one?'), 'That one.'];
  let harness: Harness;
  beforeEach(async () => {
    process.env['TEMPORAL_ADDRESS'] = devServerAddress();
    harness = await openHarness(undefined, 'versions');
  });
  afterEach(() => harness.close());

  function options(): CreateWorkerOptions {
    return { runners: [agent], providers: { scripted: scriptedModel(script) } };
  }

  async function untilItWaits(workflowId: string): Promise<void> {
    await eventually('a failed workflow task', async () => {
      const { waitsFor } = await harness.longhaul.run(workflowId, { withoutWorker: true }).state();
      return waitsFor?.kind === 'deploy' && waitsFor.cause === 'newer-version';
    });
  }

  it('is read by the next version, and waits for it while only this one runs', async () => {
    const workerOptions = nextVersion();
    const warned: unknown[] = [];
    const warn = (...line: unknown[]): unknown => warned.push(line);
    const logger = { debug: () => 0, info: () => 0, warn, error: () => 0 };
    const given = { ...options(), logger };
    const ours = await harness.worker(given);
    const run = await harness.longhaul.start('patient', 'Go.');
    await run.outcome();
    await continueAsNew(harness.longhaul, run);
    await ours.stop();

    const next = await harness.worker({ ...given, workerOptions });
    expect(await run.state()).toMatchObject({ status: 'needs-input' });
    await continueAsNew(harness.longhaul, run);
    await next.stop();

    const oursAgain = await harness.worker(given);
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await handle.signal('resume', { answer: 'this one' });
    await untilItWaits(run.workflowId);
    expect((await run.why()).todo).toContain('Start workers of that version');
    const said =
      "A run's carried state has format 2; this version reads format 1. A newer version of Longhaul wrote it: start workers of that version.";
    expect(warned).toEqual([[said, { workflowId: run.workflowId }]]);
    expect((await runInProcess('show', run.workflowId)).stderr).toContain(said);
    await eventually('a line of doctor', async () => {
      const { stdout } = await runInProcess('doctor');
      const line = stdout.split('\n').find((text) => text.includes(run.workflowId));
      return line?.includes(said) === true;
    });
    await oursAgain.stop();

    await harness.worker({ ...given, workerOptions });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'That one.' } });
  });

  it('waits with the conversation of a thread', async () => {
    const talker = defineAgent({ id: 'talker', model: 'scripted/one' });
    const count = ({ messages }: { readonly messages: readonly unknown[] }): string =>
      `${messages.length}`;
    const model = scriptedModel([count, count, count]);
    const given = { runners: [talker], providers: { scripted: model } };
    const workerOptions = nextVersion(['thread']);
    const next = await harness.worker({ ...given, workerOptions });
    const thread = harness.longhaul.thread({ agent: talker, sessionId: harness.taskQueue });
    await (await thread.send('one')).result();
    await outgrow(thread.threadId, async () => void (await (await thread.send('two')).result()));
    await next.stop();

    const ours = await harness.worker(given);
    const sent = thread.send('three');
    await untilItWaits(thread.threadId);
    await ours.stop();

    await harness.worker({ ...given, workerOptions });
    expect(await (await sent).result()).toMatchObject({ finalResponse: { text: '5' } });
  });

  it('waits with the plan of an orchestration', async () => {
    const second = defineAgent({ id: 'second', model: 'scripted/one', askUser: 'tool' });
    const plan = sequential({ id: 'plan', steps: [agent, second] });
    const given = {
      runners: [plan],
      providers: { scripted: scriptedModel([...script, ...script]) },
    };
    const workerOptions = nextVersion(['plan']);
    const next = await harness.worker({ ...given, workerOptions });
    const run = await harness.longhaul.start('plan', 'Go.');
    await run.outcome();
    await outgrow(run.workflowId, () => run.resume('this one'));
    await run.outcome();
    await next.stop();

    const ours = await harness.worker(given);
    await harness.longhaul.client.workflow.getHandle(run.workflowId).signal('resume', {
      answer: 'the other',
    });
    await untilItWaits(run.workflowId);
    await ours.stop();

    await harness.worker({ ...given, workerOptions });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'That one.' } });
  });

  /** Threads and orchestrations go on as new between their runs: `end` ends one. */
  async function outgrow(workflowId: string, end: () => Promise<void>): Promise<void> {
    const handle = harness.longhaul.client.workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    for (let sent = 0; sent < 4; sent += 1)
      await handle.signal('resume', { answer: 'x'.repeat(1_000_000) });
    await end();
    await eventually('the next execution', async () => (await handle.describe()).runId !== runId);
  }
});

describe('activities of another version', () => {
  it.each<[string, Omit<ActivityInboundCallsInterceptor, never>]>([
    [
      'get members that they do not know',
      { execute: (input, next) => next({ ...input, args: input.args.map(grown) }) },
    ],
    [
      'answer with members that their run does not know',
      { execute: async (input, next) => grown(await next(input)) },
    ],
  ])('%s, and all runs end as they should', async (_, inbound) => {
    const harness = await openHarness(undefined, 'versions');
    const { options, close } = everything('word');
    const interceptors = { activity: [() => ({ inbound })] };
    await harness.worker({ ...options, workerOptions: { interceptors } });
    const outcomes = await runEverything(harness.longhaul, 'word', { skipsLong: true });
    await harness.close();
    await Promise.resolve(close());
    expect(outcomes).toEqual(shortOutcomes);
  });

  function grown(value: unknown): unknown {
    if (!isJsonObject(value)) return value;
    const parts = ['definition', 'log', 'entry', 'event'].filter((name) =>
      isJsonObject(value[name]),
    );
    return {
      ...value,
      ...Object.fromEntries(parts.map((name) => [name, grown(value[name])])),
      ofTomorrow: { known: false },
    };
  }
});
