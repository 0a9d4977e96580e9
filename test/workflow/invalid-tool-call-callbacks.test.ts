// The fifth hook: what becomes of calls whose names are not allowed.

import { defineAgent, defineCallbacks, defineTool, type AgentOptions } from '../../src';
import type { RunHandle } from '../../src/client';
import type { OnInvalidToolCallContext } from '../../src/define/callbacks';
import type { InvalidToolCallAction } from '../../src/protocol/agent-run';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { openHarness, type Harness } from './harness';

type Action = InvalidToolCallAction | undefined;

const unknownCall = { toolCalls: [{ name: 'lookup', args: { word: 'tea' } }] };
const mixed = {
  toolCalls: [
    { name: 'lookup', args: { word: 'tea' } },
    { name: 'look_up', args: { word: 'cup' } },
    { name: 'find', args: { word: 'pot' } },
  ],
};

describe('onInvalidToolCall', () => {
  let harness: Harness;
  const ran: string[] = [];
  const seen: string[] = [];
  const tool = defineTool<{ word: string }>({
    name: 'look_up',
    description: 'Looks a word up',
    inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
    execute: ({ word }) => {
      ran.push(word);
      return `a meaning of ${word}`;
    },
  });
  const careful = defineTool({
    name: 'look_up',
    description: 'Looks a word up, if a person lets it',
    inputSchema: { type: 'object', properties: {} },
    needsApproval: () => true,
    execute: () => 'done',
  });

  beforeAll(async () => {
    harness = await openHarness();
  });
  beforeEach(() => {
    ran.length = 0;
    seen.length = 0;
  });
  afterAll(() => harness.close());

  async function start(
    steps: readonly ScriptedStep[],
    decide: (context: OnInvalidToolCallContext) => Action,
    options: Partial<AgentOptions> = {},
  ): Promise<RunHandle> {
    const own = defineCallbacks({
      name: 'own',
      onInvalidToolCall: (context) => {
        seen.push(context.call.name);
        return decide(context);
      },
      afterModelCall: ({ response }) => void seen.push(`after ${response.finishReason}`),
    });
    const agent = defineAgent({
      id: 'own',
      model: 'scripted/one',
      tools: [tool],
      callbacks: [own],
      ...options,
    });
    const providers = { scripted: scriptedModel(steps) };
    await harness.deploy({ runners: [agent], providers });
    return await harness.longhaul.startSpec(agent, 'Go.');
  }

  /** The texts of the results of the first tool message. */
  async function resultsOf(run: RunHandle): Promise<unknown[]> {
    const message = (await run.transcript())[2];
    if (message?.role !== 'tool') return [];
    return message.parts.flatMap(({ content }) =>
      content.map((part) => (part.type === 'text' ? part.text : part)),
    );
  }

  it.each<{ name: string; action: Action; results: string[] }>([
    {
      name: 'retries with its feedback',
      action: { kind: 'retry', feedback: 'It is called look_up.' },
      results: ['It is called look_up.'],
    },
    {
      name: 'repairs the name, under which the call runs and stands in history',
      action: { kind: 'repair', name: 'look_up' },
      results: ['a meaning of tea'],
    },
    {
      name: 'skips the call with its reason',
      action: { kind: 'skip', reason: 'Not needed.' },
      results: ['Not needed.'],
    },
    {
      name: "leaves it to the agent's own rule by answering nothing",
      action: undefined,
      results: ["There is no tool 'lookup' to call now. Available: look_up."],
    },
  ])('$name', async ({ action, results }) => {
    const run = await start([unknownCall, 'Done.'], () => action);
    await run.result();
    expect(await resultsOf(run)).toEqual(results);
    expect(ran).toEqual(action?.kind === 'repair' ? ['tea'] : []);
    const called = (await run.transcript())[1]?.parts[0];
    expect(called).toMatchObject({ name: action?.kind === 'repair' ? 'look_up' : 'lookup' });
  });

  it.each<{ action: InvalidToolCallAction; error: object }>([
    { action: { kind: 'fail' }, error: { code: 'InvalidToolCall' } },
    {
      action: { kind: 'stop', reason: 'enough' },
      error: { code: 'RunCancelled', message: expect.stringContaining('enough') as string },
    },
    {
      action: { kind: 'repair', name: 'nowhere' },
      error: { code: 'InvalidToolCall', details: { toolName: 'nowhere' } },
    },
  ])('ends the run with $action.kind', async ({ action, error }) => {
    const run = await start([unknownCall], () => action);
    await expect(run.result()).rejects.toMatchObject(error);
  });

  it('is asked about each invalid call, left to right', async () => {
    const run = await start([mixed, 'Done.'], ({ call }) =>
      call.name === 'lookup'
        ? { kind: 'repair', name: 'look_up' }
        : { kind: 'skip', reason: 'No.' },
    );
    await run.result();
    expect(seen).toEqual(['lookup', 'find', 'after stop']);
    expect(ran).toEqual([]);
    expect(await resultsOf(run)).toContain('No.');
  });

  it('is not asked about later calls of a turn that is tried again', async () => {
    const run = await start([mixed, 'Done.'], () => ({ kind: 'retry', feedback: 'Again.' }));
    await run.result();
    expect(seen).toEqual(['lookup', 'after stop']);
  });

  it('hides a turn that it decided about from afterModelCall, and no other', async () => {
    const run = await start([unknownCall, 'Done.'], () => undefined);
    await run.result();
    expect(seen).toEqual(['lookup', 'after tool_calls', 'after stop']);
  });

  it.each<{ rule: 'fail' | 'ignore'; outcome: object }>([
    { rule: 'fail', outcome: { code: 'InvalidToolCall' } },
    { rule: 'ignore', outcome: { finalResponse: { text: 'Done.' } } },
  ])('comes before the rule $rule, which holds where it answers nothing', async (row) => {
    const run = await start(
      [mixed, 'Done.'],
      ({ call }) => (call.name === 'lookup' ? { kind: 'repair', name: 'look_up' } : undefined),
      { onInvalidToolCall: row.rule },
    );
    const outcome: unknown = await run.result().catch((error: unknown) => error);
    expect(outcome).toMatchObject(row.outcome);
    expect([...ran].sort()).toEqual(row.rule === 'ignore' ? ['cup', 'tea'] : []);
  });

  it('does not spare a repaired call the approval of a person', async () => {
    const run = await start([unknownCall], () => ({ kind: 'repair', name: 'look_up' }), {
      tools: [careful],
    });
    expect(await run.outcome()).toMatchObject({
      kind: 'needs-input',
      pending: [{ kind: 'approval', call: { name: 'look_up' } }],
    });
  });

  it('is told what may be called, and why this call may not', async () => {
    const contexts: object[] = [];
    const run = await start(
      [{ toolCalls: [{ name: 'look_up', args: { word: 'tea' } }] }, 'Done.'],
      ({ call, executable, allowed, toolChoice, reason, messages }) => {
        contexts.push({ call, executable, allowed, toolChoice, reason, last: messages.at(-1) });
        return { kind: 'retry', feedback: 'Answer in text.' };
      },
      { toolChoice: 'none' },
    );
    await run.result();
    const call = {
      type: 'tool_call',
      callId: 'call_1_0',
      name: 'look_up',
      args: { word: 'tea' },
    };
    expect(contexts).toMatchObject([
      {
        call,
        executable: ['look_up'],
        allowed: [],
        toolChoice: 'none',
        reason: 'disallowed-by-tool-choice',
        last: { role: 'assistant', parts: [call] },
      },
    ]);
  });

  it('ends the run when it answers what is no action', async () => {
    const run = await start([unknownCall], () => ({ kind: 'skip' }) as never);
    await expect(run.result()).rejects.toMatchObject({
      code: 'InternalError',
      message: expect.stringContaining("{kind: 'skip', reason}") as string,
    });
  });
});
