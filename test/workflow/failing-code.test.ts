// Code of the user's that never ends or throws.
import { defineAgent, defineTool } from '../../src';
import { fetchHistory } from '../../src/testing/history';
import { scriptedModel } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

describe('code of users', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  it('lets a worker shut down while an approval function never answers', async () => {
    let asked = false;
    const probe = defineTool({
      name: 'probe',
      description: 'x',
      inputSchema: { type: 'object', properties: {} },
      needsApproval: () => {
        asked = true;
        return new Promise<boolean>(() => undefined);
      },
      execute: () => 'ran',
    });
    const agent = defineAgent({ id: 'probe', model: 'scripted/one', tools: [probe] });
    const model = scriptedModel([{ toolCalls: [{ name: 'probe' }] }]);
    const { stop } = await harness.worker({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'Go.');
    await eventually('the function is asked', () => asked);
    await stop();
    await run.cancel();
  });

  it('keeps what a tool threw as the cause of the error of the run, without stacks in history', async () => {
    const weather = defineTool({
      name: 'weather',
      description: 'x',
      inputSchema: { type: 'object', properties: {} },
      effect: 'once',
      onError: 'fail',
      execute: () => {
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED ::1:1') });
      },
    });
    const agent = defineAgent({ id: 'weather', model: 'scripted/one', tools: [weather] });
    const model = scriptedModel([{ toolCalls: [{ name: 'weather' }] }]);
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.startSpec(agent, 'Go.');
    const error = await run.result().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'ToolError',
      message: "The tool 'weather' failed: TypeError: fetch failed: connect ECONNREFUSED ::1:1",
      cause: { message: 'fetch failed', cause: { message: 'connect ECONNREFUSED ::1:1' } },
    });
    const history = JSON.stringify(await fetchHistory(harness.longhaul, run.workflowId));
    expect(history).not.toContain('failing-code.test.ts');
  });
});
