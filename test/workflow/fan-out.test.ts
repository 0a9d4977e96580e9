// Wide parallels: how many start at a time, what a branch with a long input costs, and what is asked of runs above.

import {
  defineAgent,
  defineCallbacks,
  defineTool,
  overrideResponse,
  parallel,
  sequential,
  subAgent,
  type Agent,
} from '../../src';
import { entriesFromHistory } from '../../src/client/timeline/history';
import { jsonBytes } from '../../src/core/transcript/fit-texts';
import { limits } from '../../src/protocol/limits';
import { queryNames } from '../../src/protocol/names';
import { scriptedModel } from '../../src/testing/scripted-model';
import { openHarness, type Harness } from './harness';
import { fetchHistory, type HistoryEvents } from './history';
import { lastText, scriptedAgents } from './scripted-agents';

/** More than run at a time; as many of `text` as no result holds whole; and as many as take a long input. */
const branches = { wide: limits.concurrency + 10, loud: 100, heavy: 20 };

describe('a wide parallel', () => {
  let harness: Harness;
  const agents = scriptedAgents();
  const echo = agents.agent('echo', [(request) => lastText(request).slice(-9)]);
  const company = untilThereAre(limits.concurrency);
  const wide = parallel({
    id: 'wide',
    branches: Array.from({ length: branches.wide }, (_, index) =>
      agents.agent(`b${index}`, [
        async () => {
          await company();
          return `${index}`;
        },
      ]),
    ),
  });
  const heavy = parallel({
    id: 'heavy',
    branches: Array.from({ length: branches.heavy }, (): Agent => echo),
  });
  const text = '16 KiB: '.repeat(2_048);
  const talker = agents.agent('talker', [text]);
  const talkers = Array.from({ length: branches.loud }, (): Agent => talker);
  const loud = parallel({ id: 'loud', branches: talkers });
  const toldOn = sequential({ id: 'told-on', steps: [loud, echo], passOutput: 'combined' });
  const above = sequential({ id: 'above', steps: [heavy, echo] });

  let questions: (query: string) => number;

  beforeAll(async () => {
    harness = await openHarness();
    const options = { runners: [wide, above, toldOn], providers: { scripted: agents.provider } };
    // Each has a cache of its own: one of them never saw the definition that the other one pinned.
    const spies = [1, 2].map(async () => {
      const { connection } = await harness.worker(options);
      return jest.spyOn(connection.workflowService, 'queryWorkflow');
    });
    const calls = (await Promise.all(spies)).map((spy) => spy.mock.calls);
    questions = (name) => calls.flat().filter(([{ query }]) => query?.queryType === name).length;
  });
  afterAll(() => harness.close());

  it('runs at most 50 branches at a time and gives all texts in branch order', async () => {
    const run = await harness.longhaul.start('wide', 'Go');
    const { combinedText, finalResponse } = await run.result();
    expect(JSON.parse(combinedText ?? '')).toEqual(
      wide.spec.branches.map((_, index) => `${index}`),
    );
    expect(finalResponse.text).toBe(`${branches.wide - 1}`);
    const { mostOpen, mostStarts } = childrenOf(
      await fetchHistory(harness.longhaul, run.workflowId),
    );
    expect(mostOpen).toBe(limits.concurrency);
    expect(mostStarts).toBe(limits.childStarts);
    expect(questions(queryNames.definition)).toBe(1);
  });

  it('gives its branches an input of 200 KiB by reference, which each worker asks for once', async () => {
    const input = `${'word '.repeat(40 * 1024)}the end`;
    const { client } = harness.longhaul;
    const run = await harness.longhaul.start('above', input);
    expect((await run.result()).finalResponse.text).toBe('d the end');
    const tree = await run.tree();
    const [branching] = tree.children;
    const bytesOf = async (workflowId = '') =>
      Number((await client.workflow.getHandle(workflowId).describe()).historySize);
    expect(await bytesOf(run.workflowId)).toBeLessThan(input.length + 20_000);
    const perBranch = ((await bytesOf(branching?.workflowId)) - input.length) / branches.heavy;
    expect(perBranch).toBeLessThan(3_000);
    const [prompt] = await entriesFromHistory(client, branching?.children.at(-1)?.workflowId ?? '');
    expect(prompt).toMatchObject({ kind: 'user', message: { parts: [{ text: input }] } });
    // Of the parallel, of its branches on both workers, and of the last step.
    expect(questions(queryNames.childInput)).toBeLessThanOrEqual(1 + 2 + 1);
  });

  it('completes with 100 texts of 16 KiB, of which it gives the heads', async () => {
    const result = await (await harness.longhaul.start('loud', 'Go')).result();
    expect(jsonBytes(result)).toBeLessThanOrEqual(limits.result);
    const texts = JSON.parse(result.combinedText ?? '') as readonly string[];
    expect(texts).toHaveLength(branches.loud);
    for (const head of texts)
      expect(head).toMatch(/^(16 KiB: ){1000}.* of 16384 bytes are shown]$/s);
    expect(result.finalResponse.text).toBe(text);
    expect(result.warnings?.at(-1)).toContain('tree()');
  });
});

