// The list of threads, as the dev server has it.

import type { Longhaul } from '../../src/client';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { scriptedAgents, type Script } from './scripted-agents';

const agents = scriptedAgents();
let goOn = (): void => undefined;
const held = new Promise<void>((resolve) => (goOn = resolve));

describe('the list of threads', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  beforeAll(async () => {
    harness = await openHarness();
    ({ longhaul } = harness);
    const script: Script = [
      async () => {
        await held;
        return askUser('Which one?');
      },
      'Done.',
    ];
    await harness.worker({
      runners: [agents.agent('held', script, { askUser: 'tool' })],
      providers: { scripted: agents.provider },
    });
  });
  afterAll(() => harness.close());

  it('says whether a turn works, waits for a person, or is not there', async () => {
    const thread = longhaul.thread({ agent: 'held', sessionId: harness.taskQueue });
    const status = async (): Promise<string | undefined> => {
      for await (const listed of longhaul.threads({ agent: 'held' }))
        if (listed.threadId === thread.threadId) return listed.status;
      return undefined;
    };
    const turn = await thread.send('Begin');
    await eventually('it works', async () => (await status()) === 'running');
    goOn();
    await eventually('it asks', async () => (await status()) === 'needs-input');
    await turn.resume('this one');
    await turn.result();
    await eventually('it is idle', async () => (await status()) === 'idle');
  });
});
