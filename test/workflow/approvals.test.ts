// Approvals by rules: reviews by a worker, votes, edits, races, a tree of runs, and the next execution.

import { type ApproverRule, defineTool, type NeedsApproval, subAgent } from '../../src';
import type { RunHandle } from '../../src/client';
import type { Actor } from '../../src/protocol/people';
import { askUser, callOf, TestAgents } from './builders';
import { eventually } from './eventually';
import { type Harness, openHarness } from './harness';
import { continueAsNew, fetchHistory } from './history';

const ada: Actor = { id: 'ada', roles: ['finance'] };
const bob: Actor = { id: 'bob', roles: ['finance'] };
const rita: Actor = { id: 'rita', roles: ['finance'] };
const eve: Actor = { id: 'eve' };

type Payment = { readonly euros: number };

const paid: Record<string, number[]> = {};

function pay(agent: string, needsApproval: NeedsApproval<Payment>) {
  const name = `pay_${agent}`;
  return defineTool<Payment>({
    name,
    description: 'Pays',
    inputSchema: {
      type: 'object',
      properties: { euros: { type: 'number' } },
      required: ['euros'],
    },
    effect: 'once',
    needsApproval,
    execute: ({ euros }) => {
      (paid[agent] ??= []).push(euros);
      return { euros };
    },
  });
}

const byAmount = ({ euros }: Payment): ApproverRule => ({
  roles: ['finance'],
  approvals: euros > 1_000 ? 2 : 1,
  not: ['requester'],
});

const agents = new TestAgents();

function payer(id: string, steps: readonly number[], needsApproval: NeedsApproval<Payment>) {
  const tool = pay(id, needsApproval);
  const script = [...steps.map((euros) => callOf(tool.name, { euros })), 'Done.'];
  return agents.agent(id, script, { tools: [tool] }).agent;
}

payer('reviewed', [50], { by: byAmount, show: ({ euros }) => ({ pays: `${euros} €` }) });
payer('raced', [50], { by: { roles: ['finance'] } });
payer('broken', [50], {
  by: () => {
    throw new Error('the directory is down');
  },
});
agents.agent('wrong', [callOf('pay_wrong', { euros: 'many' }), 'Sorry.'], {
  tools: [pay('wrong', { by: byAmount })],
});
payer('kept', [2_000, 3_000], {
  by: { roles: ['finance'], approvals: 2 },
  remember: 'run',
});
payer('again', [2_000, 2_000], { by: { roles: ['finance'], approvals: 2 } });
for (const [id, asking, steps] of [
  ['above', 'below', [2_000]],
  ['over', 'undone', [2_000, 2_000]],
  ['talker', 'talked', [2_000]],
] as const) {
  const by = { roles: ['finance'], approvals: 2, not: ['requester'] } as const;
  agents.agent(id, [callOf('pays', { input: 'Pay.' }), 'All done.'], {
    tools: [subAgent(payer(asking, steps, { by }), { name: 'pays', description: 'Pays' })],
  });
}
const spoken: NeedsApproval<Payment> = { by: { roles: ['finance'], not: ['speakers'] } };
const clerk = agents.agent('clerk', [askUser('How much?'), 'As bob says: 50.'], {
  askUser: 'tool',
}).agent;
agents.agent(
  'heard',
  [callOf('asks', { input: 'Ask.' }), callOf('pay_heard', { euros: 50 }), 'Ok.'],
  {
    tools: [subAgent(clerk, { name: 'asks', description: 'Asks' }), pay('heard', spoken)],
  },
);
const cashier = payer('cashier', [50], spoken);
agents.agent('told', [askUser('How much?'), callOf('pays', { input: 'Pay 50.' }), 'Ok.'], {
  askUser: 'tool',
  tools: [subAgent(cashier, { name: 'pays', description: 'Pays' })],
});
agents.agent('unnamed', [askUser('How much?'), callOf('pay_unnamed', { euros: 50 }), 'Ok.'], {
  askUser: 'tool',
  tools: [pay('unnamed', spoken)],
});
payer('forged', [2_000], { by: { roles: ['finance'], approvals: 2 } });

const codeOf = async (act: Promise<unknown>): Promise<unknown> =>
  await act.then(
    () => 'accepted',
    (error: unknown) => (error as { code?: unknown }).code,
  );

