// A result by token, three agents deep: after a lost worker and a continue-as-new.

import { TestWorkflowEnvironment } from '@temporalio/testing';
import { defineAgent, defineTool, subAgent } from '../../src';
import { hasCode } from '../../src/protocol/errors';
import { scriptedModel } from '../../src/testing/scripted-model';
import { describeWithTimeSkipping, timeSkippingServerPath } from '../servers';
import { callOf } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';
import { quietRuntime } from './quiet';

const scripts = {
  manager: [callOf('research', { input: 'Sum up 2025.' }), 'All is summed up.'],
  researcher: [callOf('fetch', { input: 'Get the orders.' }), 'There were 3.'],
  fetcher: [callOf('export', {}), 'I have 3.'],
};

/** The first attempt of the export never ends: its worker has to go. */
function exportingAgents(tokens: string[]) {
  const exports = defineTool({
    name: 'export',
    description: 'Exports the orders',
    inputSchema: { type: 'object' },
    result: 'later',
    execute: async (_args, { resultToken }) => {
      tokens.push(resultToken);
      if (tokens.length === 1) await new Promise(() => undefined);
    },
  });
  const fetcher = defineAgent({ id: 'fetcher', model: 'fetcher/one', tools: [exports] });
  const researcher = defineAgent({
    id: 'researcher',
    model: 'researcher/one',
    tools: [subAgent(fetcher, { name: 'fetch', description: 'Fetches' })],
  });
  const manager = defineAgent({
    id: 'manager',
    model: 'manager/one',
    tools: [subAgent(researcher, { name: 'research', description: 'Researches' })],
  });
  const providers = Object.fromEntries(
    Object.entries(scripts).map(([name, steps]) => [name, scriptedModel(steps)]),
  );
  return { runners: [manager], providers };
}

describe('a result by token, three agents deep', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('comes from the attempt that was lost with its worker, and counts once', async () => {
    const tokens: string[] = [];
    const { longhaul } = harness;
    // All workers share the script of the models.
    const options = exportingAgents(tokens);
    const first = await harness.worker(options);
    const run = await longhaul.start('manager', 'Go.');
    await eventually('the work has begun', () => Promise.resolve(tokens.length === 1));
    const [token = ''] = tokens;
    await first.stop();
    const second = await harness.worker(options);
    await eventually('the call waits', async () => (await run.pending()).length === 1);
    expect(await run.pending()).toMatchObject([
      { kind: 'tool', path: 'manager/research/fetch', call: { name: 'export' } },
    ]);
    const asking = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
    await continueAsNew(longhaul, longhaul.run(asking));
    await second.stop();
    await harness.worker(options);
    expect(tokens).toHaveLength(2);
    expect(await run.pending()).toHaveLength(1);
    await Promise.all([1, 2].map(() => longhaul.completeByToken(token, { orders: 3 })));
    const again = await longhaul
      .completeByToken(token, { orders: 4 })
      .catch((error: unknown) => error);
    expect(hasCode(again, 'AlreadyAnswered') || hasCode(again, 'TokenInvalid')).toBe(true);
    expect((await run.result()).finalResponse.text).toBe('All is summed up.');
    expect(linesOf(await longhaul.run(asking).transcript())).toEqual([
      'Get the orders.',
      '→ export {}',
      '← export {"orders":3}',
      'I have 3.',
    ]);
  });
});

describeWithTimeSkipping('a result by token, a week later', () => {
  it('ends a call three agents deep, once, on a worker that did not begin it', async () => {
    quietRuntime();
    const executable = { type: 'existing-path', path: timeSkippingServerPath() } as const;
    const env = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
    const harness = await openHarness(env.address);
    try {
      const { longhaul } = harness;
      const tokens: string[] = ['none is lost'];
      // With a cache, the server would wait for the worker that is gone, in time that does not pass.
      const options = { ...exportingAgents(tokens), workerOptions: { maxCachedWorkflows: 0 } };
      const first = await harness.worker(options);
      const run = await longhaul.start('manager', 'Go.');
      await eventually('the call waits', async () => (await run.pending()).length === 1);
      const token = tokens[1] ?? '';
      const asking = longhaul.run(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      await first.stop();
      await env.sleep('7 days');
      await harness.worker(options);
      await continueAsNew(longhaul, asking);
      await longhaul.completeByToken(token, { orders: 3 });
      await longhaul.completeByToken(token, { orders: 3 }).catch(refuseAllButClosed);
      expect((await run.result()).finalResponse.text).toBe('All is summed up.');
      const lines = linesOf(await asking.transcript());
      expect(lines.filter((line) => line.startsWith('←'))).toEqual(['← export {"orders":3}']);
      expect(tokens).toHaveLength(2);
    } finally {
      await harness.close();
      await env.teardown();
    }
  });
});

/** The run may have ended already. Then the token means nothing any more. */
function refuseAllButClosed(error: unknown): void {
  if (!hasCode(error, 'TokenInvalid')) throw error;
}
