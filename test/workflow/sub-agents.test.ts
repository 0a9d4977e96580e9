// Agents called as tools: child workflows whose text, session and questions come back up.

import { criteria, defineAgent, defineTool, subAgent, type Agent } from '../../src';
import type { RunHandle } from '../../src/client';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { askUser, callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

const remember = defineTool({
  name: 'remember',
  description: 'Remembers a fact',
  inputSchema: { type: 'object', properties: { fact: { type: 'string' } } },
  session: ['facts'],
  execute: ({ fact }, { session }) => {
    session['facts'] = [...((session['facts'] as string[] | undefined) ?? []), fact as string];
    return 'remembered';
  },
});

describe('sub-agents', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  /** Every agent has a model of its own, so that each has its script. */
  async function start(
    root: Agent,
    scripts: Readonly<Record<string, readonly ScriptedStep[]>>,
    options: { session?: Record<string, never> | { [key: string]: string[] } } = {},
  ): Promise<RunHandle> {
    const providers = Object.fromEntries(
      Object.entries(scripts).map(([name, steps]) => [name, scriptedModel(steps)]),
    );
    await harness.deploy({ runners: [root], providers });
    return await harness.longhaul.start(root.id, 'Go.', options);
  }

  /** The workflow id of the first child of a run. */
  async function childOf({ workflowId }: RunHandle): Promise<string> {
    const events = await fetchHistory(harness.longhaul, workflowId);
    const started = events.map((event) => event.childWorkflowExecutionStartedEventAttributes);
    return started.find(Boolean)?.workflowExecution?.workflowId ?? '';
  }

  it('run as child workflows whose final text is the result', async () => {
    const researcher = defineAgent({
      id: 'researcher',
      model: 'researcher/one',
      instructions: 'R',
    });
    const manager = defineAgent({
      id: 'manager',
      model: 'manager/one',
      tools: [subAgent(researcher, { name: 'research', description: 'Researches' })],
    });
    const run = await start(manager, {
      manager: [callOf('research', { input: 'Whales' }), 'Whales are big.'],
      researcher: ['They are big.'],
    });
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({
      kind: 'complete',
      result: {
        finalResponse: { text: 'Whales are big.' },
        iterations: 1,
        usage: { totalTokens: 45 },
      },
    });
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const started = events.find(
      (event) => event.childWorkflowExecutionStartedEventAttributes,
    )?.childWorkflowExecutionStartedEventAttributes;
    expect(started?.workflowType?.name).toBe('agentWorkflow');
    const childId = started?.workflowExecution?.workflowId ?? '';
    expect(childId).toMatch(new RegExp(`^${run.workflowId}\\.research\\.1\\.0~[0-9a-f]{8}$`));
    const child = harness.longhaul.run(childId);
    expect(await child.result()).toMatchObject({ finalResponse: { text: 'They are big.' } });
    expect(await child.state()).toMatchObject({ path: 'manager/research', status: 'completed' });
    const childEvents = await fetchHistory(harness.longhaul, childId);
    const [pinned] = childEvents.flatMap((event) => {
      const result = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0]?.data;
      return result ? [Buffer.from(result).toString()] : [];
    });
    expect(pinned).toContain('"kind":"pinned"');
    expect(pinned).not.toContain('instructions');
  });

  it('start from the session of their caller and give back what they changed', async () => {
    const scribe = defineAgent({ id: 'scribe', model: 'scribe/one', tools: [remember] });
    const manager = defineAgent({
      id: 'manager',
      model: 'manager/one',
      tools: [subAgent(scribe, { name: 'write', description: 'Writes down' }), remember],
    });
    const note = (fact: string): ScriptedStep => ({
      toolCalls: [{ name: 'remember', args: { fact } }],
    });
    const run = await start(
      manager,
      {
        manager: [callOf('write', { input: 'this' }), note('three'), 'Done.'],
        scribe: [note('two'), 'Written.'],
      },
      { session: { facts: ['one'] } },
    );
    const { session } = await run.result();
    expect(session).toEqual({ facts: ['one', 'two', 'three'] });
  });

  it('fetch a session that is too long to travel', async () => {
    const reader = defineAgent({ id: 'reader', model: 'reader/one', tools: [remember] });
    const manager = defineAgent({
      id: 'manager',
      model: 'manager/one',
      tools: [subAgent(reader, { name: 'read', description: 'Reads' })],
    });
    const long = 'x'.repeat(10_000);
    const run = await start(
      manager,
      {
        manager: [callOf('read', { input: 'this' }), 'Done.'],
        reader: [{ toolCalls: [{ name: 'remember', args: { fact: 'short' } }] }, 'Read.'],
      },
      { session: { facts: [long] } },
    );
    const { session } = await run.result();
    expect(session).toEqual({ facts: [long, 'short'] });
    const [started] = await fetchHistory(harness.longhaul, await childOf(run));
    const input = started?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
    expect(input?.length).toBeLessThan(1_000);
  });

  it('ask on the root run, two at a time, answered in any order', async () => {
    const helper = (id: string) => defineAgent({ id, model: `${id}/one`, askUser: 'tool' });
    const middle = defineAgent({
      id: 'middle',
      model: 'middle/one',
      tools: [subAgent(helper('deep'), { name: 'dig', description: 'Digs' })],
    });
    const top = defineAgent({
      id: 'top',
      model: 'top/one',
      tools: [
        subAgent(middle, { name: 'delegate', description: 'Delegates' }),
        subAgent(helper('flat'), { name: 'look', description: 'Looks' }),
      ],
    });
    const run = await start(top, {
      top: [
        {
          toolCalls: [
            { name: 'delegate', args: { input: 'a' } },
            { name: 'look', args: { input: 'b' } },
          ],
        },
        'Done.',
      ],
      middle: [callOf('dig', { input: 'c' }), 'Delegated.'],
      deep: [askUser('How deep?'), 'Dug.'],
      flat: [askUser('How flat?'), 'Looked.'],
    });
    await eventually('both questions', async () => (await run.pending()).length === 2);
    const pending = await run.pending();
    expect(pending.map(({ question, path, agentId }) => ({ question, path, agentId }))).toEqual(
      expect.arrayContaining([
        { question: 'How deep?', path: 'top/delegate/dig', agentId: 'deep' },
        { question: 'How flat?', path: 'top/look', agentId: 'flat' },
      ]),
    );
    await expect(run.resume('x')).rejects.toMatchObject({ code: 'AmbiguousInput' });
    const deep = pending.find(({ agentId }) => agentId === 'deep')?.inputId ?? '';
    const flat = pending.find(({ agentId }) => agentId === 'flat')?.inputId ?? '';
    await run.resume('very', { inputId: deep });
    await expect(run.resume('otherwise', { inputId: deep })).rejects.toMatchObject({
      code: 'AlreadyAnswered',
    });
    await run.resume('rather', { inputId: flat });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'Done.' } });
    const answers = JSON.stringify(await run.transcript());
    expect(answers).toContain('Delegated.');
    expect(answers).toContain('Looked.');
  });

  const leaf = defineAgent({ id: 'leaf', model: 'leaf/one' });
  const branch = defineAgent({
    id: 'branch',
    model: 'branch/one',
    tools: [subAgent(leaf, { name: 'leaf', description: 'Leaf' })],
  });

  it.each([
    { name: 'any call below', policy: { disallowSubAgentCalls: true } },
    { name: 'a call of that agent', policy: { disallowedAgentIds: ['leaf'] } },
  ])('are bound by what their caller forbids: $name', async ({ policy }) => {
    const root = defineAgent({
      id: 'root',
      model: 'root/one',
      tools: [subAgent(branch, { name: 'branch', description: 'Branch', policy })],
    });
    const run = await start(root, {
      root: [callOf('branch', { input: 'a' })],
      branch: [callOf('leaf', { input: 'b' })],
      leaf: [],
    });
    await expect(run.outcome()).rejects.toMatchObject({
      code: 'DisallowedAgentCall',
      details: { id: 'leaf' },
    });
  });

  it('show their failure to the model, or end the run when the caller says so', async () => {
    const endless = defineAgent({
      id: 'endless',
      model: 'endless/one',
      tools: [remember],
      maxIterations: 0,
    });
    const tools = (onError: 'return' | 'fail') => [
      subAgent(endless, { name: 'try', description: 'Tries', onError }),
    ];
    const scripts = {
      endless: [{ toolCalls: [{ name: 'remember', args: {} }] }],
      tolerant: [callOf('try', { input: 'a' }), 'It failed.'],
      strict: [callOf('try', { input: 'a' })],
    };
    const tolerant = defineAgent({ id: 'tolerant', model: 'tolerant/one', tools: tools('return') });
    const first = await start(tolerant, scripts);
    await first.result();
    expect(JSON.stringify((await first.transcript())[2])).toContain("The agent 'try' failed");
    const strict = defineAgent({ id: 'strict', model: 'strict/one', tools: tools('fail') });
    const second = await start(strict, scripts);
    await expect(second.outcome()).rejects.toMatchObject({ code: 'MaxIterationsExceeded' });
  });

  it('are cancelled with their caller, and not left waiting', async () => {
    const asker = defineAgent({ id: 'asker', model: 'asker/one', askUser: 'tool' });
    const manager = defineAgent({
      id: 'manager',
      model: 'manager/one',
      tools: [subAgent(asker, { name: 'ask', description: 'Asks' })],
      criteria: [criteria.keyword('Done')],
    });
    const run = await start(manager, {
      manager: [callOf('ask', { input: 'a' })],
      asker: [askUser('Which?')],
    });
    await run.outcome();
    const childId = await childOf(run);
    await run.cancel('enough');
    await expect(run.result()).rejects.toMatchObject({ code: 'RunCancelled', message: 'enough' });
    const child = await harness.longhaul.client.workflow.getHandle(childId).describe();
    expect(child.status.name).toBe('CANCELLED');
  });

  it('are refused where the definition itself is a circle', () => {
    const inner = defineAgent({ id: 'same', model: 'a/b' });
    const define = () =>
      defineAgent({
        id: 'same',
        model: 'a/b',
        tools: [subAgent(inner, { name: 'again', description: 'Again' })],
      });
    expect(define).toThrow(
      expect.objectContaining({ code: 'CircularAgentCall', details: { id: 'same' } }) as Error,
    );
  });
});