async function opened(run: RunHandle, count = 1) {
  await run.outcome();
  const pending = await run.pending();
  expect(pending).toHaveLength(count);
  const [input] = pending;
  if (input === undefined) throw new Error('nothing is open');
  return input;
}

async function decisionsOf(run: RunHandle) {
  const log = await run.log();
  return log.flatMap((entry) => (entry.kind === 'decision' ? [entry.decision] : []));
}

describe('approvals by rules', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    await harness.worker({ runners: agents.runners, providers: agents.providers });
  });
  afterAll(async () => {
    await harness.close();
  });
  const start = async (agent: string) => await harness.longhaul.start(agent, 'Pay.', { by: rita });
  const below = async (run: RunHandle): Promise<RunHandle> => {
    const [child] = (await run.tree()).children;
    return harness.longhaul.run(child?.workflowId ?? '');
  };

  it('show a person what a worker made of the call, and ask anew after an edit', async () => {
    const run = await start('reviewed');
    const input = await opened(run);
    expect(input).toMatchObject({
      inputId: 'a1.0',
      editAsksAnew: true,
      by: { roles: ['finance'], approvals: 1, not: ['requester'] },
      requester: 'rita',
      preview: '{\n  "pays": "50 €"\n}',
    });
    expect(await codeOf(run.approve('a1.0', { by: rita }))).toBe('NotPermitted');
    expect(await codeOf(run.approve('a1.0', { by: eve }))).toBe('NotPermitted');
    expect(await codeOf(run.approve('a1.0', { by: ada, seen: 'x' }))).toBe('InputChanged');
    const args = { euros: 5_000 };
    const edited = await run.approve('a1.0', {
      by: ada,
      args,
      ...(input.digest && { seen: input.digest }),
    });
    expect(edited).toEqual({ missing: 0, asksAnew: true });
    await eventually('the new question', async () => {
      const [open] = await run.pending();
      return open?.inputId === 'a1.0-1';
    });
    const [again] = await run.pending();
    expect(again).toMatchObject({
      call: { args },
      by: { approvals: 2 },
      preview: '{\n  "pays": "5000 €"\n}',
      votes: [{ by: { id: 'ada' } }],
    });
    expect(again?.digest).not.toBe(input.digest);
    expect(await codeOf(run.approve('a1.0', { by: bob }))).toBe('AlreadyAnswered');
    expect(await run.approve('a1.0-1', { by: bob, note: 'per contract' })).toEqual({ missing: 0 });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'Done.' } });
    expect(paid['reviewed']).toEqual([5_000]);
    expect(await decisionsOf(run)).toMatchObject([
      { kind: 'preview', text: '{\n  "pays": "50 €"\n}' },
      { kind: 'verdict', verdict: 'edit', inputId: 'a1.0', by: ada, args, digest: input.digest },
      { kind: 'edit-call', args },
      { kind: 'preview', text: '{\n  "pays": "5000 €"\n}' },
      { kind: 'verdict', inputId: 'a1.0-1', by: ada, isVote: true },
      { kind: 'verdict', inputId: 'a1.0-1', by: bob, note: 'per contract', digest: again?.digest },
    ]);
  });

  it('take one of two approvals that come at once, and tell the other who was first', async () => {
    const run = await start('raced');
    await opened(run);
    const clients = await Promise.all([ada, bob].map((actor) => harness.connect({ actor })));
    const results = await Promise.allSettled(
      clients.map((client) => client.run(run.workflowId).approve('a1.0')),
    );
    await Promise.all(clients.map((client) => client.close()));
    const [first, ...others] = results.flatMap(({ status }, index) =>
      status === 'fulfilled' ? [[ada, bob][index]?.id] : [],
    );
    expect([['ada', 'bob'].includes(first ?? ''), others]).toEqual([true, []]);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );
    expect(refused).toMatchObject([{ code: 'AlreadyAnswered', details: { by: first } }]);
    await run.result();
    expect(paid['raced']).toEqual([50]);
  });

  it('let nobody approve if their function fails, and say why', async () => {
    const run = await start('broken');
    const input = await opened(run);
    expect(input.preview).toMatch(/^Nobody can approve this call, .*the directory is down/);
    expect(await codeOf(run.approve('a1.0', { by: ada }))).toBe('NotPermitted');
    expect(await codeOf(run.approve('a1.0', { by: ada, args: { euros: 1 } }))).toBe('NotPermitted');
    await run.reject('a1.0', 'Later.', { by: eve });
    await run.result();
    expect(paid['broken']).toBeUndefined();
  });

  it('give the model a call back that cannot run, and ask nobody', async () => {
    const run = await start('wrong');
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'Sorry.' } });
    expect((await run.state()).pauseSeq).toBe(0);
    expect(paid['wrong']).toBeUndefined();
  });

  it('keep votes and what they remember over continue-as-new', async () => {
    const run = await start('kept');
    await opened(run);
    expect(await run.approve('a1.0', { by: ada })).toMatchObject({ missing: 1 });
    await continueAsNew(harness.longhaul, run);
    expect((await opened(run)).votes).toMatchObject([{ by: { id: 'ada' } }]);
    expect(await run.approve('a1.0', { by: ada })).toMatchObject({ missing: 1 });
    await run.approve('a1.0', { by: bob });
    await run.result();
    expect(paid['kept']).toEqual([2_000, 3_000]);
    expect((await decisionsOf(run)).at(-1)).toMatchObject({ inputId: 'a2.0', isRemembered: true });
  });

  it('ask anew after a reset, without the votes', async () => {
    const run = await start('again');
    const before = await opened(run);
    await run.approve('a1.0', { by: ada });
    await run.reset({ to: 1 });
    await eventually('the question', async () => {
      const [open] = await run.pending().catch(() => []);
      return open !== undefined && open.nonce !== before.nonce;
    });
    const [input] = await run.pending();
    expect([input?.digest, input?.votes]).toEqual([before.digest, undefined]);
    expect(await run.approve('a1.0', { by: bob })).toMatchObject({ missing: 1 });
    await run.approve('a1.0', { by: ada });
    await run.result();
    expect(paid['again']).toEqual([2_000]);
  });

  it('count votes that reach the root run and the run that asks', async () => {
    const run = await start('above');
    const input = await opened(run);
    expect(input).toMatchObject({ requester: 'rita', path: 'above/pays' });
    expect(await codeOf(run.approve(input.inputId, { by: rita }))).toBe('NotPermitted');
    await run.approve(input.inputId, { by: ada });
    const asking = await below(run);
    await eventually(
      'the vote below',
      async () => (await asking.pending())[0]?.votes?.length === 1,
    );
    const args = { euros: 1_500 };
    expect(await run.approve(input.inputId, { by: bob, args })).toMatchObject({ asksAnew: true });
    await eventually('the changed call', async () => {
      const [open] = await asking.pending();
      return open !== undefined && open.inputId !== input.inputId;
    });
    const [changed] = await asking.pending();
    expect(changed).toMatchObject({ call: { args }, votes: [{ by: { id: 'bob' } }] });
    expect(await asking.approve(changed?.inputId ?? '', { by: ada })).toEqual({ missing: 0 });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'All done.' } });
    expect(paid['below']).toEqual([1_500]);
  });

  it('count votes again after a reset of the run below that asked', async () => {
    const run = await start('over');
    const { inputId, nonce } = await opened(run);
    await run.approve(inputId, { by: ada });
    await (await below(run)).reset({ to: 1 });
    await eventually('the question', async () => {
      const [open] = await run.pending();
      return open !== undefined && open.nonce !== nonce;
    });
    expect(await run.approve(inputId, { by: ada })).toMatchObject({ missing: 1 });
    expect(await run.approve(inputId, { by: bob })).toMatchObject({ missing: 0 });
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'All done.' } });
  });

  it('count votes of a thread and of its turn, and ask anew below it after an edit', async () => {
    const thread = harness.longhaul.thread({ agent: 'talker', sessionId: harness.taskQueue });
    const turn = await thread.send('Pay.', { by: rita });
    await eventually('the thread asks', async () => (await thread.pending()).length === 1);
    const [input] = await thread.pending();
    if (input === undefined) throw new Error('nothing is open');
    expect(input).toMatchObject({ requester: 'rita', path: 'talker/turn-1/pays' });
    expect(await codeOf(thread.approve(input.inputId, { by: rita }))).toBe('NotPermitted');
    expect(await thread.approve(input.inputId, { by: eve }).catch(String)).toMatch(/'eve' may not/);
    expect(await thread.approve(input.inputId, { by: ada })).toMatchObject({ missing: 1 });
    const args = { euros: 7_000 };
    await turn.approve(input.inputId, { by: bob, args });
    await eventually('the new question', async () => {
      const [open] = await thread.pending();
      return open !== undefined && open.inputId !== input.inputId;
    });
    const [again] = await thread.pending();
    expect(again).toMatchObject({ call: { args }, votes: [{ by: { id: 'bob' } }] });
    const inputId = again?.inputId ?? '';
    expect(await codeOf(thread.approve(input.inputId, { by: ada }))).toBe('NotWaiting');
    expect(await thread.approve(inputId, { by: bob })).toMatchObject({ missing: 1 });
    await thread.approve(inputId, { by: ada });
    expect(await turn.result()).toMatchObject({ finalResponse: { text: 'All done.' } });
    expect(paid['talked']).toEqual([7_000]);
  });

  it.each(['heard', 'told'])('leave out who has said something in the tree: %s', async (agent) => {
    const run = await harness.longhaul.start(agent, 'Pay.', { by: rita });
    const { inputId: question } = await opened(run);
    await run.resume('50, at once', { inputId: question, by: bob });
    const { inputId, speakers } = await opened(run);
    expect([...(speakers ?? [])].sort()).toEqual(['bob', 'rita']);
    for (const by of [bob, rita])
      expect(await codeOf(run.approve(inputId, { by }))).toBe('NotPermitted');
    expect(await run.approve(inputId, { by: ada, args: { euros: 40 } })).toMatchObject({
      asksAnew: true,
    });
    const again = await opened(run);
    expect(await codeOf(run.approve(again.inputId, { by: ada }))).toBe('NotPermitted');
    expect(await run.approve(again.inputId, { by: { id: 'zoe', roles: ['finance'] } })).toEqual({
      missing: 0,
    });
    await run.result();
  });

  it('let nobody approve what somebody unknown may have asked for', async () => {
    const run = await harness.longhaul.start('unnamed', 'Pay.', { by: rita });
    const { inputId: question } = await opened(run);
    await run.resume('50, at once', { inputId: question });
    const { inputId } = await opened(run);
    expect(await run.approve(inputId, { by: ada }).catch(String)).toMatch(
      /nobody knows whose words/,
    );
    await run.reject(inputId, 'who said that?', { by: ada });
    await run.result();
  });

  it('take no vote that is forged, by update or by signal', async () => {
    const run = await start('forged');
    const { inputId } = await opened(run);
    await run.approve(inputId, { by: ada });
    const { client } = harness.longhaul;
    const handle = client.workflow.getHandle(run.workflowId);
    const huge = { id: 'bob', roles: Array.from({ length: 1_000 }, (_, at) => `finance-${at}`) };
    const forged: [object, string][] = [
      [{ inputId, by: eve }, 'NotPermitted'],
      [{ inputId }, 'NotPermitted'],
      [{ inputId, by: huge }, 'InvalidInput'],
      [{ inputId, by: { id: 'x'.repeat(201), roles: ['finance'] } }, 'InvalidInput'],
      [{ inputId, by: { ...bob, votes: 2 } }, 'InvalidInput'],
      [{ inputId, by: bob, votes: [{ by: bob }] }, 'InvalidAnswer'],
      [{ inputId, by: bob, missing: 0 }, 'InvalidAnswer'],
    ];
    const before = await fetchHistory(harness.longhaul, run.workflowId);
    for (const [payload, type] of forged) {
      await expect(handle.executeUpdate('approve', { args: [payload] })).rejects.toMatchObject({
        cause: { type },
      });
    }
    expect(await fetchHistory(harness.longhaul, run.workflowId)).toHaveLength(before.length);
    for (const [payload] of forged) await handle.signal('answer', { kind: 'approve', ...payload });
    for (const kind of ['vote', 'expire', 'constructor', 7])
      await handle.signal('answer', { kind, inputId, by: bob });
    const { pending, rejected } = await run.state();
    expect(pending).toMatchObject([{ inputId, votes: [{ by: { id: 'ada' } }] }]);
    expect(rejected).toHaveLength(forged.length + 4);
    await run.approve(inputId, { by: bob });
    await run.result();
    expect(paid['forged']).toEqual([2_000]);
  });
});