/** Waits until as many wait; who comes later waits no more. */
function untilThereAre(count: number): () => Promise<void> {
  let waiting = 0;
  let goOn: () => void = () => undefined;
  const complete = new Promise<void>((resolve) => (goOn = resolve));
  return async () => {
    waiting += 1;
    if (waiting >= count) goOn();
    await complete;
  };
}

/** Of a run: how many of its children were open at the same time, and how many one of its workflow tasks started. */
function childrenOf(events: HistoryEvents): { mostOpen: number; mostStarts: number } {
  let open = 0;
  let mostOpen = 0;
  const startsOf = new Map<string, number>();
  for (const event of events) {
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (initiated) {
      const task = String(initiated.workflowTaskCompletedEventId);
      startsOf.set(task, (startsOf.get(task) ?? 0) + 1);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
    }
    if (event.childWorkflowExecutionCompletedEventAttributes) open -= 1;
  }
  return { mostOpen, mostStarts: Math.max(0, ...startsOf.values()) };
}

describe('many calls with a long session', () => {
  const look = defineTool({
    name: 'look',
    description: 'Looks',
    inputSchema: { type: 'object' },
    session: ['long'],
    execute: () => 'seen',
  });
  const looker = defineAgent({ id: 'look', model: 'scripted/one' });
  const hooks = defineCallbacks({
    name: 'looking',
    session: ['long'],
    beforeToolCall: () => overrideResponse('seen'),
  });

  it.each([
    { what: 'calls of tools', type: 'callTool', options: { tools: [look] }, args: {} },
    {
      what: 'hooks around calls',
      type: 'runToolHooks',
      options: {
        tools: [subAgent(looker, { name: 'look', description: 'Looks' })],
        callbacks: [hooks],
      },
      args: { input: 'Look.' },
    },
  ])('start as fast as one message carries them: $what', async ({ type, options, args }) => {
    const harness = await openHarness();
    const toolCalls = Array.from({ length: 48 }, () => ({ name: 'look', args }));
    const agent = defineAgent({
      id: 'caller',
      model: 'scripted/one',
      toolConcurrency: 32,
      ...options,
    });
    await harness.deploy({
      runners: [agent],
      providers: { scripted: scriptedModel([{ toolCalls }, 'Done.']) },
    });
    try {
      const session = { long: 'x'.repeat(60 * 1024) };
      const run = await harness.longhaul.start(agent.id, 'Go.', { session });
      expect(await run.result()).toMatchObject({ finalResponse: { text: 'Done.' } });
      const perTask = new Map<string, number>();
      let count = 0;
      for (const event of await fetchHistory(harness.longhaul, run.workflowId)) {
        const scheduled = event.activityTaskScheduledEventAttributes;
        if (scheduled?.activityType?.name !== type) continue;
        const task = String(scheduled.workflowTaskCompletedEventId);
        const bytes = scheduled.input?.payloads?.[0]?.data?.length ?? 0;
        perTask.set(task, (perTask.get(task) ?? 0) + bytes);
        count += 1;
      }
      expect(count).toBe(48);
      expect(Math.max(...perTask.values())).toBeLessThanOrEqual(limits.toolCallBytes);
    } finally {
      await harness.close();
    }
  });
});
