// What the stock Web UI, the CLI and other languages see of a run on the dev server.

import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { defineSearchAttributeKey } from '@temporalio/common';
import { defineAgent, defineTool } from '../../src';
import { searchAttributes } from '../../src/protocol/names';
import { findTemporalCli } from '../../src/server/dev/dev-server';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { devServerAddress } from '../servers';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { activitySummaries, fetchHistory, type HistoryEvents } from './history';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }) => ({ city, celsius: 22 }),
});

const script: readonly ScriptedStep[] = [
  { toolCalls: [{ name: 'get_weather', args: { city: 'Paris' } }] },
  { toolCalls: [{ name: 'ask_user', args: { question: 'Celsius or Fahrenheit?' } }] },
  'It is 22 °C in Paris.',
];

const agent = defineAgent({
  id: 'weather',
  model: 'scripted/one',
  tools: [getWeather],
  askUser: 'tool',
});

const plain = defineAgent({ id: 'plain', model: 'plain/one' });

const refund = defineTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  needsApproval: true,
  execute: () => 'done',
});

const payer = defineAgent({ id: 'payer', model: 'payer/one', tools: [refund] });

async function startRun({ longhaul }: Harness): Promise<string> {
  return (await longhaul.start('plain', 'Hello.')).workflowId;
}

async function startBare({ longhaul, taskQueue }: Harness): Promise<string> {
  const workflowId = `bare-${randomUUID()}`;
  const args = [{ runner: 'plain', input: 'Hello again.' }];
  await longhaul.client.workflow.start('agentWorkflow', { workflowId, taskQueue, args });
  return workflowId;
}

function whatItShows(event: HistoryEvents[number]): string[] {
  if (event.workflowPropertiesModifiedEventAttributes) return ['memo'];
  return event.upsertWorkflowSearchAttributesEventAttributes ? ['attributes'] : [];
}

const agentAttribute = defineSearchAttributeKey(searchAttributes.agent, 'KEYWORD');
const statusAttribute = defineSearchAttributeKey(searchAttributes.status, 'KEYWORD');

type Metadata = { readonly currentDetails?: string };

