// What cuts a model call while inline calls of its turn may act: what ran is in the log, and the log fits any provider.

import { CompleteAsyncError, Context } from '@temporalio/activity';
import { defineAgent, type Agent, type ToolContext } from '../../src';
import type { JsonObject } from '../../src/base/json';
import type { CallModelInput } from '../../src/protocol/activities';
import type { RunHandle } from '../../src/client';
import type { ModelProvider } from '../../src/worker';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { measureHistory } from '../../src/testing/history';
import { aTool } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

const book = (city: string) => ({ name: 'book', args: { city }, callId: city });

describe('a model call whose inline calls act', () => {
  let harness: Harness;
  /** What the service outside has booked, and how each booking goes on. */
  let booked: string[] = [];
  const keys = new Set<string>();
  let outside: (city: string, signal: AbortSignal) => Promise<string>;
  beforeAll(async () => {
    harness = await openHarness();
  });
  beforeEach(() => {
    booked = [];
    keys.clear();
  });
  afterAll(() => harness.close());

  function anAgent(id: string): Agent {
    const execute = async (args: JsonObject, { signal, idempotencyKey }: ToolContext) => {
      const city = args['city'] as string;
      booked.push(city);
      keys.add(idempotencyKey);
      return await outside(city, signal);
    };
    const tools = [aTool('book', execute, { inline: true })];
    return defineAgent({ id, model: 'scripted/one', tools, inlineTimeout: 60_000 });
  }

  async function start(steps: readonly ScriptedStep[]) {
    const model = scriptedModel(steps);
    await harness.deploy({ runners: [anAgent('clerk')], providers: { scripted: model } });
    return { model, run: await harness.longhaul.start('clerk', 'Book a room.') };
  }

  const sizeOf = async ({ workflowId }: RunHandle) =>
    measureHistory({ events: await fetchHistory(harness.longhaul, workflowId) });

  const until = (city: string) => eventually(city, () => booked.includes(city));

  it('stands when a message cuts it: log, transcript and next prompt have what ran', async () => {
    const confirmed = gate();
    outside = async (city) => {
      if (city === 'Oslo') await confirmed.opened;
      return `${city} booked`;
    };
    const steps = [{ toolCalls: [book('Oslo')] }, { toolCalls: [book('Rome')] }, 'Done.'];
    const { run, model } = await start(steps);
    await until('Oslo');
    await run.send('I meant Rome.', { when: 'now' });
    confirmed.open();
    expect((await run.result()).finalResponse.text).toBe('Done.');
    expect(booked).toEqual(['Oslo', 'Rome']);
    const said = ['Book a room.', '→ book {"city":"Oslo"}', '← book Oslo booked', 'I meant Rome.'];
    expect(linesOf(model.requests[1]?.messages ?? [])).toEqual(said);
    expect(linesOf(await run.transcript()).slice(0, 4)).toEqual(said);
    expect(await run.log()).toMatchObject([
      { kind: 'user' },
      { kind: 'model-turn' },
      { kind: 'tool-result', inline: true, result: { callId: 'Oslo', isError: false } },
      { kind: 'user' },
      { kind: 'model-turn' },
      { kind: 'tool-result', inline: true, result: { callId: 'Rome' } },
      { kind: 'model-turn' },
    ]);
    expect((await sizeOf(run)).activities).toMatchObject({ callModel: 3 });
  });

  it('is cut at once by a message before any call of it', async () => {
    outside = (city) => Promise.resolve(`${city} booked`);
    const model = scriptedModel([{ toolCalls: [book('Rome')] }, 'Done.']);
    const cut: AbortSignal[] = [];
    const call: ModelProvider['call'] = async (request, options) => {
      if (cut.length > 0) return await model.call(request, options);
      cut.push(options.signal);
      return await untilAborted(options.signal);
    };
    const providers = { scripted: { name: 'scripted', call } };
    await harness.deploy({ runners: [anAgent('clerk')], providers });
    const run = await harness.longhaul.start('clerk', 'Book a room.');
    await eventually('the call', () => cut.length === 1);
    await run.send('Rome, please.', { when: 'now' });
    await run.result();
    expect([cut[0]?.aborted, booked]).toEqual([true, ['Rome']]);
    expect(linesOf(model.requests[0]?.messages ?? [])).toEqual(['Book a room.', 'Rome, please.']);
  });

  it.each(['cancel', 'stop'])('is in the log of a run that ends by %s', async (way) => {
    outside = (city, signal) =>
      city === 'Oslo' ? Promise.resolve('Oslo booked') : untilAborted(signal);
    const { run } = await start([{ toolCalls: [book('Oslo'), book('Rome')] }, 'Done.']);
    await until('Rome');
    if (way === 'cancel') await run.cancel('enough');
    else await harness.longhaul.client.workflow.getHandle(run.workflowId).cancel();
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    expect(linesOf(await run.transcript())).toEqual([
      'Book a room.',
      '→ book {"city":"Oslo"}',
      '→ book {"city":"Rome"}',
      '← book Oslo booked',
      expect.stringMatching(/^✗ book OutcomeUnknown: .* \(the run was cancelled\)/),
    ]);
    expect(booked).toEqual(['Oslo', 'Rome']);
  });

  it('stands when its worker shuts down: another one makes only the calls that broke off', async () => {
    outside = (city, signal) =>
      city === 'Oslo' || booked.filter((each) => each === city).length > 1
        ? Promise.resolve(`${city} booked`)
        : untilAborted(signal);
    const own = await openHarness();
    const model = scriptedModel([{ toolCalls: [book('Oslo'), book('Rome')] }, 'Done.']);
    const options = { runners: [anAgent('clerk')], providers: { scripted: model } };
    const worker = await own.worker(options);
    const run = await own.longhaul.start('clerk', 'Book two rooms.');
    await until('Rome');
    await worker.stop();
    await own.worker(options);
    await run.result();
    expect(linesOf(await run.transcript()).slice(-3)).toEqual([
      '← book Oslo booked',
      '← book Rome booked',
      'Done.',
    ]);
    expect([booked, model.requests.length]).toEqual([['Oslo', 'Rome', 'Rome'], 2]);
    await own.close();
  });

  it('stands when its worker is lost, whatever the model would say in the next attempt', async () => {
    const lost = gate();
    const begun = gate();
    // Nobody hears of the first attempts any more: the server gives them up when their heartbeat is late.
    const losing = {
      execute: async (
        input: { readonly args: readonly unknown[] },
        next: (input: never) => Promise<unknown>,
      ) => {
        const [given] = input.args as readonly [Partial<CallModelInput>?];
        const isLost = given?.inline !== undefined && given.turn === 1;
        const made = next(input as never);
        if (!isLost || Context.current().info.attempt > 1) return await made;
        made.catch(() => undefined);
        await lost.opened;
        throw new CompleteAsyncError();
      },
    };
    outside = async (city) => {
      if (booked.length === 2) begun.open();
      if (booked.length <= 2) await lost.opened;
      return `${city} booked`;
    };
    const own = await openHarness();
    const steps = [...Array<ScriptedStep>(2).fill({ toolCalls: [book('Oslo')] }), 'Done.'];
    const model = scriptedModel(steps);
    await own.worker({
      runners: [anAgent('clerk')],
      providers: { scripted: model },
      workerOptions: { interceptors: { activity: [() => ({ inbound: losing })] } },
    });
    const start = () => own.longhaul.start('clerk', 'Book a room.');
    const [goesOn, ends] = await Promise.all([start(), start()]);
    await begun.opened;
    lost.open();
    await ends.cancel();
    await expect(ends.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    await goesOn.result();
    const said = ['Book a room.', '→ book {"city":"Oslo"}'];
    expect(linesOf(await goesOn.transcript())).toEqual([...said, '← book Oslo booked', 'Done.']);
    expect(linesOf(await ends.transcript())).toEqual([
      ...said,
      expect.stringMatching(/^✗ book OutcomeUnknown: /),
    ]);
    expect([booked, keys.size, model.requests.length]).toEqual([['Oslo', 'Oslo', 'Oslo'], 2, 3]);
    await own.close();
  }, 30_000);
});

describe('a model call that a message cuts', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('counts for the budget', async () => {
    const model = { name: 'scripted', calls: 0, call: cut };
    async function cut(_request: unknown, { signal }: { signal: AbortSignal }): Promise<never> {
      model.calls += 1;
      return await untilAborted(signal);
    }
    const budget = { maxTokens: 10, onExceeded: 'fail' as const };
    const agent = defineAgent({ id: 'talker', model: 'scripted/one', budget });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.start(agent.id, 'Begin.');
    await eventually('the call', () => model.calls === 1);
    await run.send('Stop, do this.', { when: 'now' });
    await expect(run.result()).rejects.toMatchObject({ code: 'BudgetExceeded' });
    expect(model.calls).toBe(1);
  });
});
