// Budgets: what a tree of runs may spend, who is asked for more, and what becomes of a share.

import { defineAgent, parallel, sequential, subAgent } from '../../src';
import type { RunHandle } from '../../src/client';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';

/** Each call of the scripted model uses 15 tokens: 10 in, 5 out. */
const perCall = 15;
const again: ScriptedStep = { toolCalls: [{ name: 'nothing', args: {} }] };
const callHelper = (...inputs: string[]): ScriptedStep => ({
  toolCalls: inputs.map((input) => ({ name: 'help', args: { input } })),
});

describe('a budget', () => {
  let harness: Harness;
  let race: RunHandle;
  beforeAll(async () => {
    harness = await openHarness();
    const helper = defineAgent({ id: 'helper', model: 'helper/one' });
    const alone = defineAgent({ id: 'alone', model: 'alone/one', onInvalidToolCall: 'retry' });
    const manager = defineAgent({
      id: 'manager',
      model: 'manager/one',
      tools: [subAgent(helper, { name: 'help', description: 'Helps' })],
    });
    const afterQuestion = async (): Promise<string> => {
      await eventually('the question', async () => (await race.pending()).length === 1);
      return 'first';
    };
    const loser = defineAgent({ id: 'loser', model: 'loser/one', askUser: 'marker' });
    const winner = defineAgent({ id: 'winner', model: 'winner/one' });
    const branches = [loser, winner];
    const first = parallel({ id: 'first', branches, merge: 'first', cancelRest: true });
    await harness.worker({
      runners: [alone, manager, sequential({ id: 'race', steps: [first] })],
      providers: {
        loser: scriptedModel(['__ask_user__: Which one?'], { name: 'loser' }),
        winner: scriptedModel([afterQuestion], { name: 'winner' }),
        alone: scriptedModel([again, again, 'done'], { name: 'alone', per: 'conversation' }),
        helper: scriptedModel([again, 'helped'], { name: 'helper', per: 'conversation' }),
        manager: scriptedModel(
          [({ messages }) => callHelper(...textOf(messages).split(' ')), 'all helped'],
          { name: 'manager', per: 'conversation' },
        ),
      },
      prices: { 'alone/one': { input: 1_000_000, output: 0 } },
    });
  });
  afterAll(() => harness.close());

  it('asks for more when it is used up, and goes on with what is added', async () => {
    const run = await harness.longhaul.start('alone', 'ask once', {
      budget: { maxTokens: perCall },
    });
    const pause = await run.outcome();
    expect(pause).toMatchObject({
      kind: 'needs-input',
      inputId: 'budget-2-15',
      pending: [{ kind: 'budget', options: ['stop'], path: 'alone', agentId: 'alone' }],
      question:
        "The budget of 15 tokens is used up: 15 were spent. How many tokens shall be added? Answer with a number, or 'stop'.",
    });
    await expect(run.resume('plenty')).rejects.toMatchObject({ code: 'InvalidAnswer' });
    await run.resume('100');
    expect(await run.outcome()).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'done' }, usage: { totalTokens: 3 * perCall } },
    });
  });

  it('asks again when too little was added', async () => {
    const run = await harness.longhaul.start('alone', 'ask twice', {
      budget: { maxTokens: perCall },
    });
    await run.outcome();
    await run.resume(1);
    expect(await run.outcome()).toMatchObject({ inputId: 'budget-3-16' });
    await run.resume(100);
    expect(await run.outcome()).toMatchObject({ kind: 'complete' });
    expect(await run.audit()).toMatchObject([
      { kind: 'start' },
      { input: 'budget', verdict: 'answer', added: { tokens: 1 } },
      { input: 'budget', verdict: 'answer', added: { tokens: 100 } },
    ]);
  });

  it("ends the run when the answer is 'stop'", async () => {
    const run = await harness.longhaul.start('alone', 'stop', { budget: { maxTokens: perCall } });
    await run.outcome();
    await run.resume('stop');
    await expect(run.outcome()).rejects.toMatchObject({
      code: 'BudgetExceeded',
      details: { unit: 'tokens', limit: perCall, spent: perCall },
    });
  });

  it('in dollars ends the run at once where it says so', async () => {
    const run = await harness.longhaul.start('alone', 'in dollars', {
      budget: { maxCostUsd: 15, onExceeded: 'fail' },
    });
    await expect(run.outcome()).rejects.toMatchObject({
      code: 'BudgetExceeded',
      details: { unit: 'costUsd', limit: 15, spent: 20 },
    });
  });

  it('in dollars says of which models it does not know the price', async () => {
    const run = await harness.longhaul.start('manager', 'one', { budget: { maxCostUsd: 1 } });
    expect(await run.result()).toMatchObject({
      warnings: ['helper/one', 'manager/one'].map(
        (model) => `the price of ${model} is not known: its calls are not counted`,
      ),
    });
  });

  it('is shared equally by the children of a turn, whose questions come up', async () => {
    const budget = { maxTokens: 2 * perCall };
    const run = await harness.longhaul.start('manager', 'left right', { budget });
    // 15 tokens are left for two children that need 30 each.
    const first = await run.outcome();
    if (first.kind !== 'needs-input') throw new Error('it completed');
    expect(first.pending[0]).toMatchObject({ kind: 'budget', path: 'manager/help' });
    // Of 15 tokens one gets 7 and the other 8: either may ask first.
    expect(first.question).toMatch(/^The budget of [78] tokens is used up: 15 were spent\./);
    await answerAll(run, 1_000);
    expect(await run.result()).toMatchObject({
      finalResponse: { text: 'all helped' },
      usage: { totalTokens: 6 * perCall },
    });
  });

  it('of a branch nobody waits for any more is that of the tree, too', async () => {
    race = await harness.longhaul.start('race', 'Go');
    expect(await race.result()).toMatchObject({ finalResponse: { text: 'first' } });
    // The branch that lost told what it had spent when it was cancelled, after the result was out.
    expect((await race.usage()).totalTokens).toBe(2 * perCall);
  });

  it('that a child is stopped at ends the whole run', async () => {
    const budget = { maxTokens: perCall + 1, onExceeded: 'fail' as const };
    const run = await harness.longhaul.start('manager', 'solo', { budget });
    await expect(run.result()).rejects.toMatchObject({ code: 'BudgetExceeded' });
    expect((await run.usage()).totalTokens).toBe(2 * perCall);
  });
});

function textOf(messages: readonly { readonly parts: readonly object[] }[]): string {
  const [part] = messages[0]?.parts ?? [];
  return part !== undefined && 'text' in part ? String(part.text) : '';
}

async function answerAll(
  run: Awaited<ReturnType<Harness['longhaul']['start']>>,
  amount: number,
): Promise<void> {
  for (;;) {
    const outcome = await run.outcome();
    if (outcome.kind === 'complete') return;
    await run.resume(amount, { inputId: outcome.inputId });
  }
}
