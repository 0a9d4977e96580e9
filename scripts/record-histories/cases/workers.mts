// What a run meets that depends on its workers: stores, MCP servers, telemetry, deploys, and workflows of the user's own.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { defineAgent, defineTool, mcpTools, parallel, toolContent } from 'longhaul';
import { FileResults } from 'longhaul/stores';
import { SqliteStores } from 'longhaul/stores';
import {
  ada,
  agent,
  answer,
  ask,
  bareNamespace,
  callOf,
  cast,
  firstInput,
  lookUpCall,
  openInputs,
  research,
  researchCall,
  until,
  type Cases,
  type StageWorker,
} from '../case.mts';
import { anything, lookUp } from '../tools.mts';

const here = import.meta.dirname;

const pages = mcpTools({
  name: 'pages',
  stdio: { command: process.execPath, args: [join(here, '../mcp-server.mjs')] },
});

const longList = defineTool({
  name: 'long_list',
  description: 'Lists all trees',
  inputSchema: anything,
  maxResultBytes: 1_000,
  execute: () => Array.from({ length: 300 }, (_, index) => `tree ${index}`).join('\n'),
});

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = {
  type: 'media',
  mediaType: 'image/png',
  source: { kind: 'base64', data: pixel },
} as const;

const photograph = defineTool({
  name: 'photograph',
  description: 'Makes a picture',
  inputSchema: anything,
  execute: () =>
    toolContent([
      { type: 'text', text: 'A tree.' },
      { type: 'media', mediaType: 'image/png', data: pixel },
    ]),
});

/** More text than a run carries: the next execution reads it from the one before. It deflates well. */
const readBook = defineTool({
  name: 'read_book',
  description: 'Reads a book',
  inputSchema: anything,
  maxResultBytes: 256 * 1024,
  execute: () => 'All trees have leaves. '.repeat(11_000),
});

const actInline = defineTool({
  name: 'act',
  description: 'Acts',
  inputSchema: anything,
  effect: 'idempotent',
  inline: true,
  execute: () => 'done',
});

const callIsLost = {
  execute: async (input: unknown, next: (input: never) => Promise<unknown>) => {
    if (Context.current().info.activityType !== 'callModel') return await next(input as never);
    await Context.current().cancelled.catch(() => sleep(300));
    throw new Error('the worker is gone');
  },
};

