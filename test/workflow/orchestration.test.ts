// Pipelines: child workflows in sequence, in parallel and as a graph, and questions from inside them.

import { defineTool, graph, parallel, sequential, subAgent, type Runner } from '../../src';
import type { RunHandle } from '../../src/client';
import { askUser } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { lastText, scriptedAgents, type Script } from './scripted-agents';

const ask = askUser('Which one?');
const echo: Script = [(request) => `<${lastText(request)}>`];

/** Writes `key` of the session, so that what merges can be told. */
const writeTool = defineTool({
  name: 'write',
  description: 'Writes',
  inputSchema: { type: 'object', properties: { value: { type: 'string' } } },
  session: ['shared'],
  execute: ({ value }, { session, agentId }) => {
    session['shared'] = `${value as string} by ${agentId}`;
    return 'written';
  },
});
const write: Script = [{ toolCalls: [{ name: 'write', args: { value: 'x' } }] }, 'wrote'];

const breakTool = defineTool({
  name: 'break',
  description: 'Breaks',
  inputSchema: { type: 'object' },
  onError: 'fail',
  retry: { maximumAttempts: 1 },
  execute: () => {
    throw new Error('it broke');
  },
});

describe('orchestrations', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function start(
    root: Runner,
    agents: ReturnType<typeof scriptedAgents>,
    options: Parameters<Harness['longhaul']['start']>[2] = {},
  ): Promise<RunHandle> {
    await harness.deploy({ runners: [root], providers: { scripted: agents.provider } });
    return await harness.longhaul.start(root.id, 'Go', options);
  }

  it('run in sequence, each step with the text of the one before it', async () => {
    const agents = scriptedAgents();
    const steps = ['plan', 'draft', 'polish'].map((id) => agents.agent(id, echo));
    const run = await start(sequential({ id: 'pipeline', steps, passOutput: true }), agents);
    expect(await run.outcome()).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: '<<<Go>>>' }, usage: { totalTokens: 45 }, iterations: 0 },
    });
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const types = events.map(
      (event) => event.childWorkflowExecutionStartedEventAttributes?.workflowType?.name,
    );
    expect(types.filter(Boolean)).toEqual(['agentWorkflow', 'agentWorkflow', 'agentWorkflow']);
  });

  it('run at the same time, and merge what each branch changed', async () => {
    const agents = scriptedAgents();
    const branches = [
      agents.agent('writer', write, { tools: [writeTool] }),
      agents.agent('reader', ['read']),
    ];
    const run = await start(parallel({ id: 'both', branches }), agents, { session: { own: 1 } });
    expect(await run.outcome()).toMatchObject({
      kind: 'complete',
      result: {
        finalResponse: { text: 'read' },
        combinedText: '["wrote","read"]',
        iterations: 1,
        session: { own: 1, shared: 'x by writer' },
      },
    });
  });

  it('give a task of a graph the results it waits for', async () => {
    const agents = scriptedAgents();
    const [one, two] = ['one', 'two'].map((id) => agents.agent(id, [`fact of ${id}`]));
    const root = graph({
      id: 'research',
      tasks: [
        { id: 'first', runner: one as Runner },
        { id: 'second', runner: two as Runner },
        {
          id: 'sum',
          runner: agents.agent('sum', echo),
          dependencies: ['first', 'second'],
          prompt: '${input}: ${first.output} and ${second.output}',
        },
      ],
    });
    const run = await start(root, agents);
    expect((await run.result()).finalResponse.text).toBe('<Go: fact of one and fact of two>');
  });

  it('ask from any depth, each branch for itself, and are answered in any order', async () => {
    const agents = scriptedAgents();
    const asker = (id: string) =>
      agents.agent(id, [ask, (request) => `${id} got ${lastResult(request)}`], { askUser: 'tool' });
    const manager = agents.agent(
      'manager',
      [{ toolCalls: [{ name: 'look_up', args: { input: 'it' } }] }, 'looked up'],
      { tools: [subAgent(asker('lookup'), { name: 'look_up', description: 'Looks up' })] },
    );
    const research = parallel({
      id: 'research',
      branches: [asker('left'), manager, agents.agent('quick', ['quick'])],
    });
    const last = agents.agent('last', echo);
    const root = sequential({ id: 'pipeline', steps: [research, last], passOutput: 'combined' });
    const run = await start(root, agents);
    await eventually('both ask', async () => (await run.pending()).length === 2);
    const pending = await run.pending();
    expect(pending.map(({ path }) => path).sort()).toEqual([
      'pipeline/research/branch-1',
      'pipeline/research/branch-2/look_up',
    ]);
    await expect(run.resume('x')).rejects.toMatchObject({ code: 'AmbiguousInput' });
    const deepest = pending.find(({ path }) => path.endsWith('look_up'));
    await run.resume('B', { inputId: deepest?.inputId ?? '' });
    const second = await run.outcome();
    expect(second).toMatchObject({ kind: 'needs-input', path: 'pipeline/research/branch-1' });
    await run.resume('A');
    expect((await run.result()).finalResponse.text).toBe('<["left got A","looked up","quick"]>');
  });

  it('give the first branch that completes, and drop the questions of the others', async () => {
    const agents = scriptedAgents();
    const branches = [
      agents.agent('slow', [ask, 'late'], { askUser: 'tool' }),
      agents.agent('fast', ['fast']),
    ];
    const root = sequential({
      id: 'pipeline',
      steps: [parallel({ id: 'race', branches, merge: 'first' }), agents.agent('last', echo)],
      passOutput: true,
    });
    const run = await start(root, agents);
    expect((await run.result()).finalResponse.text).toBe('<fast>');
    expect(await run.pending()).toEqual([]);
  });

  it('end what else an agent called in the turn that fails it', async () => {
    const agents = scriptedAgents();
    const asker = agents.agent('asker', [ask], { askUser: 'tool' });
    const toolCalls = [{ name: 'look_up', args: { input: 'it' } }, { name: 'break' }];
    const root = agents.agent('manager', [{ toolCalls }], {
      tools: [subAgent(asker, { name: 'look_up', description: 'Looks up' }), breakTool],
    });
    const run = await start(root, agents);
    await expect(run.result()).rejects.toMatchObject({ code: 'ToolError' });
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    expect(events.some((event) => event.childWorkflowExecutionCanceledEventAttributes)).toBe(true);
  });

  it('end with the failure of a branch, under its own code, and leave no child open', async () => {
    const agents = scriptedAgents();
    const branches = [
      agents.agent('waits', [ask], { askUser: 'tool' }),
      agents.agent('loops', [{ toolCalls: [{ name: 'write', args: {} }] }], {
        tools: [writeTool],
        maxIterations: 1,
      }),
    ];
    const root = sequential({ id: 'pipeline', steps: [parallel({ id: 'both', branches })] });
    const run = await start(root, agents);
    await expect(run.result()).rejects.toMatchObject({ code: 'MaxIterationsExceeded' });
    const open = harness.longhaul.client.workflow.list({
      query: `RootWorkflowId = '${run.workflowId}' AND ExecutionStatus = 'Running'`,
    });
    await eventually('all are closed', async () => (await collect(open)).length === 0);
  });
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The text of the request's last tool result. */
function lastResult({
  messages,
}: {
  readonly messages: readonly { readonly parts: readonly object[] }[];
}): string {
  const part = messages.at(-1)?.parts.at(-1) as { content?: { text?: string }[] } | undefined;
  return part?.content?.[0]?.text ?? '?';
}
