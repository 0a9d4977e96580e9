// Tools with effect `once` on the dev server, and calls made again after a reset: what ends a call is not taken for its answer.

import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { defineTool, LonghaulError, subAgent, type Tool } from '../../src';
import type { RunHandle } from '../../src/client';
import type { ToolContext } from '../../src/define/tool';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { scriptedAgents, type Script } from './scripted-agents';

const inputSchema = {
  type: 'object',
  properties: { order: { type: 'number' } },
  additionalProperties: false,
} as const;

const refund: Script[number] = { toolCalls: [{ name: 'refund', args: { order: 7 } }] };
/** Of `PendingActivityState`. */
const paused = 4;
const told: Script[number] = ({ messages }) => JSON.stringify(messages.at(-1)?.parts);

/** Holds whoever comes until it is opened. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

describe('a tool with effect once', () => {
  let harness: Harness;
  let keys: string[];
  let gates: ReturnType<typeof gate>[];
  beforeEach(async () => {
    harness = await openHarness();
    keys = [];
    gates = [];
  });
  afterEach(async () => {
    gates.forEach(({ open }) => open());
    await harness.close();
  });

  const newGate = () => {
    const made = gate();
    gates.push(made);
    return made;
  };

  function refundTool(
    code: (context: ToolContext) => unknown,
    effect: 'once' | 'idempotent' = 'once',
  ): Tool {
    return defineTool({
      name: 'refund',
      description: 'Pays money back',
      inputSchema,
      effect,
      execute: async (_args, context) => {
        keys.push(context.idempotencyKey);
        return await code(context);
      },
    });
  }

  const serviceOf = () => harness.longhaul.client.workflowService;
  const called = (count = 1) =>
    eventually(`${count} calls of the tool`, () => keys.length >= count);

  /** The id of the call that is under way, as the server knows it. */
  async function activityId({ workflowId }: RunHandle): Promise<string> {
    const { raw } = await harness.longhaul.client.workflow.getHandle(workflowId).describe();
    const found = raw.pendingActivities?.find(
      ({ activityType }) => activityType?.name === 'callTool',
    );
    return found?.activityId ?? '';
  }

  const operator = {
    'shuts its worker down': undefined,
    'resets the activity': async (run: RunHandle) => {
      await serviceOf().resetActivity({
        namespace: 'default',
        execution: { workflowId: run.workflowId },
        id: await activityId(run),
      });
    },
    'pauses the activity and lets it go on': async (run: RunHandle) => {
      const id = await activityId(run);
      const activity = { namespace: 'default', execution: { workflowId: run.workflowId }, id };
      await serviceOf().pauseActivity(activity);
      await eventually('the attempt has ended', async () => {
        const { raw } = await harness.longhaul.client.workflow.getHandle(run.workflowId).describe();
        return Number(raw.pendingActivities?.[0]?.state) === paused;
      });
      await serviceOf().unpauseActivity(activity);
    },
  } as const;

  it.each([
    {
      who: 'shuts its worker down',
      reason: 'Worker is shutting down and this activity did not complete in time',
    },
    { who: 'resets the activity', reason: 'Activity reset' },
    { who: 'pauses the activity and lets it go on', reason: 'it was started before' },
  ] as const)('is made once, its outcome unknown, when an operator $who', async (row) => {
    const held = newGate();
    const agents = scriptedAgents();
    const tool = refundTool(() => held.opened);
    const agent = agents.agent('billing', [refund, told], { tools: [tool] });
    const options = { runners: [agent], providers: { scripted: agents.provider } };
    const first = await harness.worker(options);
    const run = await harness.longhaul.start('billing', 'Refund order 7.');
    await called();
    const act = operator[row.who];
    if (act === undefined) {
      await harness.worker(options);
      await first.stop();
    } else await act(run);
    expect((await run.result()).finalResponse.text).toContain(
      `OutcomeUnknown: the call broke off (${row.reason}) and may or may not have taken effect. Check before repeating it.`,
    );
    expect(keys).toHaveLength(1);
  });

  it.each([
    {
      what: 'an error',
      code: () => {
        throw new Error('declined');
      },
      text: "The tool 'refund' failed: declined",
    },
    {
      what: 'a ToolError',
      code: () => {
        throw new LonghaulError('ToolError', 'declined');
      },
      text: "The tool 'refund' failed: ToolError: declined",
    },
    {
      what: 'a failure of Temporal',
      code: () => {
        throw ApplicationFailure.create({ type: 'WorkerShutdown', message: 'declined' });
      },
      text: "The tool 'refund' failed: ApplicationFailure: declined",
    },
    {
      what: 'a cancellation that nobody asked for',
      code: () => {
        throw new CancelledFailure('gave up');
      },
      text: "The tool 'refund' failed: CancelledFailure: gave up",
    },
    {
      what: 'no JSON',
      code: () => new Map(),
      text: "The tool 'refund' ran, but its result is not JSON",
    },
    {
      what: 'a session that is not its own',
      code: ({ session }: ToolContext) => {
        session['stolen'] = 1;
      },
      text: "The tool 'refund' ran, but its result is not kept: tool 'refund' changed session keys",
    },
  ])('answers itself by $what', async ({ code, text }) => {
    const agents = scriptedAgents();
    const agent = agents.agent('billing', [refund, told], { tools: [refundTool(code)] });
    await harness.deploy({ runners: [agent], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start('billing', 'Refund order 7.');
    expect((await run.result()).finalResponse.text).toContain(text);
    expect(keys).toHaveLength(1);
  });

  describe('after a reset', () => {
    /** To before the n-th completed workflow task, counted from the end if negative: what that task decided is undone. */
    async function reset({ workflowId }: RunHandle, task: number): Promise<void> {
      const events = await fetchHistory(harness.longhaul, workflowId);
      const completed = events.filter((event) => event.workflowTaskCompletedEventAttributes);
      const workflowTaskFinishEventId = completed.at(task)?.eventId;
      if (!workflowTaskFinishEventId) throw new Error(`the run has no workflow task ${task}`);
      await serviceOf().resetWorkflowExecution({
        namespace: 'default',
        workflowExecution: { workflowId },
        reason: 'test',
        requestId: randomUUID(),
        workflowTaskFinishEventId,
      });
    }

    /** A task that is completed behind a result of a tool: what it decided can be undone without the calls beside it. */
    async function sawToolResult({ workflowId }: RunHandle): Promise<boolean> {
      const events = await fetchHistory(harness.longhaul, workflowId);
      const calls = events.filter(
        ({ activityTaskScheduledEventAttributes: scheduled }) =>
          scheduled?.activityType?.name === 'callTool',
      );
      const isOfCall = (id: unknown): boolean =>
        calls.some((call) => String(call.eventId) === String(id));
      const done = events.findIndex(({ activityTaskCompletedEventAttributes: completed }) =>
        isOfCall(completed?.scheduledEventId),
      );
      const since = done < 0 ? [] : events.slice(done);
      return since.some((event) => event.workflowTaskCompletedEventAttributes);
    }

    it.each([
      { what: 'has the key it had', effect: 'idempotent', calls: 2 },
      { what: 'is not made again where its effect is once', effect: 'once', calls: 1 },
    ] as const)('a call in flight $what', async ({ effect, calls }) => {
      const held = newGate();
      const agents = scriptedAgents();
      const fast = defineTool({
        name: 'fast',
        description: 'Is done at once',
        inputSchema,
        execute: () => 'done',
      });
      const tool = refundTool(() => held.opened, effect);
      const both = { toolCalls: [...refund.toolCalls, { name: 'fast', args: {} }] };
      const agent = agents.agent('billing', [both, told], { tools: [tool, fast] });
      await harness.worker({ runners: [agent], providers: { scripted: agents.provider } });
      const run = await harness.longhaul.start('billing', 'Refund order 7.');
      await called();
      await eventually('the run has seen that the fast call is done', () => sawToolResult(run));
      await reset(run, -1);
      if (calls === 2) await called(2);
      held.open();
      const { text } = (await run.result()).finalResponse;
      expect(keys).toHaveLength(calls);
      expect(new Set(keys).size).toBe(1);
      if (effect === 'once') expect(text).toContain('OutcomeUnknown: the call broke off (it was');
    });

    it('calls below it have the keys they had, and every one of a turn its own', async () => {
      const agents = scriptedAgents();
      const twice = { toolCalls: [...refund.toolCalls, ...refund.toolCalls] };
      const tool = refundTool(() => 'paid', 'idempotent');
      const payer = agents.agent('payer', [twice, refund, 'paid'], { tools: [tool] });
      const pay = { name: 'pay', args: { input: 'Pay' } };
      const boss = agents.agent('boss', [{ toolCalls: [pay, pay] }, 'done'], {
        tools: [subAgent(payer, { name: 'pay', description: 'Pays' })],
      });
      await harness.worker({ runners: [boss], providers: { scripted: agents.provider } });
      const run = await harness.longhaul.start('boss', 'Go');
      await run.result();
      const before = [...keys];
      expect(before).toHaveLength(6);
      expect(new Set(before).size).toBe(6);
      await reset(run, 1);
      await run.result();
      expect(keys.slice(6).sort()).toEqual(before.sort());
    });
  });
});
