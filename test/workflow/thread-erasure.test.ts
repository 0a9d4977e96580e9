// What a thread kept in the result store, on the dev server: gone after a clear, and kept while a memory store has the conversation.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent } from '../../src';
import { collectGarbage, connect, type Longhaul, type ThreadHandle } from '../../src/client';
import { FileResults } from '../../src/stores';
import { type MemoryStore, SqliteStores } from '../../src/stores';
import { LonghaulError } from '../../src/protocol/errors';
import {
  type DeleteScopeOptions,
  type ResultStore,
  scopeOf,
} from '../../src/stores/results/result-store';
import { devServerAddress } from '../servers';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { lastText, scriptedAgents } from './scripted-agents';

const longText = (name: string): string => `${name} `.repeat(20_000);

/** May be down, or confirm contents late. */
class ShakyResults extends FileResults {
  isDown = false;
  afterPut: (() => Promise<void>) | undefined;

  override async put(...content: Parameters<FileResults['put']>): Promise<void> {
    await super.put(...content);
    const { afterPut } = this;
    this.afterPut = undefined;
    await afterPut?.();
  }

  override async deleteScope(scope: string, options?: DeleteScopeOptions): Promise<number> {
    if (this.isDown) throw new LonghaulError('StoreError', 'down', { retryable: true });
    return await super.deleteScope(scope, options);
  }
}

