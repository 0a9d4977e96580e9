// What telemetry says of whole runs, with the real SDK of OpenTelemetry and an exporter in memory.

import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { Worker } from '@temporalio/worker';
import { defineAgent, parallel, ProviderError, subAgent } from '../../src';
import { connect, type Longhaul } from '../../src/client';
import { openTelemetry } from '../../src/telemetry/otel';
import { createTestEnvironment, scriptedModel, type ScriptedModel } from '../../src/testing';
import { longhaulSinks } from '../../src/worker/sinks';
import {
  describeWithTimeSkipping,
  devServerAddress,
  timeSkippingServerPath,
  workflowsInThread,
} from '../servers';
import {
  expectTree,
  named,
  plainSpan,
  type PlainSpan,
  sum,
} from '../unit/telemetry/otel/plain-span';
import { aTool, callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { quietRuntime } from './quiet';

const hour = 3_600_000;

function recorder() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const telemetry = openTelemetry({ tracerProvider });
  return { telemetry, tracer: tracerProvider.getTracer('user'), exporter };
}

type Recorder = ReturnType<typeof recorder>;

/** The manager's model fails once, and the researcher's tool waits for a person. */
function team({ tracer }: Recorder) {
  const transfer = aTool(
    'transfer',
    () => {
      tracer.startSpan('own').end();
      return 'sent';
    },
    { needsApproval: true },
  );
  const models: Record<string, ScriptedModel> = {
    manager: scriptedModel(
      [
        { error: new ProviderError('unavailable', 'try again') },
        callOf('research', { input: 'Settle.' }),
        'All is settled.',
      ],
      { name: 'manager' },
    ),
    researcher: scriptedModel([callOf('transfer'), 'Sent.'], { name: 'researcher' }),
  };
  const researcher = defineAgent({ id: 'researcher', model: 'researcher/one', tools: [transfer] });
  const manager = defineAgent({
    id: 'manager',
    model: 'manager/one',
    tools: [subAgent(researcher, { name: 'research', description: 'Researches' })],
  });
  const price = { input: 1, output: 2 };
  const prices = { 'manager/one': price, 'researcher/one': price };
  return { models, options: { runners: [manager], providers: models, prices } };
}

const lengthOf = ({ startedAt, endedAt }: PlainSpan): number => endedAt - startedAt;

beforeAll(() => context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

describe('telemetry of runs', () => {
  let harness: Harness;
  let client: Longhaul;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(async () => {
    await client.close();
    await harness.close();
  });

  /** The client of a caller who traces. */
  async function caller({ telemetry }: Recorder): Promise<Longhaul> {
    const { taskQueue } = harness;
    client = await connect({ address: devServerAddress(), taskQueue, telemetry });
    return client;
  }

  it('are one tree below the caller, with one span for each attempt, and a replay says nothing', async () => {
    const recorded = recorder();
    const { exporter, tracer, telemetry } = recorded;
    const { models, options } = team(recorded);
    await harness.worker({ ...options, telemetry });
    const longhaul = await caller(recorded);
    const request = tracer.startSpan('request');
    const run = await context.with(trace.setSpan(context.active(), request), () =>
      longhaul.start('manager', 'Settle what is open.'),
    );
    request.end();
    await run.outcome();
    const [input] = await run.pending();
    await run.approve(input?.inputId ?? '');
    const result = await run.result();
    const spans = (): PlainSpan[] => exporter.getFinishedSpans().map(plainSpan);
    await eventually('the last segment', () => named(spans(), 'invoke_agent').length === 4);

    expectTree(spans());
    const chats = named(spans(), 'chat');
    const requests = Object.values(models).flatMap((model) => model.requests);
    expect(chats).toHaveLength(requests.length);
    expect(sum(chats, 'gen_ai.usage.input_tokens')).toBe(result.usage.inputTokens);
    expect(sum(chats, 'gen_ai.usage.output_tokens')).toBe(result.usage.outputTokens);
    expect(sum(chats, 'longhaul.cost_usd')).toBeCloseTo(result.costUsd ?? NaN, 12);
    expect(chats.map(({ attributes }) => attributes['error.type']).filter(Boolean)).toEqual([
      'ProviderError.unavailable',
    ]);
    const [own] = named(spans(), 'own');
    const [tool] = named(spans(), 'execute_tool transfer');
    expect(own?.parentId).toBe(tool?.spanId ?? 'no tool');

    const before = spans().length;
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const history = { events };
    for (let count = 0; count < 10; count += 1)
      await Worker.runReplayHistory(
        { ...workflowsInThread(), sinks: longhaulSinks({ telemetry }) },
        history,
        run.workflowId,
      );
    expect(spans()).toHaveLength(before);
  });

  it('are one tree for a parallel of 20, without a caller', async () => {
    const recorded = recorder();
    const { exporter, telemetry } = recorded;
    const branches = Array.from({ length: 20 }, (_, index) => `branch-${index}`);
    const models = branches.map((id) => [id, scriptedModel(['Done.'])] as const);
    const agents = branches.map((id) => defineAgent({ id, model: `${id}/one` }));
    const fan = parallel({ id: 'fan', branches: agents, merge: 'collect_all' });
    await harness.worker({ runners: [fan], providers: Object.fromEntries(models), telemetry });
    const longhaul = await caller(recorded);
    const result = await (await longhaul.start('fan', 'Go.')).result();
    const spans = (): PlainSpan[] => exporter.getFinishedSpans().map(plainSpan);
    await eventually('the last segment', () => named(spans(), 'invoke_').length === 21);
    expectTree(spans());
    const chats = named(spans(), 'chat');
    expect(chats).toHaveLength(20);
    expect(sum(chats, 'gen_ai.usage.input_tokens')).toBe(result.usage.inputTokens);
  });
});

describeWithTimeSkipping('telemetry of a run that waits', () => {
  it('has no span over the two days that a person takes, and says how long they were', async () => {
    quietRuntime();
    const recorded = recorder();
    const { exporter, telemetry } = recorded;
    const environment = await createTestEnvironment({
      ...team(recorded).options,
      telemetry,
      serverPath: timeSkippingServerPath(),
      workerOptions: workflowsInThread(),
    });
    try {
      const run = await environment.client.start('manager', 'Settle what is open.');
      await environment.outcome(run);
      await environment.skip('2 days');
      const [input] = await run.pending();
      await run.approve(input?.inputId ?? '');
      await environment.outcome(run);
      const spans = (): PlainSpan[] => exporter.getFinishedSpans().map(plainSpan);
      await eventually('the last segment', () => named(spans(), 'invoke_agent').length === 4);
      const ofRun = spans().filter(({ name }) => name !== 'own');
      expectTree(ofRun);
      expect(ofRun.filter((span) => lengthOf(span) > hour).map(({ name }) => name)).toEqual([]);
      const paused = named(ofRun, 'invoke_agent').map(({ attributes }) =>
        Number(attributes['longhaul.paused_ms'] ?? 0),
      );
      expect(paused.filter((ms) => ms >= 48 * hour)).toHaveLength(2);
    } finally {
      await environment.close();
    }
  });
});
