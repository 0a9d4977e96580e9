// What conversations can meet.
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { Payload } from '@temporalio/common';
import { ProviderError } from 'longhaul';
import type { ThreadHandle } from 'longhaul/client';
import { SqliteStores } from 'longhaul/stores';
import { agent, ask, lookUpCall, openInputs, until, type Cases } from '../case.mts';
import { reserve } from '../tools.mts';

async function say(thread: ThreadHandle, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await (await thread.send(text)).result().catch(() => undefined);
}

const reserving = { toolCalls: [{ name: 'reserve', args: {} }] };

/** Lets a run that is to be cancelled go on for a while. */
const lateEnds = {
  execute: async (input: unknown, next: (input: never) => Promise<unknown>) => {
    if (Context.current().info.activityType === 'requestCancellation') await sleep(800);
    return await next(input as never);
  },
};

/** A run tells its thread that it asks nothing. */
const isLastReport = ({ data }: Payload): boolean =>
  Buffer.from(data ?? [])
    .toString()
    .includes('"inputs":[]');

const full = (text: string) => ({
  text,
  usage: { inputTokens: 950, outputTokens: 10, totalTokens: 960 },
});

export const threads: Cases = {
  thread: {
    runner: agent('thread'),
    steps: ['Hello.', { toolCalls: [lookUpCall('oak')] }, 'A tree.'],
    talk: async (thread) => {
      await say(thread, 'Hi.', 'What is an oak?');
      await thread.clear();
    },
  },
  /** A message that ends the turn before it, and one that the turn still gets. */
  'thread-busy': {
    runner: agent('thread-busy'),
    steps: [
      { text: 'Never said.', delayMs: 60_000 },
      { toolCalls: [lookUpCall('oak')], delayMs: 1_000 },
      'An oak and an elm.',
      'The end.',
    ],
    talk: async (thread, { modelCalled }) => {
      await thread.send('Count all trees.');
      await modelCalled(1);
      const turn = await thread.send('What is an oak?', { whenBusy: 'interrupt' });
      await modelCalled(2);
      await thread.send('And an elm?', { whenBusy: 'steer' });
      const last = await thread.send('Thank you.');
      await turn.result();
      await last.result();
    },
  },
  /** A turn that is to be cancelled gets a message, and one that was interrupted gets none. */
  'thread-stopped': {
    runner: agent('thread-stopped', { tools: [reserve], askUser: 'tool' }),
    steps: [ask('Which tree?'), 'Elms are old.', reserving, 'Reserved.', 'And pines.'],
    own: () => ({
      worker: { workerOptions: { interceptors: { activity: [() => ({ inbound: lateEnds })] } } },
    }),
    talk: async (thread, { longhaul, modelCalled }) => {
      const turn = await thread.send('What is an oak?');
      await turn.outcome();
      const handle = longhaul.client.workflow.getHandle(turn.workflowId);
      await handle.signal('cancelRun', { reason: 'enough' });
      await thread.send('And an elm?', { whenBusy: 'steer' });
      await until(async () => (await thread.turns())[1]?.status === 'completed');
      await thread.send('Reserve one.');
      await modelCalled(3);
      await sleep(300);
      await thread.send('Reserve another.', { whenBusy: 'interrupt' });
      const last = await thread.send('And pines?', { whenBusy: 'steer' });
      await last.result().catch(() => undefined);
    },
  },
  /** A worker ends when a cancelled turn reports that it asks nothing more. The next one meets the confirmation and a message at once. */
  'thread-stopped-late': {
    runner: agent('thread-stopped-late', { askUser: 'tool' }),
    steps: [ask('Which tree?')],
    own: () => ({}),
    startsWorkers: true,
    talk: async (thread, { longhaul, worker }) => {
      let stop = (): void => undefined;
      const codec = {
        encode: async (payloads: Payload[]) => {
          if (payloads.some(isLastReport)) stop();
          return payloads;
        },
        decode: async (payloads: Payload[]) => payloads,
      };
      const first = await worker({
        clearFailures: true,
        workerOptions: { dataConverter: { payloadCodecs: [codec] }, maxCachedWorkflows: 0 },
      });
      first.start();
      const turn = await thread.send('What is an oak?');
      await turn.outcome();
      const stopped = new Promise<void>((resolve) => (stop = () => resolve(first.stop())));
      await turn.cancel('enough');
      await stopped;
      const handle = longhaul.client.workflow.getHandle(turn.workflowId);
      await handle.signal('steer', { messageId: 'late', text: 'And an elm?' });
      const second = await worker({ clearFailures: true });
      second.start();
      await turn.result().catch(() => undefined);
      await until(async () => (await thread.turns())[0]?.status === 'cancelled');
      await second.stop();
    },
  },
  /** Turns in a store. The thread ends when nobody says anything, and opens again. */
  'thread-stored': {
    runner: agent('thread-stored', { memory: { kind: 'windowed', turns: 3, store: 'default' } }),
    steps: ['Hello.', 'An oak.', 'Hello again.', 'Goodbye.'],
    thread: { idleTimeout: '2s', session: { language: 'en' } },
    own: (scratch) => {
      const stores = new SqliteStores({ path: `${scratch}/thread-stored.db` });
      return { worker: { stores }, close: () => stores.close() };
    },
    talk: async (thread, { also }) => {
      await say(thread, 'Hi.', 'Name a tree.');
      await thread.clear();
      await say(thread, 'Hi again.');
      also(thread.threadId, (await thread.state()).runId);
      await until(async () => (await thread.state()).status === 'completed');
      await say(thread, 'Bye.');
    },
  },
  /** A worker without the thread meets the end of a save and a clear as one task. */
  'thread-cleared-uncached': {
    runner: agent('thread-cleared-uncached', { memory: { kind: 'full', store: 'default' } }),
    steps: ['Hello.', 'An oak.'],
    own: (scratch) => {
      const stores = new SqliteStores({ path: `${scratch}/thread-cleared-uncached.db` });
      const kept = stores.memory.default;
      const saveTurn: typeof kept.saveTurn = async (...turn) => {
        await sleep(1_000);
        return await kept.saveTurn(...turn);
      };
      const worker = {
        stores: { memory: { default: { ...kept, saveTurn } } },
        workerOptions: { maxCachedWorkflows: 0 },
      };
      return { worker, close: () => stores.close() };
    },
    talk: async (thread, { longhaul }) => {
      await say(thread, 'Hi.');
      await sleep(300);
      const handle = longhaul.client.workflow.getHandle(thread.threadId);
      await handle.signal('giveBack', { messageId: 'unknown' });
      await sleep(2_000);
      await thread.clear();
      await say(thread, 'A tree.');
    },
  },
  /** A clear cancels a write that fails in another way meanwhile. It is made again. */
  'thread-cancelled-write': {
    runner: agent('thread-cancelled-write', { memory: { kind: 'full', store: 'default' } }),
    steps: ['Hello.', 'An oak.'],
    own: (scratch) => {
      const stores = new SqliteStores({ path: `${scratch}/thread-cancelled-write.db` });
      let writes = 0;
      const firstIsLost = {
        execute: async (input: unknown, next: (input: never) => Promise<unknown>) => {
          const isWrite = Context.current().info.activityType === 'saveTurn';
          writes += isWrite ? 1 : 0;
          if (!isWrite || writes > 1) return await next(input as never);
          await sleep(2_000);
          throw new Error('the worker is gone');
        },
      };
      const workerOptions = { interceptors: { activity: [() => ({ inbound: firstIsLost })] } };
      return { worker: { stores, workerOptions }, close: () => stores.close() };
    },
    talk: async (thread) => {
      await say(thread, 'Hi.');
      await sleep(300);
      await thread.clear();
      await say(thread, 'A tree.');
    },
  },
  /** The stored key has the tenant, also after continue-as-new. */
  'thread-of-tenant': {
    runner: agent('thread-of-tenant', { memory: { kind: 'full', store: 'default' } }),
    steps: ['Hello.', 'An oak.', 'An elm.', 'A fir.'],
    thread: { userId: 'ada', tenant: 'acme' },
    own: (scratch) => {
      const stores = new SqliteStores({ path: `${scratch}/thread-of-tenant.db` });
      return { worker: { stores }, close: () => stores.close() };
    },
    keeps: 'own',
    talk: (thread) => say(thread, 'Hi.', 'A tree.', 'Another.', 'And another.'),
  },
  'thread-summarised': {
    runner: agent('thread-summarised', {
      tools: [],
      context: { window: 1_000, keepTurns: 1 },
    }),
    steps: [
      full('An oak is a tree. '.repeat(200)),
      full('An elm, too.'),
      'They spoke of trees.',
      'A fir.',
    ],
    talk: (thread) => say(thread, 'A tree?', 'Another?', 'And another?'),
  },
  /** A turn that fails, one that asks, and enough turns to continue as new. */
  'thread-continues': {
    runner: agent('thread-continues', { askUser: 'tool' }),
    steps: [
      { error: new ProviderError('rejected', 'the request is wrong') },
      ask('Which tree?'),
      'An oak.',
      'An elm.',
      'A fir.',
      'A yew.',
    ],
    keeps: 'own',
    talk: async (thread) => {
      await say(thread, 'Hi.');
      const turn = await thread.send('Name a tree.');
      await openInputs(thread, 1);
      await thread.resume('oak');
      await turn.result();
      await say(thread, 'Another.', 'And another.', 'And the last.');
    },
  },
  'thread-cancelled': {
    runner: agent('thread-cancelled'),
    steps: ['Hello.', { text: 'Never said.', delayMs: 60_000 }],
    isCut: true,
    talk: async (thread, { longhaul, modelCalled }) => {
      await say(thread, 'Hi.');
      await thread.send('Count all trees.');
      await modelCalled(2);
      await longhaul.run(thread.threadId).cancel('the chat was closed');
    },
  },
};
