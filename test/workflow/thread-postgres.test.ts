// A thread on the dev server whose turns stand in a real PostgreSQL: the one of LONGHAUL_TEST_POSTGRES, else one started for this test.

import { randomUUID } from 'node:crypto';
import { PostgresStores } from '../../src/stores';
import { startPostgres, type PostgresServer } from '../contract/postgres';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { lastText, scriptedAgents } from './scripted-agents';

const agents = scriptedAgents();
const assistant = agents.agent('assistant', [(request) => `<${lastText(request)}>`], {
  memory: { kind: 'windowed', turns: 2, store: 'default' },
});

describe('a thread with PostgreSQL', () => {
  let harness: Harness;
  let server: PostgresServer;
  let stores: PostgresStores;
  beforeAll(async () => {
    [harness, server] = await Promise.all([openHarness(), startPostgres()]);
    const schema = `longhaul_thread_${randomUUID().slice(0, 8)}`;
    stores = new PostgresStores({ connectionString: server.url, schema, maxConnections: 4 });
    const options = { runners: [assistant], providers: { scripted: agents.provider }, stores };
    await Promise.all([harness.worker(options), harness.worker(options)]);
  });
  afterAll(async () => {
    await harness.close();
    await stores.close();
    await server.stop();
  });

  it('saves each turn, ends when nothing is said, goes on where it was, and forgets when told', async () => {
    const thread = harness.longhaul.thread({
      agent: 'assistant',
      userId: 'ada',
      sessionId: harness.taskQueue,
      idleTimeout: '200ms',
    });
    const rows = async () => await stores.memory.default.loadTurns(thread.key);
    const say = async (text: string): Promise<string> =>
      (await (await thread.send(text)).result()).finalResponse.text;

    for (const text of ['one', 'two', 'three']) expect(await say(text)).toBe(`<${text}>`);
    await eventually('it has ended', async () => (await thread.state()).status === 'completed');
    expect((await rows()).map(({ user, assistant: answer }) => [user, answer])).toEqual([
      ['one', '<one>'],
      ['two', '<two>'],
      ['three', '<three>'],
    ]);

    await say('four');
    const request = agents.provider.requests.findLast((each) => lastText(each) === 'four');
    expect(linesOf(request?.messages ?? [])).toEqual(['two', '<two>', 'three', '<three>', 'four']);
    await eventually('the fourth is saved', async () => (await rows()).length === 4);

    await thread.clear();
    expect(await rows()).toEqual([]);
    await say('five');
    expect((await thread.turns()).map(({ turn, user }) => [turn, user])).toEqual([[5, 'five']]);
  });
});
