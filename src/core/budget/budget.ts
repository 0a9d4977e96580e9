// The limits and the spending of a run and its child runs. Pure.
//
// 1. The count is exact for all responses received. It is checked before each model call, so the last call may exceed the limit.
// 2. A child gets a share of the rest that is not promised to others. The unused part comes back with the child's report.
// 3. An answer raises the used-up limit by the amount. It also raises the other limits that bind, and those of the callers, if the run
//    would hit them. Otherwise the run would ask the person again at once.
// 4. Tokens are counted for each call, because some providers report a total only for some calls.

import { defined, type Json } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import type { RunSpend } from '../../protocol/run';
import type { BudgetSpec } from '../../protocol/spec';
import { anObject, anything, partly, type Shape, stored } from '../../protocol/shapes';
import { tokensIn, tokensOf } from './spend';
import { addUsage, emptyUsage } from './usage';

type Amount = { readonly tokens?: number; readonly costUsd?: number };
type Unit = keyof Amount;
const units = ['tokens', 'costUsd'] as const;

export const carriedBudgetShape = stored(
  {
    limits: anObject<Amount>(),
    spend: partly<RunSpend>(stored({ usage: anObject() })),
  },
  { given: anything<Amount>(), stopped: anything<boolean>() },
);

/** The state that survives continue-as-new. At that time, no child has a share. */
export type CarriedBudget = Shape<typeof carriedBudgetShape>;

export type UsedUp = { readonly unit: Unit; readonly limit: number; readonly spent: number };

export class RunBudget {
  readonly onExceeded: 'ask' | 'fail';
  /** The runner's own limits, and the limits from its caller. Both bind. */
  #own: Amount;
  #given: Amount;
  #spend: RunSpend = { usage: emptyUsage };
  /** The shares of open children. */
  #promised = { tokens: 0, costUsd: 0 };
  #isStopped = false;

  constructor(own?: BudgetSpec, given?: BudgetSpec) {
    this.#own = limitsOf(own);
    this.#given = limitsOf(given);
    this.onExceeded = own?.onExceeded ?? given?.onExceeded ?? 'ask';
  }

  restore({ limits, given = {}, spend, stopped = false }: CarriedBudget): void {
    this.#own = limits;
    this.#given = given;
    this.#spend = spend;
    this.#isStopped = stopped;
  }

