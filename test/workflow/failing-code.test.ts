// Code of the user's that never ends, on the dev server.
import { defineAgent, defineTool } from '../../src';
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
});
