// Pure: no server. What a run may spend with all below it; shares of it are drawn at random, with a fixed seed.

import fc from 'fast-check';
import { budgetAmount, RunBudget } from '../../../../src/core/budget/budget';
import type { Json } from '../../../../src/base/json';
import type { RunSpend } from '../../../../src/protocol/run';
import type { BudgetSpec } from '../../../../src/protocol/spec';
import { noUsage, thrown } from '../builders';

const spent = (tokens: number, rest: Partial<RunSpend> = {}): RunSpend => ({
  usage: { ...noUsage, totalTokens: tokens },
  ...rest,
});

describe('RunBudget', () => {
  it.each<{ name: string; budgets: (BudgetSpec | undefined)[]; spend: RunSpend; usedUp: unknown }>([
    { name: 'no budget', budgets: [undefined], spend: spent(1e9), usedUp: undefined },
    { name: 'less than it', budgets: [{ maxTokens: 10 }], spend: spent(9), usedUp: undefined },
    {
      name: 'all of it',
      budgets: [{ maxTokens: 10 }],
      spend: spent(10),
      usedUp: { unit: 'tokens', limit: 10, spent: 10 },
    },
    {
      name: 'more than it',
      budgets: [{ maxTokens: 10 }],
      spend: spent(12),
      usedUp: { unit: 'tokens', limit: 10, spent: 12 },
    },
    {
      name: 'nothing, of a budget of nothing',
      budgets: [{ maxTokens: 0 }],
      spend: spent(0),
      usedUp: { unit: 'tokens', limit: 0, spent: 0 },
    },
    {
      name: 'more than the caller gave',
      budgets: [{ maxTokens: 10 }, { maxTokens: 5 }],
      spend: spent(7),
      usedUp: { unit: 'tokens', limit: 5, spent: 7 },
    },
    {
      name: "more than the runner's own",
      budgets: [{ maxTokens: 5 }, { maxTokens: 10 }],
      spend: spent(7),
      usedUp: { unit: 'tokens', limit: 5, spent: 7 },
    },
    {
      name: 'its dollars, with tokens to spare',
      budgets: [{ maxTokens: 100 }, { maxCostUsd: 0.5 }],
      spend: spent(7, { costUsd: 0.6 }),
      usedUp: { unit: 'costUsd', limit: 0.5, spent: 0.6 },
    },
    {
      name: 'dollars nobody knows of',
      budgets: [{ maxCostUsd: 0.5 }],
      spend: spent(7, { unpriced: ['a/b'] }),
      usedUp: undefined,
    },
    {
      name: 'tokens the provider gave no total of',
      budgets: [{ maxTokens: 10 }],
      spend: { usage: { ...noUsage, inputTokens: 8, outputTokens: 3 } },
      usedUp: { unit: 'tokens', limit: 10, spent: 11 },
    },
  ])('is used up or not by one that spent $name', ({ budgets, spend, usedUp }) => {
    const budget = new RunBudget(...budgets);
    budget.record(spend);
    expect(budget.usedUp).toEqual(usedUp);
  });

  it.each<{ budgets: BudgetSpec[]; rule: string }>([
    { budgets: [], rule: 'ask' },
    { budgets: [{ maxTokens: 1, onExceeded: 'fail' }], rule: 'fail' },
    { budgets: [{ maxTokens: 1 }, { maxTokens: 1, onExceeded: 'fail' }], rule: 'fail' },
    {
      budgets: [
        { maxTokens: 1, onExceeded: 'ask' },
        { maxTokens: 1, onExceeded: 'fail' },
      ],
      rule: 'ask',
    },
  ])('goes by the first rule that is given: $rule', ({ budgets, rule }) => {
    expect(new RunBudget(...budgets).onExceeded).toBe(rule);
  });

  it('adds up what was spent, with the names of models it knows no price of', () => {
    const budget = new RunBudget();
    budget.record(spent(5, { costUsd: 1, unpriced: ['b/b'] }));
    budget.record(spent(7, { unpriced: ['a/a', 'b/b'] }));
    budget.record(spent(1, { costUsd: 2 }));
    expect(budget.spend).toEqual(spent(13, { costUsd: 3, unpriced: ['a/a', 'b/b'] }));
  });

  it('counts tokens call by call where only some calls come with a total', () => {
    const child = new RunBudget();
    child.record(spent(20));
    child.record({ usage: { ...noUsage, inputTokens: 8, outputTokens: 3 } });
    expect(child.spend).toEqual({
      usage: { ...noUsage, totalTokens: 20, inputTokens: 8, outputTokens: 3 },
      tokens: 31,
    });
    const budget = new RunBudget({ maxTokens: 40 });
    budget.record({ usage: { ...noUsage, inputTokens: 5, outputTokens: 5 } });
    budget.record(child.spend);
    const next = new RunBudget({ maxTokens: 40 });
    next.restore(budget.carry());
    expect(next.usedUp).toEqual({ unit: 'tokens', limit: 40, spent: 41 });
  });

  it('goes on with what a person adds, and remembers it when it is carried over', () => {
    const budget = new RunBudget({ maxTokens: 10 });
    budget.record(spent(12));
    const usedUp = budget.usedUp;
    if (usedUp === undefined) throw new Error('it is not used up');
    expect(budget.answer(usedUp, 'stop')).toBeUndefined();
    expect(budget.answer(usedUp, ' 5 ')).toEqual({ tokens: 5 });
    const next = new RunBudget({ maxTokens: 10 });
    next.restore(JSON.parse(JSON.stringify(budget.carry())) as ReturnType<RunBudget['carry']>);
    expect(next.usedUp).toBeUndefined();
    expect(next.promise(1)).toEqual({ maxTokens: 3, onExceeded: 'ask' });
    expect(next.spend).toEqual(spent(12));
  });

  it.each<{ name: string; own: number | undefined; given: number; left: number; added?: number }>([
    { name: 'only the own limit, the one that is used up', own: 10, given: 100, left: 5 },
    {
      name: 'what the caller gave, too, as far as it is gone over',
      own: 10,
      given: 12,
      left: 5,
      added: 3,
    },
    { name: 'what the caller gave, where that is used up', own: 100, given: 10, left: 5, added: 5 },
    {
      name: 'the own limit, too, as far as it is gone over',
      own: 12,
      given: 10,
      left: 5,
      added: 5,
    },
    { name: 'both, where both are used up', own: 10, given: 10, left: 5, added: 5 },
    {
      name: 'what the caller gave, where there is no other',
      own: undefined,
      given: 10,
      left: 5,
      added: 5,
    },
  ])('raises $name', ({ own, given, left, added }) => {
    const budget = new RunBudget(own === undefined ? undefined : { maxTokens: own }, {
      maxTokens: given,
    });
    budget.record(spent(10));
    budget.answer({ unit: 'tokens', limit: 10, spent: 10 }, 5);
    expect(budget.promise(1)).toEqual(tokens(left));
    expect(budget.spend.added).toEqual(added && { tokens: added });
    const next = new RunBudget();
    next.restore(budget.carry());
    next.answer({ unit: 'tokens', limit: 15, spent: 10 }, 200);
    expect(next.spend.added?.tokens).toBe(215 - given);
  });

  it('passes on only what its own callers must be raised by', () => {
    const budget = new RunBudget({ maxTokens: 10 }, { maxTokens: 100 });
    budget.record(spent(14, { added: { tokens: 6 } }));
    expect(budget.promise(1)).toEqual({ maxTokens: 2, onExceeded: 'ask' });
    expect(budget.spend).toEqual(spent(14));
  });

  it('has what people added below', () => {
    const budget = new RunBudget({ maxTokens: 10 });
    const share = budget.promise(1);
    budget.takeBack(share);
    budget.record(spent(14, { added: { tokens: 6 } }));
    expect(budget.promise(1)).toEqual({ maxTokens: 2, onExceeded: 'ask' });
  });

  it.each<{ answer: Json; amount: number | 'stop' }>([
    { answer: 5, amount: 5 },
    { answer: ' 0.25 ', amount: 0.25 },
    { answer: ' Stop', amount: 'stop' },
  ])('takes $answer for an answer', ({ answer, amount }) => {
    expect(budgetAmount(answer)).toBe(amount);
  });

  it.each<Json>([0, -1, '', ' ', 'plenty', '1e999', true, null, [5], { amount: 5 }])(
    'takes %j for none',
    (answer) => {
      expect(thrown(() => budgetAmount(answer))).toMatchObject({ code: 'InvalidAnswer' });
    },
  );
});