  carry(): CarriedBudget {
    const isGiven = Object.keys(this.#given).length > 0;
    return {
      limits: this.#own,
      ...(isGiven && { given: this.#given }),
      spend: this.#spend,
      ...(this.#isStopped && { stopped: true }),
    };
  }

  /** The same for a runner with new limits. The amounts that people have added to the old limits are added to the new ones. */
  carryTo(before: BudgetSpec | undefined, after: BudgetSpec | undefined): CarriedBudget {
    const [old, fresh] = [limitsOf(before), limitsOf(after)];
    let limits = fresh;
    for (const unit of units) {
      const added = (this.#own[unit] ?? 0) - (old[unit] ?? 0);
      if (added > 0 && fresh[unit] !== undefined) limits = plus(limits, unit, added);
    }
    return { ...this.carry(), limits };
  }

  get spend(): RunSpend {
    return this.#spend;
  }

  /** True if people want the run to stop, rather than to raise a limit. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get hasCostLimit(): boolean {
    return this.#limit('costUsd') !== undefined;
  }

  record(spend: RunSpend): void {
    const before = this.#spend;
    const usage = addUsage(before.usage, spend.usage);
    const tokens = tokensOf(before) + tokensOf(spend);
    const costUsd = sum(before.costUsd, spend.costUsd);
    const models = new Set([...(before.unpriced ?? []), ...(spend.unpriced ?? [])]);
    this.#spend = {
      usage,
      ...(tokens !== tokensIn(usage) && { tokens }),
      ...defined({ costUsd }),
      ...(models.size > 0 && { unpriced: [...models].sort() }),
      ...defined({ added: before.added }),
    };
    for (const unit of units) this.#raise(unit, spend.added?.[unit] ?? 0);
  }

  /** The limit that is used up, if there is one. */
  get usedUp(): UsedUp | undefined {
    for (const unit of units) {
      const limit = this.#limit(unit);
      const spent = this.#spent(unit);
      if (limit !== undefined && spent >= limit) return { unit, limit, spent };
    }
    return undefined;
  }

  /** Takes the answer to a question about a used-up limit. Returns what it added, or undefined if the answer is to stop. */
  answer({ unit }: UsedUp, answer: Json): Amount | undefined {
    const amount = budgetAmount(answer);
    this.#isStopped = amount === 'stop';
    if (amount === 'stop') return undefined;
    this.#raise(unit, amount);
    return { [unit]: amount };
  }

  /** An equal share of the rest for one of `among` children that will start. Undefined if there is no limit. */
  promise(among: number): BudgetSpec | undefined {
    const tokens = this.#share('tokens', among);
    const costUsd = this.#share('costUsd', among);
    if (tokens === undefined && costUsd === undefined) return undefined;
    this.#promised.tokens += tokens ?? 0;
    this.#promised.costUsd += costUsd ?? 0;
    return {
      ...defined({ maxTokens: tokens, maxCostUsd: costUsd }),
      onExceeded: this.onExceeded,
    };
  }

  /** Call it when the child with this share has ended. */
  takeBack(share: BudgetSpec | undefined): void {
    this.#promised.tokens -= share?.maxTokens ?? 0;
    this.#promised.costUsd -= share?.maxCostUsd ?? 0;
  }

  #share(unit: Unit, among: number): number | undefined {
    const limit = this.#limit(unit);
    if (limit === undefined) return undefined;
    const left = Math.max(0, limit - this.#spent(unit) - this.#promised[unit]);
    const share = left / Math.max(1, among);
    return unit === 'tokens' ? Math.floor(share) : share;
  }

  #spent(unit: Unit): number {
    return unit === 'tokens' ? tokensOf(this.#spend) : (this.#spend.costUsd ?? 0);
  }

  #limit(unit: Unit): number | undefined {
    const [own, given] = [this.#own[unit], this.#given[unit]];
    return own === undefined || given === undefined ? (own ?? given) : Math.min(own, given);
  }

  /** Raises the limits. `added` reports to the caller by how much the caller's limit grew. */
  #raise(unit: Unit, amount: number): void {
    const limit = this.#limit(unit);
    if (limit === undefined) return;
    const missing = ({ [unit]: bound = Infinity }: Amount): number =>
      Math.max(0, amount - (bound - limit));
    const { added = {} } = this.#spend;
    const [own, given] = [missing(this.#own), missing(this.#given)];
    if (own > 0) this.#own = plus(this.#own, unit, own);
    if (given === 0) return;
    this.#given = plus(this.#given, unit, given);
    this.#spend = { ...this.#spend, added: plus(added, unit, given) };
  }
}

/** The least amount that changes a sum. */
const leastAmount = 0.000_001;
const mostAmount = 1e15;

/** Reads a person's answer to a used-up budget. */
export function budgetAmount(answer: Json): number | 'stop' {
  if (typeof answer === 'string' && answer.trim().toLowerCase() === 'stop') return 'stop';
  const isText = typeof answer === 'string' && answer.trim() !== '';
  const amount = isText ? Number(answer.trim()) : answer;
  if (typeof amount === 'number' && amount >= leastAmount && amount <= mostAmount) return amount;
  throw new LonghaulError(
    'InvalidAnswer',
    "answer with the amount to add to the budget, a number from 0.000001 to 1e15, or with 'stop'",
  );
}

function limitsOf({ maxTokens: tokens, maxCostUsd: costUsd }: BudgetSpec = {}): Amount {
  return { ...defined({ tokens, costUsd }) };
}

function plus(amounts: Amount, unit: Unit, amount: number): Amount {
  return { ...amounts, [unit]: (amounts[unit] ?? 0) + amount };
}

function sum(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : left + (right ?? 0);
}
