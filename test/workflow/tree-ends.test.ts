// The end of a tree of runs: what cancels or terminates the root run ends all below it, and stops spending; what was spent counts.

import { parallel, sequential } from '../../src';
import type { RunHandle } from '../../src/client';
import type { ModelProvider } from '../../src/worker';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';
import { scriptedAgents } from './scripted-agents';

/** A provider that never answers, and notes when each of its calls is aborted. */
function hangingModel(): ModelProvider & { readonly calls: string[]; readonly aborted: number[] } {
  const calls: string[] = [];
  const aborted: number[] = [];
  return {
    name: 'hanging',
    calls,
    aborted,
    call: async ({ model }, { signal }) => {
      calls.push(model);
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          aborted.push(Date.now());
          reject(signal.reason as Error);
        });
      });
    },
  };
}

describe('a tree of runs', () => {
  let harness: Harness;
  let model: ReturnType<typeof hangingModel>;
  let run: RunHandle;

  beforeEach(async () => {
    harness = await openHarness();
    model = hangingModel();
    const agents = scriptedAgents();
    const slow = ['one', 'two'].map((id) => agents.agent(id, ['?'], { model: `hanging/${id}` }));
    const asker = agents.agent(
      'asker',
      [{ toolCalls: [{ name: 'ask_user', args: { question: 'Which one?' } }] }],
      { askUser: 'tool' },
    );
    const branches = [...slow, sequential({ id: 'nested', steps: [asker] })];
    const root = sequential({ id: 'pipeline', steps: [parallel({ id: 'all', branches })] });
    await harness.worker({
      runners: [root],
      providers: { scripted: agents.provider, hanging: model },
    });
    run = await harness.longhaul.start(root.id, 'Go');
    await eventually('the model calls', () => model.calls.length === 2);
    await eventually('the question', async () => (await run.pending()).length === 1);
  });
  afterEach(() => harness.close());

  /** Every run of the tree, by path, as the server knows it. */
  async function statuses(): Promise<Record<string, string>> {
    const { workflow } = harness.longhaul.client;
    const found: Record<string, string> = {};
    for await (const { workflowId } of workflow.list({
      query: `RootWorkflowId = '${run.workflowId}'`,
    })) {
      const { status, memo } = await workflow.getHandle(workflowId).describe();
      const { agent, path } = memo?.['longhaul'] as { agent: string; path?: string };
      found[path ?? agent] = status.name;
    }
    return found;
  }

  const all = (status: string): Record<string, string> => ({
    pipeline: status,
    'pipeline/all': status,
    'pipeline/all/branch-1': status,
    'pipeline/all/branch-2': status,
    'pipeline/all/branch-3': status,
    'pipeline/all/branch-3/asker': status,
  });

  it('that is cancelled aborts its model calls and ends as Canceled throughout', async () => {
    await run.cancel('enough');
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled', message: 'enough' });
    await eventually('the end of the model calls', () => model.aborted.length === 2);
    expect(model.calls).toHaveLength(2);
    expect(await statuses()).toEqual(all('CANCELLED'));
    // Of the asker's one call, three runs below: the others were never answered.
    expect((await run.usage()).totalTokens).toBe(15);
  });

  it('that is cancelled ends a run below that has continued as new', async () => {
    const asker = (await run.tree()).children
      .flatMap(({ children }) => children)
      .flatMap(({ children }) => children)
      .find(({ path }) => path === 'pipeline/all/branch-3/asker');
    await continueAsNew(harness.longhaul, harness.longhaul.run(asker?.workflowId ?? ''));
    await run.cancel('enough');
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled', message: 'enough' });
    expect(await statuses()).toEqual(all('CANCELLED'));
  });

  it('whose root run is terminated leaves no run and no model call behind', async () => {
    await harness.longhaul.client.workflow.getHandle(run.workflowId).terminate('enough');
    await eventually('the end of the model calls', () => model.aborted.length === 2);
    await eventually('the end of all', async () => {
      return Object.values(await statuses()).every((status) => status === 'TERMINATED');
    });
    expect(await statuses()).toEqual(all('TERMINATED'));
    expect(model.calls).toHaveLength(2);
  });
});