describe('visible state', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    await harness.worker({
      runners: [agent, plain, payer],
      providers: {
        scripted: scriptedModel(script, { per: 'conversation' }),
        plain: scriptedModel(['Fine.'], { per: 'conversation' }),
        payer: scriptedModel([{ toolCalls: [{ name: 'refund', args: { order: '7' } }] }], {
          per: 'conversation',
        }),
      },
    });
  });
  afterAll(() => harness.close());

  it('names every activity, the run and what it waits for', async () => {
    const run = await harness.longhaul.startSpec(agent, 'How warm is it in Paris?');
    await run.outcome();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    expect(run.workflowId).toMatch(/^weather-[A-Za-z0-9]{12}$/);
    expect(activitySummaries(await fetchHistory(harness.longhaul, run.workflowId))).toEqual([
      'load the definition',
      '#1 scripted/one',
      '#1 get_weather {"city":"Paris"}',
      '#2 scripted/one',
    ]);
    const description = await handle.describe();
    expect(await description.staticSummary()).toBe('weather: How warm is it in Paris?');
    expect(await description.staticDetails()).toContain('> How warm is it in Paris?');
    expect(description.memo).toMatchObject({
      longhaul: {
        status: 'needs-input',
        agent: 'weather',
        pending: [{ inputId: 'q2.0', question: 'Celsius or Fahrenheit?' }],
      },
    });
    const { currentDetails } = await handle.query<Metadata>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('needs-input');
    expect(currentDetails).toContain('> **Celsius or Fahrenheit?**');
    expect(currentDetails).toContain('- **user:** How warm is it in Paris?');
    expect(currentDetails).toContain('get_weather {"city":"Paris"}');
    expect(currentDetails).toMatch(/\d+ tokens in/);
    await run.resume('Celsius');
    await run.result();
    const { memo, typedSearchAttributes } = await handle.describe();
    expect(memo).toEqual({ longhaul: { agent: 'weather', pauseSeq: 1 } });
    expect(typedSearchAttributes.get(statusAttribute)).toBe('completed');
  });

  it('shows the arguments of a call that waits, and how to answer', async () => {
    const run = await harness.longhaul.start('payer', 'Refund order 7.');
    await run.outcome();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const question = 'May refund run? {"order":"7"}';
    expect((await handle.describe()).memo).toMatchObject({ longhaul: { pending: [{ question }] } });
    const { currentDetails } = await handle.query<Metadata>('__temporal_workflow_metadata');
    expect(currentDetails).toContain(`> **${question}**`);
    expect(currentDetails).toContain('Send an update: approve `{"inputId":"a1.0"}` or reject');
    await run.cancel();
  });

  it.each([
    { name: 'one event for a run that `start` began', begin: startRun, shown: ['attributes'] },
    {
      name: 'four for one that another program began without memo and attributes',
      begin: startBare,
      shown: ['memo', 'attributes', 'memo', 'attributes'],
    },
  ])('takes $name', async ({ begin, shown }) => {
    const workflowId = await begin(harness);
    await harness.longhaul.run(workflowId).result();
    expect((await fetchHistory(harness.longhaul, workflowId)).flatMap(whatItShows)).toEqual(shown);
    const { typedSearchAttributes } = await harness.longhaul.client.workflow
      .getHandle(workflowId)
      .describe();
    expect(typedSearchAttributes.get(agentAttribute)).toBe('plain');
    expect(typedSearchAttributes.get(statusAttribute)).toBe('completed');
  });

  it('lists runs by agent and status', async () => {
    const run = await harness.longhaul.startSpec(agent, 'List me.');
    await run.outcome();
    const find = async () => {
      for await (const summary of harness.longhaul.runs({
        agent: 'weather',
        status: 'needs-input',
      })) {
        if (summary.workflowId === run.workflowId) return summary;
      }
      return undefined;
    };
    await eventually('the run in the list', async () => (await find()) !== undefined);
    expect(await find()).toMatchObject({
      status: 'needs-input',
      pending: [{ question: 'Celsius or Fahrenheit?' }],
    });
  });

  it('runs when it is started by the Temporal CLI', async () => {
    const path = await findTemporalCli();
    const workflowId = `from-cli-${Math.random().toString(36).slice(2)}`;
    const input = '{"runner":"weather","input":"Started by the CLI."}';
    const target = ['--address', devServerAddress(), '--workflow-id', workflowId];
    const run = promisify(execFile);
    await run(path, [
      'workflow',
      'start',
      '--type',
      'agentWorkflow',
      '--task-queue',
      harness.taskQueue,
      '--input',
      input,
      ...target,
    ]);
    const handle = harness.longhaul.run(workflowId);
    expect(await handle.outcome()).toMatchObject({
      kind: 'needs-input',
      question: 'Celsius or Fahrenheit?',
    });
    await run(path, ['workflow', 'signal', '--name', 'resume', '--input', '"Celsius"', ...target]);
    expect(await handle.result()).toMatchObject({
      finalResponse: { text: 'It is 22 °C in Paris.' },
    });
  });

  it('follows the steps of a run, and takes them up again from an index', async () => {
    const run = await harness.longhaul.startSpec(agent, 'Follow me.');
    const kinds: string[] = [];
    for await (const event of run.events()) {
      kinds.push(`${event.index} ${event.entry.kind}`);
      if (kinds.length === 4) break;
    }
    expect(kinds).toEqual(['0 user', '1 model-turn', '2 tool-result', '3 model-turn']);
    await run.resume('Celsius');
    for await (const event of run.events({ from: 4 }))
      kinds.push(`${event.index} ${event.entry.kind}`);
    expect(kinds.slice(4)).toEqual(['4 decision', '5 tool-result', '6 model-turn']);
  });

  it('hands out the deltas of a model call', async () => {
    const deltas: string[] = [];
    const other = await openHarness();
    try {
      await other.worker({
        runners: [agent],
        providers: { scripted: scriptedModel(['One two three.']) },
        onDelta: ({ workflowId, turn, attempt, seq, delta }) => {
          if (delta.kind === 'text')
            deltas.push(`${workflowId} ${turn}.${attempt}.${seq} ${delta.text}`);
        },
      });
      const run = await other.longhaul.startSpec(agent, 'Stream.');
      await run.result();
      expect(deltas[0]).toContain(`${run.workflowId} 1.1.0 `);
      expect(deltas.map((line) => line.split(' ').slice(2).join(' ')).join('')).toBe(
        'One two three.',
      );
    } finally {
      await other.close();
    }
  });
});