describe('shares of a budget', () => {
  it.each<{ budget: BudgetSpec | undefined; among: number[]; shares: (BudgetSpec | undefined)[] }>([
    { budget: undefined, among: [2], shares: [undefined] },
    { budget: { maxTokens: 9 }, among: [3, 2, 1], shares: [3, 3, 3].map(tokens) },
    { budget: { maxTokens: 10 }, among: [3, 2, 1], shares: [3, 3, 4].map(tokens) },
    { budget: { maxTokens: 10 }, among: [1, 1], shares: [10, 0].map(tokens) },
    {
      budget: { maxCostUsd: 1, onExceeded: 'fail' },
      among: [4],
      shares: [{ maxCostUsd: 0.25, onExceeded: 'fail' }],
    },
  ])('of $budget among $among are $shares', ({ budget, among, shares }) => {
    const whole = new RunBudget(budget);
    expect(among.map((count) => whole.promise(count))).toEqual(shares);
  });

  type Move = { start: boolean; among: number; child: number; used: number; added: number };
  const moves = fc.array(
    fc.record({
      start: fc.boolean(),
      among: fc.integer({ min: 1, max: 5 }),
      child: fc.nat(20),
      used: fc.integer({ min: 0, max: 100 }),
      added: fc.constantFrom(0, 0, 0, 50),
    }),
    { maxLength: 40 },
  );

  /** Starts and ends children; a child uses some percent of what it was given and of what people added to it. */
  function play(limit: number, drawn: readonly Move[]) {
    const budget = new RunBudget({ maxTokens: limit });
    const open: BudgetSpec[] = [];
    let [left, used] = [limit, 0];
    const end = ({ child, used: percent, added }: Move): void => {
      const [share] = open.splice(child % open.length, 1);
      const tokens = Math.floor((((share?.maxTokens ?? 0) + added) * percent) / 100);
      budget.takeBack(share);
      budget.record(spent(tokens, added > 0 ? { added: { tokens: added } } : {}));
      left += added - tokens;
      used += tokens;
    };
    for (const move of drawn) {
      if (move.start) open.push(budget.promise(move.among) ?? {});
      else if (open.length > 0) end(move);
      const promised = open.reduce((sum, { maxTokens = 0 }) => sum + maxTokens, 0);
      expect(promised).toBeLessThanOrEqual(left);
    }
    while (open.length > 0) end({ start: false, among: 1, child: 0, used: 0, added: 0 });
    return { budget, left, used };
  }

  it('never promise anything twice, and return what was not used', () => {
    const check = (limit: number, drawn: readonly Move[]): void => {
      const { budget, left, used } = play(limit, drawn);
      expect(budget.promise(1)).toEqual(tokens(left));
      expect(budget.spend.usage.totalTokens ?? 0).toBe(used);
    };
    fc.assert(fc.property(fc.nat(1_000), moves, check), { seed: 20_261_122, numRuns: 300 });
  });
});

