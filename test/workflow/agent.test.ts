// The agent workflow: real worker, real activities, scripted model.

import { criteria, defineAgent, defineTool } from '../../src';
import { scriptedModel } from '../../src/testing/scripted-model';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  execute: ({ city }) => ({ city, celsius: 22 }),
});

describe('agent', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('calls a tool and completes with the model text', async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: 'get_weather', args: { city: 'Paris' } }] },
      'It is 22 degrees in Paris.',
    ]);
    const agent = defineAgent({
      id: 'weather',
      model: 'scripted/one',
      instructions: 'Be brief.',
      tools: [getWeather],
    });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'How warm is it in Paris?');
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({
      kind: 'complete',
      result: {
        finalResponse: { text: 'It is 22 degrees in Paris.' },
        iterations: 1,
        completionReason: 'text response',
      },
    });
    model.assertConsumed();
    expect((await run.transcript()).map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  it('is cancelled, also if the call that is cancelled with it fails', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => (answer = resolve));
    const failing = async () => await asked.then(() => Promise.reject(new Error('it is gone')));
    const lost = { execute: async () => await failing() };
    const other = {
      execute: async (input: unknown, next: (input: never) => Promise<unknown>) =>
        await next(input as never),
    };
    const inbound = ({ info }: { readonly info: { readonly activityType: string } }) => ({
      inbound: info.activityType === 'callModel' ? lost : other,
    });
    const look = defineTool({
      name: 'look',
      description: 'Looks',
      inputSchema: { type: 'object' },
      effect: 'idempotent',
      inline: true,
      execute: () => 'seen',
    });
    const agent = defineAgent({ id: 'lost', model: 'scripted/one', tools: [look] });
    const worker = await harness.worker({
      runners: [agent],
      providers: { scripted: scriptedModel([]) },
      workerOptions: { interceptors: { activity: [inbound] } },
    });
    const run = await harness.longhaul.start('lost', 'Begin.');
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await eventually('the model is asked', async () => {
      const { raw } = await handle.describe();
      return (raw.pendingActivities ?? []).some(
        ({ activityType, lastStartedTime }) =>
          activityType?.name === 'callModel' && Boolean(lastStartedTime),
      );
    });
    await handle.cancel();
    await eventually('the call is to end', async () => {
      const { events } = await handle.fetchHistory();
      return (events ?? []).some((event) => event.activityTaskCancelRequestedEventAttributes);
    });
    answer();
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled' });
    expect((await handle.describe()).status.name).toBe('CANCELLED');
    await worker.stop();
  });

  it('leaves out reserved session keys that a tool sets', async () => {
    const note = defineTool({
      name: 'note',
      description: 'Takes a note',
      inputSchema: { type: 'object', properties: {} },
      session: ['notes'],
      execute: (_args, { session }) => {
        session['notes'] = 'one';
        session['__own'] = 1;
        return 'noted';
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'note', args: {} }] }, 'Noted.']);
    const agent = defineAgent({ id: 'notes', model: 'scripted/one', tools: [note] });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'Take a note.');
    expect((await run.result()).session).toEqual({ notes: 'one' });
  });

  it('asks custom criteria about texts alone, and goes on with what they miss', async () => {
    const seen: object[] = [];
    const long = criteria.custom(
      'long',
      ({ text, iteration, session, context, messages }) => {
        seen.push({ text, iteration, session, context, messages: messages.length });
        return text.length > 5 ? true : { met: false, missing: 'say more' };
      },
      { session: ['cart'] },
    );
    const agent = defineAgent({
      id: 'judged',
      model: 'scripted/one',
      tools: [getWeather],
      askUser: 'tool',
      criteria: [long],
    });
    const model = scriptedModel([
      { toolCalls: [{ name: 'ask_user', args: { question: 'Where?' } }] },
      { toolCalls: [{ name: 'get_weather', args: { city: 'Paris' } }] },
      '__ask_user__: Celsius?',
      '22',
      'It is 22.',
    ]);
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const given = { session: { cart: 1, user: 'ada' }, context: { tenant: 't' } };
    const run = await harness.longhaul.startSpec(agent, 'How warm is it?', given);
    for (const answer of ['Paris', 'Yes']) {
      expect(await run.outcome()).toMatchObject({ kind: 'needs-input' });
      await run.resume(answer);
    }
    expect(await run.result()).toMatchObject({
      finalResponse: { text: 'It is 22.' },
      iterations: 1,
      completionReason: "custom criterion 'long' met",
    });
    const shared = { iteration: 1, session: { cart: 1 }, context: { tenant: 't' } };
    expect(seen).toEqual([
      { ...shared, text: '22', messages: 8 },
      { ...shared, text: 'It is 22.', messages: 10 },
    ]);
    expect(linesOf(await run.transcript()).slice(-2)).toEqual([
      "The task is not complete yet: the criterion 'long' is not met: say more. Continue.",
      'It is 22.',
    ]);
  });
});
