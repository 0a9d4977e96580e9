// A conversation over days on a time-skipping server: it ends when nothing is said, and goes on from its store.

import { defineAgent } from '../../src';
import { LonghaulError } from '../../src/protocol/errors';
import { createTestEnvironment, scriptedModel } from '../../src/testing';
import { SqliteStores, type MemoryStore } from '../../src/stores';
import { describeWithTimeSkipping, timeSkippingServerPath, workflowsInThread } from '../servers';
import { linesOf } from './conversation';
import { quietRuntime } from './quiet';

describeWithTimeSkipping('a thread in skipped time', () => {
  it('answers while its store is down for a minute, and saves each turn once, in order', async () => {
    quietRuntime();
    const stores = SqliteStores.inMemory();
    const memory = stores.memory.default;
    const written: unknown[] = [];
    let upAgain = Number.POSITIVE_INFINITY;
    let now = 0;
    const shaky: MemoryStore = {
      ...memory,
      saveTurn: async (turn, options) => {
        if (now < upAgain) throw new LonghaulError('StoreError', 'down', { retryable: true });
        written.push(turn.user);
        return await memory.saveTurn(turn, options);
      },
    };
    const agent = defineAgent({
      id: 'assistant',
      model: 'scripted/one',
      memory: { kind: 'full', store: 'shaky' },
    });
    const test = await createTestEnvironment({
      runners: [agent],
      providers: { scripted: scriptedModel(['Hi.', 'Bye.']) },
      stores: { memory: { shaky } },
      serverPath: timeSkippingServerPath(),
      workerOptions: workflowsInThread(),
    });
    const begun = (await test.now()).getTime();
    const sinceBegun = async (): Promise<number> => (await test.now()).getTime() - begun;
    const thread = test.client.thread({ agent: 'assistant', sessionId: 's' });
    for (const [input, text] of [
      ['Hello.', 'Hi.'],
      ['Goodbye.', 'Bye.'],
    ] as const) {
      const result = { finalResponse: { text } };
      expect(await test.outcome(await thread.send(input))).toMatchObject({ result });
    }
    expect(await sinceBegun()).toBeLessThan(30_000);
    while ((now = await sinceBegun()) < 60_000) await test.skip('10 seconds');
    expect(written).toEqual([]);
    upAgain = 60_000;
    await test.skip('3 minutes');
    expect(written).toEqual(['Hello.', 'Goodbye.']);
    const saved = await memory.loadTurns(thread.key);
    expect(saved.map(({ user, assistant }) => [user, assistant])).toEqual([
      ['Hello.', 'Hi.'],
      ['Goodbye.', 'Bye.'],
    ]);
    await test.close();
    await stores.close();
  });

  it('ends after a week of silence, and remembers when it is spoken to again', async () => {
    quietRuntime();
    const stores = SqliteStores.inMemory();
    const model = scriptedModel(['Hi.', 'You said hello.']);
    const agent = defineAgent({
      id: 'assistant',
      model: 'scripted/one',
      memory: { kind: 'full', store: 'default' },
    });
    const test = await createTestEnvironment({
      runners: [agent],
      providers: { scripted: model },
      stores,
      serverPath: timeSkippingServerPath(),
      workerOptions: workflowsInThread(),
    });
    const thread = test.client.thread({
      agent: 'assistant',
      sessionId: 's',
      idleTimeout: '7 days',
    });
    expect(await test.outcome(await thread.send('Hello.'))).toMatchObject({ kind: 'complete' });
    await test.skip('6 days');
    expect((await thread.state()).status).toBe('running');
    await test.skip('2 days');
    expect((await thread.state()).status).toBe('completed');
    expect(await test.outcome(await thread.send('What did I say?'))).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'You said hello.' } },
    });
    expect(linesOf(model.requests.at(-1)?.messages ?? [])).toEqual([
      'Hello.',
      'Hi.',
      'What did I say?',
    ]);
    await test.close();
    await stores.close();
  });
});