describe('the contents of a thread', () => {
  const agents = scriptedAgents();
  const runners: readonly Agent[] = [
    agents.agent('talker', [({ messages }) => `<${messages.length}>`]),
    agents.agent(
      'asker',
      [
        (request) =>
          request.messages.at(-1)?.role === 'tool'
            ? 'Thanks.'
            : { toolCalls: [{ name: 'ask_user', args: { question: 'Which?' } }] },
      ],
      { askUser: 'tool' },
    ),
    agents.agent('saved', [(request) => `<${lastText(request).length}>`], {
      memory: { kind: 'full', store: 'default' },
    }),
  ];
  let harness: Harness;
  let longhaul: Longhaul;
  let folder: string;
  let results: ShakyResults;
  let stores: SqliteStores;
  let count = 0;
  beforeAll(async () => {
    harness = await openHarness();
    folder = mkdtempSync(join(tmpdir(), 'longhaul-erased-'));
    results = new ShakyResults({ folder });
    stores = SqliteStores.inMemory();
    const { taskQueue } = harness;
    longhaul = await connect({ address: devServerAddress(), taskQueue, results });
    await harness.worker({ runners, providers: { scripted: agents.provider }, results, stores });
  });
  afterAll(async () => {
    await longhaul.close();
    await harness.close();
    await stores.close();
    rmSync(folder, { recursive: true });
  });

  function threadOf(agent: string, idleTimeout?: number): ThreadHandle {
    count += 1;
    const sessionId = `${harness.taskQueue}-${count}`;
    return longhaul.thread({ agent, sessionId, ...(idleTimeout !== undefined && { idleTimeout }) });
  }

  async function isKept({ threadId }: ThreadHandle): Promise<boolean> {
    const scopes = await results.scopes({ limit: 1_000 });
    return scopes.some(
      ({ scope }) => scope === scopeOf(longhaul.client.options.namespace, threadId),
    );
  }

  /** A turn has its result a moment before the thread knows that it is over. */
  async function say(thread: ThreadHandle, text: string): Promise<void> {
    await (await thread.send(text)).result();
    await eventually('the thread knows that the turn is over', async () => {
      const turns = await thread.turns();
      return turns.every(({ status }) => status === 'completed');
    });
  }

  it('are gone when its clear returns', async () => {
    const thread = threadOf('talker');
    await say(thread, longText('secret'));
    expect(await isKept(thread)).toBe(true);
    await thread.clear();
    expect(await isKept(thread)).toBe(false);
    const turn = await thread.send(longText('next'));
    expect((await turn.result()).finalResponse.text).toBe('<1>');
    expect(await isKept(thread)).toBe(true);
  });

  it('stay for a turn that still runs, and for a message that waits', async () => {
    const thread = threadOf('asker');
    const turn = await thread.send(longText('first'));
    await turn.outcome();
    await thread.clear();
    expect(await isKept(thread)).toBe(true);
    const next = await thread.send([
      { type: 'text', text: longText('second') },
      { type: 'text', text: 'Read this.' },
    ]);
    const [input] = await thread.pending();
    await thread.resume('This.', { inputId: input?.inputId ?? '' });
    await turn.result();
    await next.outcome();
    const shown = JSON.stringify(agents.provider.requests.at(-1)?.messages);
    expect(shown).toContain('second second');
    expect(shown).not.toContain('first first');
    await next.cancel();
  });

  it('stay for a message that is sent while a clear runs', async () => {
    const thread = threadOf('talker');
    await say(thread, longText('secret'));
    results.afterPut = () => thread.clear();
    const turn = await thread.send(longText('kept'));
    expect((await turn.result()).finalResponse.text).toBe('<1>');
    expect(results.afterPut).toBeUndefined();
    expect(JSON.stringify(agents.provider.requests.at(-1)?.messages)).toContain('kept kept');
  });

  it('are gone when a store that was down is back', async () => {
    const thread = threadOf('talker');
    await say(thread, longText('secret'));
    results.isDown = true;
    const cleared = thread.clear();
    await eventually('it was tried', async () => {
      const { activities } = await pendingOf(thread);
      return activities.some(({ attempt }) => (attempt ?? 0) > 1);
    });
    expect(await isKept(thread)).toBe(true);
    results.isDown = false;
    await cleared;
    expect(await isKept(thread)).toBe(false);
  });

  async function pendingOf({ threadId }: ThreadHandle) {
    const { raw } = await longhaul.client.workflow.getHandle(threadId).describe();
    return { activities: raw.pendingActivities ?? [] };
  }

  it('stay while a memory store has the conversation, although the server forgot the thread', async () => {
    const thread = threadOf('saved', 1_000);
    await (await thread.send(longText('kept'))).result();
    await eventually('the thread ends', async () => (await thread.state()).status === 'completed');
    const { client } = longhaul;
    const { namespace } = client.options;
    await client.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: thread.threadId },
    });
    await eventually('the server forgets it', async () => {
      const known = client.workflow.getHandle(thread.threadId).describe();
      return await known.then(
        () => false,
        () => true,
      );
    });
    const old: ResultStore = {
      put: (key, bytes) => results.put(key, bytes),
      get: (key) => results.get(key),
      deleteScope: (scope) => results.deleteScope(scope),
      scopes: async (page) => {
        const found = await results.scopes(page);
        return found.map(({ scope }) => ({ scope, lastWrittenAt: new Date(0) }));
      },
    };
    await collectGarbage(client, { results: old });
    expect(await isKept(thread)).toBe(true);
    await (await thread.send('And now?')).result();
    expect(JSON.stringify(agents.provider.requests.at(-1)?.messages)).toContain('kept kept');
    await thread.clear();
    expect(await isKept(thread)).toBe(false);
  });

  // A worker that lost the thread meets a task without commands and the clear's task as one. The next worker replays them as two.
  it('are gone when the worker that takes the clear does not know the thread', async () => {
    const own = await openHarness();
    try {
      let letSave = (): void => undefined;
      const mayBeSaved = new Promise<void>((resolve) => (letSave = resolve));
      const slow: MemoryStore = {
        ...stores.memory.default,
        saveTurn: async (turn, options) => {
          await mayBeSaved;
          return await stores.memory.default.saveTurn(turn, options);
        },
      };
      await own.worker({
        runners,
        providers: { scripted: agents.provider },
        stores: { memory: { default: slow } },
        workerOptions: { maxCachedWorkflows: 0 },
      });
      const thread = own.longhaul.thread({ agent: 'saved', sessionId: own.taskQueue });
      const workflow = own.longhaul.client.workflow.getHandle(thread.threadId);
      const lastTask = async (): Promise<string> => {
        const events = await fetchHistory(own.longhaul, thread.threadId);
        const isOver = events.at(-1)?.workflowTaskCompletedEventAttributes;
        return isOver ? String(events.at(-1)?.eventId) : '';
      };
      await say(thread, 'secret');
      const before = await lastTask();
      await workflow.signal('giveBack', { messageId: 'unknown' });
      await eventually('a task without commands', async () => {
        const last = await lastTask();
        return last !== '' && last !== before;
      });
      letSave();
      await eventually('another one', async () => {
        const events = await fetchHistory(own.longhaul, thread.threadId);
        const saved = events.findLastIndex((each) => each.activityTaskCompletedEventAttributes);
        return saved === events.length - 4 && (await lastTask()) !== '';
      });
      await thread.clear();
      const turn = await thread.send('next');
      expect((await turn.result()).finalResponse.text).toBe('<4>');
    } finally {
      await own.close();
    }
  });
});
