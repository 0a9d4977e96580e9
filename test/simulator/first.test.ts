import { defineAgent, defineTool } from '../../src';
import { scriptedModel } from '../../src/testing';
import { Simulation } from './simulation';

it('runs an agent', async () => {
  const simulation = new Simulation(1);
  const agent = defineAgent({
    id: 'weather',
    model: 'scripted/m',
    tools: [
      defineTool({
        name: 'get',
        description: 'x',
        inputSchema: { type: 'object', properties: {} },
        execute: () => Promise.resolve('sunny'),
      }),
    ],
  } as never);
  const model = scriptedModel([{ toolCalls: [{ name: 'get', args: {} }] }, 'It is sunny.']);
  simulation.worker({ longhaul: { runners: [agent], providers: { scripted: model } } as never });
  const outcome = await simulation.run(async () => {
    const client = await simulation.client();
    const run = await client.start('weather', 'Hi');
    return await run.outcome();
  });
  expect(outcome).toMatchObject({ kind: 'complete', result: { finalResponse: { text: 'It is sunny.' } } });
  console.log(simulation.server.executions.map((e) => e.history.events.map((v) => v.name)));
});
