// Queries to a run whose history ends with what no workflow task has taken.

import type { RunState } from '../../src/protocol/run';
import { queryNames, signalNames } from '../../src/protocol/names';
import { openHarness, type Harness } from './harness';
import { scriptedAgents } from './scripted-agents';

describe('a run that was terminated before it took a signal', () => {
  const agents = scriptedAgents();
  const question = { toolCalls: [{ name: 'ask_user', args: { question: 'Which?' } }] };
  const runners = [agents.agent('asker', [question], { askUser: 'tool' })];
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('answers a worker that reads it from its beginning', async () => {
    const options = { runners, providers: { scripted: agents.provider } };
    const worker = await harness.worker(options);
    const { longhaul } = harness;
    const run = await longhaul.start('asker', 'Hello');
    await run.outcome();
    await worker.stop();
    const handle = longhaul.client.workflow.getHandle(run.workflowId);
    await handle.signal(signalNames.askAgain);
    await handle.terminate('enough');
    await harness.worker(options);
    const state = await handle.query<RunState>(queryNames.state);
    expect(state.status).toBe('needs-input');
  });
});
