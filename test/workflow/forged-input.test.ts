// What anybody of the namespace may send: forged starts, and messages that only runs send each other. On the dev server, by the plain
// client, past all of ours.

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { deflateSync } from 'fflate';
import { defineAgent, subAgent } from '../../src';
import type { RunHandle } from '../../src/client';
import { signalNames } from '../../src/protocol/names';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { scriptedAgents } from './scripted-agents';

const seed = 20_261_122;

describe('forged input', () => {
  let harness: Harness;
  const { agent, provider } = scriptedAgents();
  const asks = { toolCalls: [{ name: 'ask_user', args: { question: 'Which?' } }] };
  const helper = agent('helper', [asks, 'Settled.'], { askUser: 'tool' });
  const boss = agent(
    'boss',
    [{ toolCalls: [{ name: 'helper', args: { input: 'Go' } }] }, 'Done.'],
    {
      tools: [subAgent(helper, { name: 'helper', description: 'Asks' })],
    },
  );
  const quick = agent('quick', ['Hello.']);

  beforeAll(async () => {
    harness = await openHarness();
    await harness.deploy({
      runners: [
        boss,
        quick,
        defineAgent({ id: 'talker', model: 'scripted/helper', askUser: 'tool' }),
      ],
      providers: { scripted: provider },
    });
  });
  afterAll(() => harness.close());

  const startRaw = async (type: string, args: unknown[], options: object = {}) => {
    const workflowId = `forged-${randomUUID()}`;
    await harness.longhaul.client.workflow.start(type, {
      workflowId,
      taskQueue: harness.taskQueue,
      args,
      ...options,
    });
    return harness.longhaul.run(workflowId);
  };

  const start = { runner: 'quick', input: 'Go' };
  const thread = { runner: 'quick', key: { appName: 'a', userId: 'u', sessionId: 's' } };
  const bomb = deflateSync(new Uint8Array(60_000_000));
  const lineage = { root: 'other', path: 'boss/quick', ancestors: ['boss'], depth: 1 };

  it.each<{ name: string; type?: string; args: unknown[]; options?: object; message: RegExp }>([
    { name: 'a carried state', args: [start, bomb], message: /continued as new/ },
    {
      name: 'a carried state, repeated by the server',
      args: [start, bomb],
      options: { retry: { maximumAttempts: 3, initialInterval: 10 } },
      message: /continued as new/,
    },
    {
      name: 'the state of a thread',
      type: 'threadWorkflow',
      args: [thread, bomb],
      message: /continued/,
    },
    {
      name: 'an actor without an id',
      args: [{ ...start, by: { id: '' } }],
      message: /an actor is/,
    },
    {
      name: 'an actor with more than an actor has',
      args: [{ ...start, by: { id: 'ada', admin: true } }],
      message: /an actor is/,
    },
    {
      name: "another run's session",
      args: [{ ...start, sessionFrom: 'v' }],
      message: /sessionFrom/,
    },
    {
      name: "another run's tree",
      args: [{ ...start, lineage }],
      message: /lineage is only for runs/,
    },
    { name: 'no object', args: ['quick'], message: /the input of a run must be/ },
    { name: 'nothing', args: [], message: /the input of a run must be/ },
    {
      name: 'a word misspelt',
      args: [{ ...start, sesion: {} }],
      message: /did you mean 'session'/,
    },
    {
      name: 'a word misspelt in a thread',
      type: 'threadWorkflow',
      args: [{ ...thread, idleTimeout: 1 }],
      message: /did you mean 'idleTimeoutMs'/,
    },
  ])(
    'a start with $name is refused',
    async ({ type = 'agentWorkflow', args, options, message }) => {
      const run = await startRaw(type, args, options);
      await expect(run.result()).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringMatching(message) as string,
      });
    },
  );

  it('options that only runs send each other are refused by start', async () => {
    const body = { sessionFrom: 'other', lineage, definition: { root: 'x', hash: '0' } };
    await expect(
      harness.longhaul.start('quick', 'Go', { ...body, session: { own: 1 } }),
    ).rejects.toMatchObject({ code: 'InvalidInput' });
  });

  /** Of a run, and of its open child, which a forger may have learnt. */
  async function waiting(): Promise<{ run: RunHandle; child: string; inputId: string }> {
    const run = await harness.longhaul.start('boss', 'Go');
    await run.outcome();
    const { children } = await run.tree();
    const [input] = await run.pending();
    return { run, child: children[0]?.workflowId ?? '', inputId: input?.inputId ?? '' };
  }

  it('no signal changes or wedges a run that waits', async () => {
    const { run, child, inputId } = await waiting();
    const signal = async (id: string, name: string, payload: unknown): Promise<void> => {
      await harness.longhaul.client.workflow.getHandle(id).signal(name, payload);
    };
    const told = { child, branch: child };
    const forged: [string, unknown][] = [
      ...[[null], [{}], 'x', null, [{ inputId: 7 }]].map((inputs): [string, unknown] => [
        signalNames.childInputs,
        { ...told, inputs },
      ]),
      ...[null, {}, 7, { spend: null }].map((result): [string, unknown] => [
        signalNames.childResult,
        { child, result },
      ]),
      [signalNames.childResult, { child, spend: { usage: null } }],
      ...['nonsense', null, 'toString'].map((kind): [string, unknown] => [
        signalNames.answer,
        { inputId, kind, answer: 'x' },
      ]),
      [signalNames.answer, { inputId, kind: 'answer', answer: '' }],
      [signalNames.answer, { inputId, kind: 'approve' }],
      [signalNames.cancelRun, 7],
      [signalNames.cancelRun, { why: 'x' }],
      [signalNames.cancelRun, { reason: 'x', by: 'ada' }],
      [signalNames.resume, { answer: 'x', by: { id: 'ada', roles: 'finance' } }],
      ...fc
        .sample(fc.tuple(fc.constantFrom(...Object.values(signalNames)), fc.jsonValue()), {
          seed,
          numRuns: 60,
        })
        .filter(([name, payload]) => !isTaken(name, payload)),
    ];
    const before = await run.state();
    const [open] = before.pending;
    const unusable: readonly unknown[] = [
      { $ref: '#' },
      { pattern: '(?=a)' },
      { title: 'x'.repeat(20_000) },
      7,
    ];
    for (const schema of unusable)
      forged.unshift([signalNames.childInputs, { ...told, inputs: [{ ...open, schema }] }]);
    for (const [name, payload] of forged) await signal(run.workflowId, name, payload);
    await signal(child, signalNames.answer, { inputId, kind: 'nonsense' });
    await signal(child, signalNames.childInputs, { child: 'x', inputs: [null] });

    const { rejected, ...after } = await run.state();
    expect({ ...after, rejected: [] }).toEqual(before);
    expect(rejected).toHaveLength(20);
    // As if the root run had taken it: the child asks again.
    await signal(child, signalNames.answer, { inputId, kind: 'approve' });
    const [asked] = before.pending;
    await eventually('another nonce', async () => (await run.pending())[0]?.nonce !== asked?.nonce);
    await signal(child, signalNames.askAgain, 'x');
    await run.resume('this');
    expect((await run.result()).finalResponse.text).toBe('Done.');
  });

  it('nor a thread whose turn waits', async () => {
    const conversation = harness.longhaul.thread({ agent: 'talker', sessionId: randomUUID() });
    const turn = await conversation.send('Go');
    await turn.outcome();
    const handle = harness.longhaul.client.workflow.getHandle(conversation.threadId);
    const told = { child: turn.workflowId, inputs: [null] };
    for (const name of Object.values(signalNames)) {
      for (const payload of [told, { ...told, inputs: [{}] }, 7, ['x']])
        await handle.signal(name, payload);
    }
    expect((await conversation.pending()).map(({ question }) => question)).toEqual(['Which?']);
    expect((await conversation.state()).rejected.length).toBeGreaterThan(10);
    await turn.resume('this');
    expect((await turn.result()).finalResponse.text).toBe('Settled.');
  });

  it.each<{ query: string; args: unknown }>([
    { query: 'log', args: { from: -1 } },
    { query: 'log', args: { from: 'x', deflate: 7 } },
    { query: 'log', args: { from: 1e300 } },
    { query: 'log', args: ['x'] },
    { query: 'childInput', args: { number: {} } },
  ])('the query $query is refused with $args', async ({ query, args }) => {
    const run = await harness.longhaul.start('quick', 'Go');
    await run.result();
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await expect(handle.query(query, args)).rejects.toThrow(/must be a whole number/);
  });
});

/** What these signals may hold: an answer, a reason or none. */
function isTaken(name: string, payload: unknown): boolean {
  if (name === signalNames.detach) return false;
  // They have no payload that could be wrong: whoever may signal a run may halt it, as they may terminate it.
  if (name === signalNames.halt || name === signalNames.askAgain) return true;
  if (name === signalNames.cancelRun && isDeepStrictEqual(payload, {})) return true;
  return typeof payload === 'string' || payload === null;
}
