// Threads with more than travels, whose store is away or late: nothing is dropped, and nothing comes back.

import { randomBytes } from 'node:crypto';
import type { Longhaul, ThreadHandle } from '../../src/client';
import { LonghaulError } from '../../src/protocol/errors';
import { SqliteStores, type MemoryStore } from '../../src/stores';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const agents = scriptedAgents();
/** Base64, which deflates to three quarters. */
const noise = (length: number): string => randomBytes(length).toString('base64').slice(0, length);
const gates = new Map<string, () => void>();
const long: Script = [
  async (request) => {
    const [first = ''] = lastText(request).split(' ');
    if (first.startsWith('held')) await new Promise<void>((resolve) => gates.set(first, resolve));
    return `<${first}> ${noise(200_000)}`;
  },
];

describe('a thread with more than travels', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  const stores = SqliteStores.inMemory();
  const memory = stores.memory.default;
  let isDown = false;
  /** What the next save waits for, whether it is cancelled or not. */
  let lateness: Promise<void> | undefined;

  beforeAll(async () => {
    harness = await openHarness();
    ({ longhaul } = harness);
    const away: MemoryStore = {
      ...memory,
      saveTurn: async (turn, options) => {
        if (isDown) throw new LonghaulError('StoreError', 'down', { retryable: true });
        const waiting = lateness;
        lateness = undefined;
        await waiting;
        return await memory.saveTurn(turn, options);
      },
    };
    await harness.worker({
      runners: [
        agents.agent('long', long),
        agents.agent('saving', long, { memory: { kind: 'full', store: 'away' } }),
      ],
      providers: { scripted: agents.provider },
      stores: { memory: { away } },
      logCacheBytes: 1,
    });
  });
  afterAll(async () => {
    await harness.close();
    await stores.close();
  });

  const threadOf = (agent: string, name: string): ThreadHandle =>
    longhaul.thread({ agent, sessionId: `${harness.taskQueue}-${name}` });
  const answer = async (thread: ThreadHandle, text: string): Promise<void> =>
    void (await (await thread.send(text)).result());
  const saved = async ({ key }: ThreadHandle): Promise<unknown[]> =>
    (await memory.loadTurns(key)).map(({ user }) => user);

  it('gives each turn all that was said, whatever waits when it moves', async () => {
    const thread = threadOf('long', 'whole');
    const texts = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const text of texts) await answer(thread, text);
    await thread.send('held');
    await eventually('it runs', () => gates.has('held'));
    const pictures = ['one', 'two'].map((text) => `${text} ${noise(150_000)}`);
    const sent = [];
    for (const picture of pictures) sent.push(await thread.send(picture));
    await expect(thread.send(`three ${noise(150_000)}`)).rejects.toMatchObject({
      code: 'ThreadBusy',
    });
    gates.get('held')?.();
    await sent[1]?.result();
    const request = agents.provider.requests.at(-1);
    const said = (request?.messages ?? []).map(({ parts: [part] }) =>
      part?.type === 'text' ? part.text.split(' ')[0] : '',
    );
    const whole = [...texts, 'held', 'one'].flatMap((text) => [text, `<${text}>`]);
    expect(said).toEqual([...whole, 'two']);
    const [started] = await fetchHistory(longhaul, thread.threadId);
    expect(started?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toBeTruthy();
    expect((await thread.state()).rejected).toEqual([]);
  });

  it('takes no more turns than it can keep while its store is down, and loses none', async () => {
    const thread = threadOf('saving', 'down');
    isDown = true;
    let turns = 0;
    const busy = await (async () => {
      for (; turns < 30; turns += 1) await answer(thread, `${turns}`);
    })().catch((error: unknown) => error);
    expect(busy).toMatchObject({ code: 'ThreadBusy' });
    expect(turns).toBeGreaterThan(5);
    isDown = false;
    await eventually('all is saved', async () => (await saved(thread)).length === turns);
    expect(await saved(thread)).toEqual(Array.from({ length: turns }, (_, turn) => `${turn}`));
    await answer(thread, 'again');
  });

  it('writes what is unsaved when it is cancelled', async () => {
    const thread = threadOf('saving', 'cancelled');
    isDown = true;
    await answer(thread, 'one');
    const handle = longhaul.client.workflow.getHandle(thread.threadId);
    await handle.cancel();
    isDown = false;
    await expect(handle.result()).rejects.toThrow();
    expect(await saved(thread)).toEqual(['one']);
  });

  it('brings nothing back that was cleared while a save of it was late', async () => {
    const thread = threadOf('saving', 'late');
    let release = (): void => undefined;
    lateness = new Promise((resolve) => (release = resolve));
    const written = lateness;
    await answer(thread, 'one');
    await eventually('the save is under way', () => lateness === undefined);
    await thread.clear();
    release();
    await written;
    await answer(thread, 'two');
    await eventually('the next turn is saved', async () => (await saved(thread)).length > 0);
    expect(await saved(thread)).toEqual(['two']);
  });

  it('takes a message once that was sent again after no worker was there', async () => {
    const unserved = await openHarness();
    const thread = unserved.longhaul.thread({ agent: 'long', sessionId: unserved.taskQueue });
    const message = { messageId: 'm-1' };
    await expect(thread.send('one', message)).rejects.toMatchObject({ code: 'NoWorker' });
    const runners = [agents.agent('long', long)];
    await unserved.worker({ runners, providers: { scripted: agents.provider } });
    const again = await thread.send('one', message);
    await again.result();
    expect(await thread.turns()).toHaveLength(1);
    await unserved.close();
  });
});