/** Says nothing. That it is there is what a run goes by. */
const telemetry = {
  carrier: () => ({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
  begin: () => ({
    run: <Result,>(code: () => Result) => code(),
    firstToken: () => undefined,
    end: () => undefined,
  }),
  lost: () => undefined,
  segment: () => undefined,
  logRead: () => undefined,
};

const inBareNamespace = () => ({
  worker: { namespace: bareNamespace },
  client: { namespace: bareNamespace },
});

const key = { appName: 'app', userId: 'ada', sessionId: 'one' };

/** Only workers of a later deploy know it. */
const late = agent('rolling-deploy', { tools: [lookUp], askUser: 'tool' });
/** As an earlier deploy knows it: without the tool. */
const early = agent('rolling-deploy', { tools: [], askUser: 'tool' });
const other = agent('rolling-deploy-other', { model: 'rolling-deploy/scripted' });

export const workers: Cases = {
  'stored-session': {
    runner: agent('stored-session', { sessionPrecedence: 'store' }),
    steps: [callOf('remember', { note: 'a note' }), 'Kept.'],
    options: { key, session: { given: true } },
    own: (scratch) => {
      const stores = new SqliteStores({ path: `${scratch}/stored-session.db` });
      return { worker: { stores }, close: () => stores.close() };
    },
  },
  'mcp-tools': {
    runner: agent('mcp-tools', { tools: [pages] }),
    steps: [callOf('pages__page', { number: 7 }), 'Page 7.'],
    own: () => ({ worker: { mcpServers: [pages] } }),
  },
  'results-by-reference': {
    runner: agent('results-by-reference', { tools: [longList, photograph] }),
    steps: [
      callOf('long_list'),
      (request) => {
        const [, digest = ''] = /([0-9a-f]{64})/.exec(JSON.stringify(request.messages)) ?? [];
        return callOf('read_result', { ref: digest });
      },
      callOf('photograph'),
      'Trees.',
    ],
    input: [{ type: 'text', text: 'What is this?' }, picture],
    own: (scratch) => ({ worker: { results: new FileResults({ folder: `${scratch}/results` }) } }),
  },
  telemetry: {
    runner: agent('telemetry', {
      tools: [research('telemetry', { tools: [lookUp] }), lookUp],
      askUser: 'tool',
    }),
    steps: [ask('Which?'), researchCall, { toolCalls: [lookUpCall('oak')] }, 'Oaks.', 'It knows.'],
    own: () => ({ worker: { telemetry }, client: { telemetry } }),
    meanwhile: (recorded) => answer(recorded, 'oak'),
  },
  'inline-spec': {
    runner: agent('inline-spec'),
    steps: ['Hello.'],
    own: () => ({
      worker: { inlineSpecs: true, application: 'shop' },
      client: { application: 'shop' },
    }),
    play: async ({ longhaul }) => {
      const spec = defineAgent({
        id: 'inline-spec',
        model: 'inline-spec/scripted',
        instructions: 'Be brief.',
      });
      const options = { workflowId: 'recorded-inline-spec', context: { tenant: 'one' } };
      const run = await longhaul.startSpec(spec, 'Hi.', options);
      await run.result();
      return run.workflowId;
    },
  },
  'refused-start': {
    runner: agent('refused-start'),
    steps: [],
    play: async ({ longhaul }) => {
      const workflowId = 'recorded-refused-start';
      const { client, taskQueue } = longhaul;
      const start = { workflowId, taskQueue, args: [{ runner: 7, input: '' }] };
      const handle = await client.workflow.start('agentWorkflow', start);
      await handle.result().catch(() => undefined);
      return workflowId;
    },
  },
  'unknown-agent': {
    runner: agent('unknown-agent-other', { model: 'unknown-agent/scripted' }),
    steps: [],
    own: () => ({}),
    play: async ({ longhaul }) => {
      const workflowId = 'recorded-unknown-agent';
      const run = await longhaul.start('unknown-agent', 'Hi.', { workflowId });
      await run.result().catch(() => undefined);
      return workflowId;
    },
  },
  /** First no worker knows the agent. Later the worker that the run is on lacks a tool. */
  'rolling-deploy': {
    runner: late,
    steps: [ask('Go on?'), { toolCalls: [lookUpCall('oak')] }, 'A tree.'],
    own: () => ({}),
    startsWorkers: true,
    play: async ({ longhaul, worker }) => {
      const workflowId = 'recorded-rolling-deploy';
      const [none, second, third] = [
        await worker({ runners: [other] }),
        await worker({ runners: [late] }),
        await worker({ runners: [late] }),
      ] as [StageWorker, StageWorker, StageWorker];
      none.start();
      const run = await longhaul.start('rolling-deploy', 'Hi.', { workflowId });
      const scheduled = async (type: string, count: number) => {
        const { events } = await longhaul.client.workflow.getHandle(workflowId).fetchHistory();
        const types = events?.map((event) => event.activityTaskScheduledEventAttributes);
        return (types ?? []).filter((each) => each?.activityType?.name === type).length >= count;
      };
      await until(() => scheduled('findDefinition', 1));
      second.start();
      await none.stop();
      await run.outcome();
      const without = await worker({ runners: [early] });
      without.start();
      await second.stop();
      await run.resume('yes');
      await until(() => scheduled('callTool', 2));
      third.start();
      await without.stop();
      await run.result();
      await third.stop();
      return workflowId;
    },
  },
  /** A cancellation meets the last answer: the worker that is to hear of both is the next one. */
  'told-and-cancelled': {
    runner: agent('told-and-cancelled'),
    steps: [{ text: 'An oak.', delayMs: 800 }],
    own: () => ({}),
    startsWorkers: true,
    play: async ({ longhaul, worker, modelCalled }) => {
      const workflowId = 'recorded-told-and-cancelled';
      const [first, second] = [await worker(), await worker()];
      first.start();
      const run = await longhaul.start('told-and-cancelled', 'A tree?', { workflowId });
      await modelCalled(1);
      const stopped = first.stop();
      await longhaul.client.workflow.getHandle(workflowId).cancel();
      await stopped;
      second.start();
      await run.result();
      await second.stop();
      return workflowId;
    },
  },
  /** The call that is cancelled with its run answers by an error, as one does whose worker is gone. */
  'cancelled-call-fails': {
    runner: agent('cancelled-call-fails', { tools: [actInline] }),
    steps: [],
    own: () => ({
      worker: { workerOptions: { interceptors: { activity: [() => ({ inbound: callIsLost })] } } },
    }),
    play: async ({ longhaul }) => {
      const workflowId = 'recorded-cancelled-call-fails';
      await longhaul.start('cancelled-call-fails', 'A tree?', { workflowId });
      const handle = longhaul.client.workflow.getHandle(workflowId);
      await until(
        async () =>
          (await handle.describe()).raw.pendingActivities?.[0]?.activityType?.name === 'callModel',
      );
      await handle.cancel();
      await handle.result().catch(() => undefined);
      return workflowId;
    },
  },
  'own-workflow': {
    runner: agent('own-workflow', { askUser: 'tool' }),
    steps: [ask('Which tree?'), 'An oak.', 'An elm.'],
    own: () => ({
      worker: { workerOptions: { workflowsPath: join(here, '../own-workflow.ts') } },
    }),
    play: async ({ longhaul }) => {
      const workflowId = 'recorded-own-workflow';
      const { client, taskQueue } = longhaul;
      const start = { workflowId, taskQueue, args: ['own-workflow', 'recorded-own-workflow-run'] };
      const handle = await client.workflow.start('recordedOwnWorkflow', start);
      const run = longhaul.run('recorded-own-workflow-run');
      await until(() =>
        run.state().then(
          ({ pending }) => pending.length > 0,
          () => false,
        ),
      );
      await run.resume('oak');
      await handle.result();
      return workflowId;
    },
  },
  'carried-log': {
    runner: agent('carried-log', { tools: [readBook] }),
    steps: [
      { toolCalls: Array.from({ length: 18 }, () => ({ name: 'read_book', args: {} })) },
      'Leaves.',
    ],
    keeps: 'last',
  },
  /** Everything that a run carries to its next execution. */
  'carries-everything': {
    runner: agent('carries-everything', {
      askUser: 'tool',
      maxIterations: 30,
      budget: { maxTokens: 5_000 },
      context: { window: 100_000 },
    }),
    steps: [
      ...['ash', 'elm', 'fir', 'oak', 'yew'].map((word) => ({ toolCalls: [lookUpCall(word)] })),
      callOf('remember', { note: 'five' }),
      ask('Go on?'),
      'Five trees.',
    ],
    options: { budget: { maxTokens: 4_000 }, by: ada, key, session: { given: true } },
    own: () => ({
      worker: {
        telemetry,
        onPause: () => {
          throw new Error('the mail server is down');
        },
      },
    }),
    meanwhile: async ({ run, modelCalled }) => {
      await modelCalled(1);
      await run.send('Count well.', { messageId: 'count', by: ada });
      await firstInput(run);
      await run.resume('yes', { by: ada, note: 'go' });
    },
  },
  /** In a namespace without the search attributes. */
  bare: {
    runner: parallel({
      id: 'bare',
      branches: cast('bare', ['left', 'right'], { askUser: 'tool' }),
    }),
    steps: [ask('Which?'), ask('Which?'), 'An oak.', 'An elm.'],
    options: { key },
    own: inBareNamespace,
    meanwhile: async ({ run }) => {
      for (const inputId of await openInputs(run, 2)) await run.resume('oak', { inputId });
    },
  },
  'bare-thread': {
    runner: agent('bare-thread'),
    steps: ['Hello.'],
    own: inBareNamespace,
    talk: async (thread) => {
      await (await thread.send('Hi.')).result();
      await thread.clear();
    },
  },
};
