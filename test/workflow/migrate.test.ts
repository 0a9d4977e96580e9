// Waiting runs that move to a corrected definition: what fits moves, all else stays as it is and says why.

import { z } from 'zod';
import {
  defineAgent,
  defineTool,
  hasCode,
  parallel,
  subAgent,
  type Agent,
  type AgentOptions,
  type Tool,
} from '../../src';
import type { RunHandle } from '../../src/client';
import { updateNames } from '../../src/protocol/names';
import { scriptedModel, type ScriptedModel, type ScriptedStep } from '../../src/testing';
import { askUser, callOf } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';

type Refund = Readonly<Record<string, unknown>>;

/** Tells with which arguments its code ran. */
function refund(inputSchema: z.ZodObject, options: Refund = {}): Tool {
  return defineTool({
    name: 'refund',
    description: 'Pays back',
    inputSchema,
    needsApproval: true,
    ...options,
    execute: (args: unknown) => `refunded ${JSON.stringify(args)}`,
  } as never);
}

const inEuros = z.object({ amount: z.number() });
const withReason = z.object({ amount: z.number(), reason: z.string().optional() });
const inCents = z.object({ cents: z.number() });
const callRefund = callOf('refund', { amount: 80 });

const refundedText = (run: RunHandle): Promise<unknown> =>
  run
    .log()
    .then((log) =>
      log.flatMap((entry) => (entry.kind === 'tool-result' ? entry.result.content : [])),
    );

