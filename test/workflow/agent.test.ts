// The agent workflow on the dev server: real worker, real activities, scripted model.

import { hasCode } from '../../src/protocol/errors';
import { defineAgent, defineTool } from '../../src';
import { scriptedModel } from '../../src/testing/scripted-model';
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
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.start(agent, 'How warm is it in Paris?');
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

  it('fails with AgentNotFound naming the nearest ids', async () => {
    expect(hasCode(undefined, 'AgentNotFound')).toBe(false);
  });
});
