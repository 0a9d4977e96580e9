// Answers with a schema: a wrong one is refused before it is in the history.

import type { JsonSchema } from '../../src/base/json';
import { defineAgent, defineTool } from '../../src';
import { signalNames } from '../../src/protocol/names';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import type { RunHandle } from '../../src/client';
import { callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

const seat: JsonSchema = {
  type: 'object',
  properties: { seat: { type: 'string', pattern: '^\\d{1,2}[A-F]$' } },
  required: ['seat'],
  additionalProperties: false,
};

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  needsApproval: true,
  execute: ({ amount }) => ({ refunded: amount }),
});

describe('answers with a shape', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function start(...steps: ScriptedStep[]): Promise<RunHandle> {
    const options = { model: 'scripted/one', tools: [refund], askUser: 'tool' } as const;
    const agent = defineAgent({ id: 'asker', ...options });
    await harness.deploy({ runners: [agent], providers: { scripted: scriptedModel(steps) } });
    return await harness.longhaul.start(agent.id, 'Help me.');
  }

  const events = async (run: RunHandle): Promise<number> => {
    const history = await harness.longhaul.client.workflow.getHandle(run.workflowId).fetchHistory();
    return history.events?.length ?? 0;
  };

  it('publishes the schema of a question, refuses what breaks it without an event, and takes JSON in a text', async () => {
    const run = await start(
      callOf('ask_user', { question: 'Which seat?', schema: seat }),
      'Booked.',
    );
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({ kind: 'needs-input', schema: seat });
    const before = await events(run);
    for (const answer of ['12A', { seat: '12Z' }, '{"seat":"1A","bags":2}', [null]])
      await expect(run.resume(answer)).rejects.toMatchObject({
        code: 'InvalidAnswer',
        message: expect.stringContaining("input 'q1.0' asks for another shape") as string,
      });
    expect(await events(run)).toBe(before);
    expect(await run.pending()).toHaveLength(1);
    await run.resume('{"seat": "12A"}');
    expect((await run.result()).finalResponse.text).toBe('Booked.');
    expect((await run.transcript())[2]).toMatchObject({
      parts: [{ isError: false, content: [{ type: 'text', text: '{"seat": "12A"}' }] }],
    });
  });

  it('lists a signal that breaks the schema as rejected, and goes on waiting', async () => {
    const run = await start(
      callOf('ask_user', { question: 'Which seat?', schema: seat }),
      'Booked.',
    );
    await run.outcome();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await handle.signal(signalNames.resume, { answer: { seat: 12 } });
    await eventually('it is rejected', async () => (await run.state()).rejected.length === 1);
    expect(await run.state()).toMatchObject({
      status: 'needs-input',
      rejected: [{ signal: 'resume', code: 'InvalidAnswer' }],
    });
    await run.resume({ seat: '1F' });
    expect((await run.result()).finalResponse.text).toBe('Booked.');
  });

  it('tells the model that nobody can answer in its schema', async () => {
    const loop = { $ref: '#' };
    const run = await start(
      callOf('ask_user', { question: 'Which?', schema: loop }),
      'Never mind.',
    );
    expect((await run.result()).finalResponse.text).toBe('Never mind.');
    expect((await run.transcript())[2]).toMatchObject({
      parts: [
        {
          isError: true,
          content: [{ text: 'nobody was asked: "schema" refers to itself without end' }],
        },
      ],
    });
  });

  it('refuses edited arguments that the tool does not take', async () => {
    const run = await start(callOf('refund', { amount: 5 }), 'Refunded.');
    expect(await run.outcome()).toMatchObject({
      inputId: 'a1.0',
      schema: { required: ['amount'] },
    });
    await expect(run.approve('a1.0', { args: { amount: '4' } })).rejects.toMatchObject({
      code: 'InvalidAnswer',
      message: "input 'a1.0' asks for another shape: args amount must be a number, not '4'",
    });
    await run.approve('a1.0', { args: { amount: 4 } });
    expect((await run.result()).finalResponse.text).toBe('Refunded.');
  });
});