describe('a run that moves to another definition', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness(undefined, 'migrate');
  });
  afterAll(() => harness.close());

  const agentOf = (options: Partial<AgentOptions> = {}): Agent =>
    defineAgent({ id: 'refunds', model: 'scripted/one', instructions: 'old', ...options });

  async function deploy(runners: readonly Agent[], model: ScriptedModel): Promise<void> {
    await harness.deploy({ runners, providers: { scripted: model } });
  }

  /** A run of the old definition that waits. */
  async function waiting(
    options: Partial<AgentOptions>,
    steps: readonly ScriptedStep[],
  ): Promise<{ readonly run: RunHandle; readonly model: ScriptedModel }> {
    const model = scriptedModel(steps);
    await deploy([agentOf(options)], model);
    const run = await harness.longhaul.start('refunds', 'Go.');
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input' });
    return { run, model };
  }

  async function refusalOf(moving: Promise<unknown>): Promise<string> {
    const error: unknown = await moving.then(
      () => 'it moved',
      (thrown: unknown) => thrown,
    );
    if (!hasCode(error, 'MigrationRefused')) throw new Error(String(error));
    return error.message;
  }

  it('approves under the new prompt, schema and code, and says so in its log and its audit', async () => {
    const { run, model } = await waiting({ tools: [refund(inEuros)] }, [callRefund, 'Done.']);
    await deploy([agentOf({ instructions: 'new', tools: [refund(withReason)] })], model);
    const ada = { id: 'ada' };
    const { from, to } = await run.migrate('refunds', { by: ada, note: 'as legal asked' });
    expect(from).not.toBe(to);
    expect((await run.pending())[0]).toMatchObject({
      inputId: 'a1.0',
      schema: { properties: { reason: { type: 'string' } } },
    });
    await run.approve('a1.0', { args: { amount: 80, reason: 'late' } });
    await run.result();

    expect(await refundedText(run)).toMatchObject([
      { text: expect.stringContaining('refunded {"amount":80,"reason":"late"}') as string },
    ]);
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(['old', 'new']);
    expect(Object.keys(model.requests[1]?.tools[0]?.inputSchema['properties'] ?? {})).toEqual([
      'amount',
      'reason',
    ]);
    const moved = { kind: 'migration', from, to, by: ada, note: 'as legal asked' };
    expect(await run.log()).toContainEqual(
      expect.objectContaining({ decision: expect.objectContaining(moved) as unknown }),
    );
    expect(await run.audit()).toContainEqual(expect.objectContaining(moved));
  });

  it('is listed once, and as waiting no longer', async () => {
    const { run } = await waiting({ tools: [refund(inEuros)] }, [callRefund, 'Done.']);
    await deploy([agentOf({ tools: [refund(withReason)] })], scriptedModel(['Done.']));
    await run.migrate('refunds');
    await run.approve('a1.0');
    await run.result();
    const statuses = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { workflowId, status } of harness.longhaul.runs({ agent: 'refunds' }))
        if (workflowId === run.workflowId) found.push(status);
      return found;
    };
    await eventually('the list to show the end', async () =>
      (await statuses()).includes('completed'),
    );
    expect(await statuses()).toEqual(['completed']);
  });

  it('stays if an open call does not fit, and goes on with its own definition', async () => {
    const { run, model } = await waiting({ tools: [refund(inEuros)] }, [callRefund, 'Done.']);
    await deploy([agentOf({ instructions: 'new', tools: [refund(inCents)] })], model);
    const { historyLength } = await harness.longhaul.client.workflow
      .getHandle(run.workflowId)
      .describe();
    expect(await refusalOf(run.migrate('refunds'))).toContain("call 'a1.0' of 'refund'");
    await deploy([agentOf({ instructions: 'new' })], model);
    expect(await refusalOf(run.migrate('refunds'))).toContain('has no such tool');
    expect(historyLength).toBeGreaterThan(0);
    await run.reject('a1.0', 'no');
    await run.result();
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(['old', 'old']);
  });

  it('keeps votes under the same rules, and asks anew under others', async () => {
    const rules = { needsApproval: { by: { approvals: 2 } } };
    const { run, model } = await waiting({ tools: [refund(inEuros, rules)] }, [
      callRefund,
      'Done.',
    ]);
    expect(await run.approve('a1.0', { by: { id: 'ada' } })).toMatchObject({ missing: 1 });
    await deploy([agentOf({ tools: [refund(withReason, rules)] })], model);
    await run.migrate('refunds');
    expect((await run.pending())[0]?.votes).toMatchObject([{ by: { id: 'ada' } }]);

    const stricter = { needsApproval: { by: { approvals: 2, roles: ['finance'] } } };
    await deploy([agentOf({ tools: [refund(withReason, stricter)] })], model);
    await run.migrate('refunds');
    await eventually('the run to ask anew', async () => {
      const [input] = await run.pending();
      return input !== undefined && input.votes === undefined;
    });
    await expect(run.approve('a1.0', { by: { id: 'bob' } })).rejects.toMatchObject({
      code: 'NotPermitted',
    });
    for (const id of ['cy', 'dan']) await run.approve('a1.0', { by: { id, roles: ['finance'] } });
    await run.result();
    expect(await refundedText(run)).toMatchObject([{ text: 'refunded {"amount":80}' }]);
  });

  it('keeps a question open, and the answer reaches the new prompt', async () => {
    const { run, model } = await waiting({ askUser: 'tool' }, [askUser('Which one?'), 'Done.']);
    await deploy([agentOf({ instructions: 'new', askUser: 'tool' })], model);
    await Promise.all([run.migrate('refunds'), run.outcome()]);
    await run.resume('this one');
    await run.result();
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(['old', 'new']);
  });

  it('takes the result of a deferred call, unless it would come from somewhere else', async () => {
    const seat = (description: string): Tool =>
      defineTool({ name: 'refund', description, inputSchema: inEuros, result: 'client' });
    const { run, model } = await waiting({ tools: [seat('old')] }, [callRefund, 'Done.']);
    const inCode = refund(inEuros, { needsApproval: false });
    await deploy([agentOf({ tools: [inCode] })], model);
    expect(await refusalOf(run.migrate('refunds'))).toContain('comes from somewhere else');
    await deploy([agentOf({ instructions: 'new', tools: [seat('new')] })], model);
    await run.migrate('refunds');
    await run.complete('t1.0', 'paid');
    await run.result();
    expect(model.requests[1]?.instructions).toBe('new');
  });

  it('goes on without its budget question under a higher budget, and refuses one that ends it', async () => {
    const steps = [callOf('look'), 'Done.'];
    const look = defineTool({
      ...{ name: 'look', description: 'Looks', inputSchema: z.object({}) },
      execute: () => 'seen',
    });
    const { run, model } = await waiting({ tools: [look], budget: { maxTokens: 10 } }, steps);
    const budget = (maxTokens: number) => ({ maxTokens, onExceeded: 'fail' as const });
    await deploy([agentOf({ tools: [look], budget: budget(12) })], model);
    expect(await refusalOf(run.migrate('refunds'))).toContain('used up its new budget');
    await deploy([agentOf({ tools: [look], maxIterations: 0, maxTurns: 1 })], model);
    expect(await refusalOf(run.migrate('refunds'))).toContain('maxTurns');
    await deploy([agentOf({ tools: [look], budget: budget(1_000) })], model);
    await run.migrate('refunds');
    expect((await run.result()).finalResponse.text).toBe('Done.');
  });

  it('moves a run below another one, which keeps its own definition, and runs below it get the new one', async () => {
    const model = scriptedModel([
      callOf('refunds', { input: 'Pay back.' }),
      callRefund,
      callOf('help', { input: 'Help.' }),
      'Helped.',
      'Paid.',
      'All done.',
    ]);
    const boss = (instructions: string, below: Agent): Agent =>
      defineAgent({
        ...{ id: 'boss', model: 'scripted/one', instructions },
        tools: [subAgent(below, { name: 'refunds', description: 'Pays back' })],
      });
    const old = agentOf({ tools: [refund(inEuros)] });
    await deploy([boss('boss', old), old], model);
    const run = await harness.longhaul.start('boss', 'Go.');
    await run.outcome();
    const helper = defineAgent({ id: 'helper', model: 'scripted/one', instructions: 'helper' });
    const help = subAgent(helper, { name: 'help', description: 'Helps' });
    const fresh = agentOf({ instructions: 'new', tools: [refund(withReason), help] });
    await deploy([boss('other boss', fresh), fresh], model);
    const [child] = (await run.tree()).children;
    if (child === undefined) throw new Error('there is no run below');
    expect(await refusalOf(run.migrate('boss'))).toContain(`'${child.workflowId}'`);

    await harness.longhaul.run(child.workflowId).migrate('refunds');
    const [input] = await run.pending();
    await run.approve(input?.inputId ?? '');
    expect((await run.result()).finalResponse.text).toBe('All done.');
    expect(model.requests.map(({ instructions }) => instructions)).toEqual([
      'boss',
      'old',
      'new',
      'helper',
      'new',
      'boss',
    ]);
  });

  it('says which runs below an orchestration wait', async () => {
    const agent = agentOf({ askUser: 'tool' });
    const both = parallel({ id: 'both', branches: [agent] });
    const model = scriptedModel([askUser('Which?'), 'Done.']);
    await harness.deploy({ runners: [both, agent], providers: { scripted: model } });
    const run = await harness.longhaul.start('both', 'Go.');
    await run.outcome();
    expect(await refusalOf(run.migrate('both'))).toMatch(/waits for 'both-.*branch-1.*' below it/);
    await run.resume('that');
    await run.result();
  });

  it('takes a spec that travels, and continues as new with it', async () => {
    const { run, model } = await waiting({ askUser: 'tool' }, [
      askUser('One?'),
      askUser('Two?'),
      'Done.',
    ]);
    const { spec } = agentOf({ instructions: 'spec', askUser: 'tool' });
    await run.migrateSpec(spec);
    await continueAsNew(harness.longhaul, run);
    await run.resume('1');
    await run.outcome();
    await harness.deploy({ inlineSpecs: false, providers: { scripted: model } });
    await expect(run.migrateSpec({ ...spec, instructions: 'no' })).rejects.toMatchObject({
      code: 'InlineSpecRefused',
      message: expect.stringMatching(/is to run a spec, which this worker does not take/) as string,
    });
    await run.resume('2');
    await run.result();
    expect(model.requests.map(({ instructions }) => instructions)).toEqual(['old', 'spec', 'spec']);
  });

  it('keeps the tools that its client brought', async () => {
    const model = scriptedModel([callOf('pick', {}), 'Done.']);
    await deploy([agentOf()], model);
    const pick = { name: 'pick', description: 'Picks', inputSchema: { type: 'object' } } as const;
    const run = await harness.longhaul.start('refunds', 'Go.', { clientTools: [pick] });
    await run.outcome();
    await continueAsNew(harness.longhaul, run);
    await deploy([agentOf({ instructions: 'new' })], model);
    await run.migrate('refunds');
    await run.complete('t1.0', 'A');
    await run.result();
    expect(model.requests[1]).toMatchObject({ instructions: 'new', tools: [{ name: 'pick' }] });
  });

  it('says why other runs stay', async () => {
    const { run, model } = await waiting({ askUser: 'tool' }, [askUser('Which?'), 'Done.']);
    expect(await run.migrate('refunds')).toMatchObject({});
    const same = await run.migrate('refunds');
    expect(same.from).toBe(same.to);
    const other = defineAgent({ id: 'other', model: 'scripted/one' });
    await deploy([other], model);
    expect(await refusalOf(run.migrate(other))).toContain("a run of 'refunds', not of 'other'");
    await expect(run.migrate('not an id')).rejects.toMatchObject({ code: 'InvalidInput' });
    await run.resume('that');
    await run.result();
    await expect(run.migrate('refunds')).rejects.toMatchObject({ code: 'RunClosed' });
  });

  it('refuses what is no migration, and records nothing of it', async () => {
    const { run } = await waiting({ askUser: 'tool' }, [askUser('Which?'), 'Done.']);
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    const before = (await handle.describe()).historyLength;
    const forged: readonly unknown[] = [
      undefined,
      'refunds',
      {},
      { runner: 7 },
      { runner: { id: 'refunds', x: 'x'.repeat(600_000) } },
      { runner: 'refunds', definition: { hash: 'ab' } },
      { runner: 'refunds', by: 'ada' },
      { runner: 'refunds', note: 7 },
      { runner: 'other' },
    ];
    for (const payload of forged) {
      const sent = handle.executeUpdate(updateNames.migrate, { args: [payload] });
      await expect(sent).rejects.toThrow();
    }
    expect((await handle.describe()).historyLength).toBe(before);
    await run.resume('done');
    await run.result();
  });

  it('moves once if two people move it, and lets an answer come first', async () => {
    const { run, model } = await waiting({ askUser: 'tool' }, [askUser('Which?'), 'Done.']);
    await deploy([agentOf({ instructions: 'new', askUser: 'tool' })], model);
    const moves = await Promise.allSettled([run.migrate('refunds'), run.migrate('refunds')]);
    expect(moves.some(({ status }) => status === 'fulfilled')).toBe(true);
    await Promise.allSettled([run.resume('that'), run.migrate('refunds')]);
    expect((await run.result()).finalResponse.text).toBe('Done.');
    const moved = (await run.log()).filter(
      (entry) => entry.kind === 'decision' && entry.decision.kind === 'migration',
    );
    expect(moved).toHaveLength(1);
  });

  it('does not move while it works', async () => {
    let end = (): void => undefined;
    const ends = new Promise<string>((resolve) => {
      end = () => resolve('Done.');
    });
    const model = scriptedModel([() => ends]);
    await deploy([agentOf()], model);
    const run = await harness.longhaul.start('refunds', 'Go.');
    await eventually('the model call', () => model.requests.length > 0);
    expect(await refusalOf(run.migrate('refunds'))).toContain('does not wait for an answer');
    end();
    await run.result();
  });
});
