// A conversation over days on a time-skipping server: it ends when nothing is said, and goes on from its store.

import { defineAgent } from '../../src';
import { createTestEnvironment, scriptedModel } from '../../src/testing';
import { SqliteStores } from '../../src/worker';
import { describeWithTimeSkipping, timeSkippingServerPath, workflowBundlePath } from '../servers';
import { linesOf } from './conversation';
import { quietRuntime } from './quiet';

describeWithTimeSkipping('a thread in skipped time', () => {
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
      workerOptions: { workflowBundle: { codePath: workflowBundlePath() } },
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