describe('a budget that is carried', () => {
  it('binds as before, the limits of the caller too', () => {
    const budget = new RunBudget({ maxTokens: 100 }, { maxTokens: 10, maxCostUsd: 1 });
    budget.record(spent(7, { costUsd: 0.2 }));
    const carried = budget.carry();
    expect(carried).toMatchObject({ limits: { tokens: 100 }, given: { tokens: 10, costUsd: 1 } });
    const next = new RunBudget({ maxTokens: 5 });
    next.restore(carried);
    expect(next.usedUp).toBeUndefined();
    next.record(spent(3));
    expect(next.usedUp).toEqual({ unit: 'tokens', limit: 10, spent: 10 });
  });

  it('has no limits of a caller that gave none', () => {
    expect(new RunBudget({ maxTokens: 1 }).carry()).toEqual({
      limits: { tokens: 1 },
      spend: { usage: noUsage },
    });
  });

  it.each<{ name: string; after?: BudgetSpec; limits: unknown }>([
    { name: 'new limits', after: { maxTokens: 50 }, limits: { tokens: 55 } },
    { name: 'a limit that was not there', after: { maxCostUsd: 3 }, limits: { costUsd: 3 } },
    { name: 'none any more', limits: {} },
  ])('to $name, with what a person added', ({ after, limits }) => {
    const before = { maxTokens: 10 };
    const budget = new RunBudget(before);
    budget.record(spent(12));
    budget.answer({ unit: 'tokens', limit: 10, spent: 12 }, 5);
    expect(budget.carryTo(before, after)).toEqual({ limits, spend: budget.spend });
  });
});

function tokens(maxTokens: number): BudgetSpec {
  return { maxTokens, onExceeded: 'ask' };
}
