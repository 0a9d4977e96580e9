// Tools that run in the activity of the model call: a run comes to the same as with an activity for each call, for
// fewer events.

import { randomUUID } from 'node:crypto';
import { defineCallbacks, subAgent, type AgentOptions, type ToolContext } from '../../src';
import type { JsonObject } from '../../src/base/json';
import type { ResetPlan, RunHandle } from '../../src/client';
import { limits } from '../../src/protocol/limits';
import { measureHistory } from '../../src/testing/history';
import { aTool, askUser } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew, fetchHistory } from './history';
import { scriptedAgents, type Script } from './scripted-agents';

/** A turn that calls these tools, each by its own number. */
const calls = (...names: readonly string[]) => ({
  toolCalls: names.map((name, index) => ({ name, args: { index }, callId: `${name}-${index}` })),
});

/** What ran, in order: tools and hooks write it down. */
const seenIn = ({ seen }: JsonObject): string => (typeof seen === 'string' ? seen : '');

describe('tools that read', () => {
  let harness: Harness;
  const agents = scriptedAgents();
  const made: string[] = [];
  const note = (name: string, { session, context }: ToolContext): string => {
    made.push(name);
    session['seen'] = `${seenIn(session)} ${name}`;
    return `${name} in ${JSON.stringify(context)} after ${seenIn(session)}`;
  };
  const read = { effect: 'read', session: ['seen'] } as const;
  let hung = 0;
  let aborted = 0;
  const hang = async (_args: unknown, { signal }: ToolContext): Promise<never> => {
    hung += 1;
    return await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted += 1;
        reject(signal.reason as Error);
      });
    });
  };
  let slowCalls = 0;
  const tools = [
    aTool('look', (_args, context) => note('look', context), read),
    aTool('peek', (_args, context) => note('peek', context), read),
    aTool('write', (_args, context) => note('write', context), { session: ['seen'] }),
    aTool('book', (_args, context) => note('book', context), { ...read, effect: 'once' }),
    aTool('check', (_args, context) => note('check', context), { ...read, needsApproval: true }),
    aTool(
      'fail',
      () => {
        made.push('fail');
        throw new Error('no such page');
      },
      { effect: 'read', retry: { maximumAttempts: 3, initialInterval: 1 } },
    ),
    aTool('strict', () => 'taken', {
      effect: 'read',
      inputSchema: { type: 'object', properties: { index: { type: 'string' } } },
    }),
    aTool('hang', hang, { effect: 'read' }),
    aTool(
      'slow',
      async (args, context) => {
        slowCalls += 1;
        return slowCalls === 1 ? await hang(args, context) : 'at last';
      },
      { effect: 'read' },
    ),
    subAgent(agents.agent('helper', ['helped']), { name: 'help', description: 'Helps' }),
  ];
  const hooks = defineCallbacks({
    name: 'hooks',
    session: ['seen'],
    beforeToolCall: ({ call, iteration, session }) => {
      session['seen'] = `${seenIn(session)} (${iteration} ${call.name}`;
    },
    afterToolCall: ({ session }) => {
      session['seen'] = `${seenIn(session)})`;
    },
    afterModelCall: ({ turn, session }) => {
      session['seen'] = `${seenIn(session)} #${turn}`;
    },
  });

  const scripts: readonly {
    readonly what: string;
    readonly script: Script;
    readonly options?: Partial<AgentOptions>;
    /** How many tool calls have an activity of their own, if reads run inline. */
    readonly apart: number;
  }[] = [
    {
      what: 'several turns',
      script: [calls('look', 'peek'), calls('peek'), 'Done.'],
      apart: 0,
    },
    {
      what: 'hooks around the calls',
      script: [calls('look', 'peek'), calls('peek'), 'Done.'],
      options: { callbacks: [hooks] },
      apart: 0,
    },
    {
      what: 'calls of every kind in a turn',
      script: [
        {
          toolCalls: [
            ...calls('look', 'write', 'check', 'book').toolCalls,
            { name: 'help', args: { input: 'Help.' }, callId: 'help' },
            { name: 'ask_user', args: { question: 'Which one?' }, callId: 'ask' },
            { name: 'peek', args: {}, callId: 'peek' },
          ],
        },
        calls('peek'),
        'Done.',
      ],
      options: { askUser: 'tool' },
      apart: 3,
    },
    {
      what: 'a call of a tool that the agent lacks',
      script: [calls('look', 'nothing', 'peek'), calls('peek'), 'Done.'],
      apart: 0,
    },
    {
      what: 'a call that is dropped',
      script: [calls('look', 'nothing', 'peek'), calls('peek'), 'Done.'],
      options: { onInvalidToolCall: 'ignore' },
      apart: 2,
    },
    {
      what: 'malformed arguments',
      script: [
        {
          toolCalls: [
            { name: 'look', args: '{', callId: 'look' },
            { name: 'peek', callId: 'peek' },
          ],
        },
        calls('peek'),
        'Done.',
      ],
      apart: 1,
    },
    { what: 'wrong arguments', script: [calls('strict', 'look'), 'Done.'], apart: 0 },
    { what: 'a call that fails', script: [calls('look', 'fail'), 'Done.'], apart: 1 },
    {
      what: 'an answer that does not do',
      script: [calls('look'), 'Not yet.', calls('peek'), 'DONE'],
      options: { criteria: [{ kind: 'keyword', keyword: 'DONE' }] },
      apart: 0,
    },
    {
      what: 'the last round',
      script: [calls('look'), calls('peek'), 'Done.'],
      options: { maxIterations: 2 },
      apart: 0,
    },
  ];

  const inline = (id: string, script: Script, options: Partial<AgentOptions> = {}) =>
    agents.agent(id, script, { tools, inlineReads: true, ...options });

  beforeAll(async () => {
    harness = await openHarness();
    const pairs = scripts.flatMap(({ script, options }, index) => [
      inline(`inline-${index}`, script, options),
      agents.agent(`apart-${index}`, script, { tools, ...options }),
    ]);
    const others = [
      inline('short', [calls('look'), 'Done.']),
      inline('spender', [calls('look'), calls('peek'), 'Done.']),
      inline('runner', [calls('look'), calls('peek')], { maxIterations: 1 }),
      inline('asker', [calls('look'), askUser('Which?'), calls('peek'), 'Done.'], {
        askUser: 'tool',
      }),
      inline('hanger', [calls('hang')]),
      inline('slow', [calls('slow'), 'Done.'], { inlineTimeout: 50 }),
    ];
    const providers = { scripted: agents.provider };
    await harness.worker({ runners: [...pairs, ...others], providers });
  });
  afterAll(() => harness.close());

  const start = async (id: string): Promise<RunHandle> =>
    await harness.longhaul.start(id, 'Go.', {
      session: { seen: 'nothing' },
      context: { place: 'town' },
    });

  const sizeOf = async ({ workflowId }: RunHandle) =>
    measureHistory({ events: await fetchHistory(harness.longhaul, workflowId) });

  /** What a run comes to, if each call that waits for a person may run. Without what differs between two runs of a script. */
  async function finish(run: RunHandle): Promise<unknown> {
    for (let outcome = await run.outcome(); outcome.kind !== 'complete';) {
      const [input] = await run.pending();
      if (input?.kind === 'approval') await run.approve(input.inputId);
      else await run.resume('This one.');
      outcome = await run.outcome();
    }
    const [result, transcript, entries] = [run.result(), run.transcript(), run.log()];
    const log = (await entries).map(({ id: _id, ...entry }) =>
      JSON.stringify({ ...entry, inline: undefined }),
    );
    const all = { result: await result, transcript: await transcript, log: log.sort() };
    const text = JSON.stringify(all).replaceAll(/(inline|apart)-\d/g, 'one');
    return JSON.parse(text.replaceAll(/20\d\d-[\d:.T-]+Z/g, 'then'));
  }

  it.each(scripts.map((row, index) => ({ ...row, index })))(
    'come to the same in the activity of the model call: $what',
    async ({ index, apart }) => {
      const run = await start(`inline-${index}`);
      made.length = 0;
      const own = await finish(run);
      const callsInline = made.splice(0).sort();
      const other = await finish(await start(`apart-${index}`));
      expect(own).toEqual(other);
      expect(callsInline).toEqual([...made].sort());
      expect((await sizeOf(run)).activities['callTool'] ?? 0).toBe(apart);
    },
  );

  it('cost six events a turn, and none for each call', async () => {
    const [short, long] = [await start('short'), await start('inline-0')];
    await Promise.all([short.result(), long.result()]);
    const [one, two] = [await sizeOf(short), await sizeOf(long)];
    expect(two.events - one.events).toBe(6);
    expect(two.activities).toEqual({ loadDefinition: 1, callModel: 3 });
  });

  it('are named in what the Web UI shows, and marked in the log', async () => {
    const run = await start('short');
    await run.result();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const metadata = '__temporal_workflow_metadata';
    const shown = await handle.query<{ readonly currentDetails?: string }>(metadata);
    expect(shown.currentDetails).toContain('- calls `look {"index":0}`');
    expect(shown.currentDetails).toContain('- `look` (inline) → look in');
    expect(await run.log()).toMatchObject([
      { kind: 'user' },
      { kind: 'model-turn' },
      { kind: 'tool-result', inline: true, result: { callId: 'look-0' } },
      { kind: 'model-turn' },
    ]);
  });

  it('run before a person is asked for a larger budget, as always', async () => {
    const options = { budget: { maxTokens: 15 }, session: { seen: '' } };
    const run = await harness.longhaul.start('spender', 'Go.', options);
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', inputId: 'budget-2-15' });
    expect(linesOf(await run.transcript()).at(-1)).toMatch(/^← look/);
    await run.resume(1_000);
    expect(await run.result()).toMatchObject({ iterations: 2 });
  });

  it('do not run once the rounds are used up', async () => {
    const run = await start('runner');
    made.length = 0;
    await expect(run.result()).rejects.toMatchObject({ code: 'MaxIterationsExceeded' });
    expect(made).toEqual(['look']);
  });

  it('go on after a continue-as-new', async () => {
    const run = await start('asker');
    await run.outcome();
    await continueAsNew(harness.longhaul, run);
    await run.resume('This one.');
    expect(await run.result()).toMatchObject({
      iterations: 2,
      session: { seen: 'nothing look peek' },
    });
  });

  it('keep their results in a run that is reset to after them', async () => {
    const run = await start('asker');
    await run.outcome();
    const lines = linesOf(await run.transcript());
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const completed = events.filter((event) => event.workflowTaskCompletedEventAttributes);
    made.length = 0;
    await harness.longhaul.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: run.workflowId },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: completed.at(-1)?.eventId ?? null,
    });
    await eventually('the question', async () => (await run.pending()).length === 1);
    expect(linesOf(await run.transcript())).toEqual(lines);
    await run.resume('This one.');
    expect(await run.result()).toMatchObject({ session: { seen: 'nothing look peek' } });
    expect(made).toEqual(['peek']);
  });

  it('are in the plan of a reset that undoes them', async () => {
    const run = await start('asker');
    await run.outcome();
    const planned: ResetPlan[] = [];
    const confirm = (plan: ResetPlan): boolean => planned.push(plan) === 0;
    expect(await run.reset({ to: 1, confirm })).toBe(undefined);
    const { workflowId } = run;
    expect(planned).toMatchObject([
      { calls: [{ workflowId, path: 'asker', tool: 'look', effect: 'read' }] },
    ]);
    await run.cancel();
  });

  it('are stopped when the run is cancelled', async () => {
    hung = aborted = 0;
    const run = await start('hanger');
    await eventually('the call', () => hung === 1);
    await run.cancel('enough');
    await expect(run.outcome()).rejects.toMatchObject({ code: 'RunCancelled', message: 'enough' });
    await eventually('the abort', () => aborted === 1);
  });

  it('that take too long are stopped, and get an activity of their own', async () => {
    const run = await start('slow');
    await run.result();
    expect(linesOf(await run.transcript())).toContain('← slow at last');
    expect((await sizeOf(run)).activities).toMatchObject({ callModel: 2, callTool: 1 });
    const events = await fetchHistory(harness.longhaul, run.workflowId);
    const policies = events.map((event) => event.activityTaskScheduledEventAttributes);
    const policy = policies.find((scheduled) => scheduled?.activityType?.name === 'callTool');
    expect(policy?.retryPolicy?.maximumAttempts).toBe(limits.toolAttempts - 1);
  });
});
