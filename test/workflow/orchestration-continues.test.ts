// Orchestrations that outgrow their history, on a dev server of their own that says so soon: they go on as new, but never over an open child.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parallel, sequential } from '../../src';
import type { RunHandle } from '../../src/client';
import { type DevServer, findTemporalCli, startDevServer } from '../../src/server/dev/dev-server';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const ask = askUser('Which one?');

/** Fewer events than three steps make. */
const eventsPerExecution = 30;

describe('an orchestration that outgrows its history', () => {
  let folder: string;
  let server: DevServer;
  let harness: Harness;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-impatient-'));
    const cliPath = join(folder, 'temporal');
    const path = await findTemporalCli();
    const setting = `limit.historyCount.suggestContinueAsNew=${eventsPerExecution}`;
    writeFileSync(cliPath, `#!/bin/sh\nexec '${path}' "$@" --dynamic-config-value ${setting}\n`);
    chmodSync(cliPath, 0o755);
    server = await startDevServer({ cliPath, headless: true });
    harness = await openHarness(server.address);
  });
  afterAll(async () => {
    await harness?.close();
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  it('goes on as new between steps, never over an open child, and pauses again after it', async () => {
    const agents = scriptedAgents();
    const said = (id: string): Script => [(request) => `${lastText(request)} ${id}`];
    const asker = (id: string) =>
      agents.agent(id, [ask, (request) => `${lastText(request)} ${id}`], { askUser: 'tool' });
    const steps = [
      ...['a', 'b', 'c'].map((id) => agents.agent(id, said(id))),
      parallel({ id: 'both', branches: [asker('left'), agents.agent('right', said('right'))] }),
      agents.agent('d', said('d')),
      asker('last'),
    ];
    const root = sequential({ id: 'pipeline', steps, passOutput: true });
    await harness.worker({ runners: [root], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start(root.id, 'Go', { session: { kept: true } });
    const first = await run.outcome();
    expect(first).toMatchObject({ kind: 'needs-input', path: 'pipeline/both/branch-1' });
    const during = (await run.state()).runId;
    await outgrow(run);
    expect((await run.state()).runId).toBe(during);
    await run.resume('one');
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', path: 'pipeline/last' });
    await run.resume('two');
    const result = await run.result();
    expect(result).toMatchObject({
      finalResponse: { text: 'Go a b c right d last' },
      session: { kept: true },
    });
    const tree = await run.tree();
    expect(tree.children.map(({ runner }) => runner)).toEqual(['a', 'b', 'c', 'both', 'd', 'last']);
    const [started] = await fetchHistory(harness.longhaul, run.workflowId);
    const { continuedExecutionRunId } = started?.workflowExecutionStartedEventAttributes ?? {};
    expect(continuedExecutionRunId).toBe(during);
  });

  /** Answers for inputs that there are not, until the execution is due to be continued. */
  async function outgrow({ workflowId }: RunHandle): Promise<void> {
    const { workflow } = harness.longhaul.client;
    for (let count = 0; count < eventsPerExecution; count += 1) {
      await workflow.getHandle(workflowId).signal('resume', { answer: 'x', inputId: 'none' });
    }
    const refused = async () =>
      (await harness.longhaul.run(workflowId).state()).rejected.length > 0;
    await eventually('the answers are refused', refused);
    const { historyLength } = await workflow.getHandle(workflowId).describe();
    expect(historyLength).toBeGreaterThan(eventsPerExecution);
  }
});
