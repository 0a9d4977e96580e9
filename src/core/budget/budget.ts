// What a run may spend with all below it, and what it has spent. Pure.
//
// 1. Exact over the responses received; checked before each model call, so the last one may go over.
// 2. A child gets a share of what is left and not promised to others; what it did not use comes back with its report.
// 3. What people add raises the limit that is used up, by so much. The other one, of the two that bind, and those of the callers are
//    raised as far as they would be exceeded by it: else who adds would be asked again at once.
// 4. Tokens are counted call by call: some providers report a total now and then.

import { defined, type Json } from '../../base/json';
import { LonghaulError } from '../../protocol/errors';
import type { RunSpend } from '../../protocol/run';
import type { BudgetSpec } from '../../protocol/spec';
import { tokensIn, tokensOf } from './spend';
import { addUsage, emptyUsage } from './usage';

type Amount = { readonly tokens?: number; readonly costUsd?: number };
type Unit = keyof Amount;
const units = ['tokens', 'costUsd'] as const;

/** What survives continue-as-new: no share is out then. */
export type CarriedBudget = {
  readonly limits: Amount;
  readonly given?: Amount;
  readonly spend: RunSpend;
};

export type UsedUp = { readonly unit: Unit; readonly limit: number; readonly spent: number };

export class RunBudget {
  readonly onExceeded: 'ask' | 'fail';
  /** The runner's own limits, and those its caller gave it: both bind. */
  #own: Amount;
  #given: Amount;
  #spend: RunSpend = { usage: emptyUsage };
  /** Promised to children that are open. */
  #promised = { tokens: 0, costUsd: 0 };

  constructor(own?: BudgetSpec, given?: BudgetSpec) {
    this.#own = limitsOf(own);
    this.#given = limitsOf(given);
    this.onExceeded = own?.onExceeded ?? given?.onExceeded ?? 'ask';
  }

  restore({ limits, given = {}, spend }: CarriedBudget): void {
    this.#own = limits;
    this.#given = given;
    this.#spend = spend;
  }

  carry(): CarriedBudget {
    const isGiven = Object.keys(this.#given).length > 0;
    return { limits: this.#own, ...(isGiven && { given: this.#given }), spend: this.#spend };
  }

  get spend(): RunSpend {
    return this.#spend;
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
      ...(before.added && { added: before.added }),
    };
    for (const unit of units) this.#raise(unit, spend.added?.[unit] ?? 0);
  }

  /** The limit that is reached, if one is. */
  get usedUp(): UsedUp | undefined {
    for (const unit of units) {
      const limit = this.#limit(unit);
      const spent = this.#spent(unit);
      if (limit !== undefined && spent >= limit) return { unit, limit, spent };
    }
    return undefined;
  }

  /** Takes an answer to the question about what is used up; false when it says to stop. */
  answer({ unit }: UsedUp, answer: Json): boolean {
    const amount = budgetAmount(answer);
    if (amount === 'stop') return false;
    this.#raise(unit, amount);
    return true;
  }

  /** An equal share of what is left, for one of so many children that are yet to start; undefined where there is no limit. */
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

  /** The child that had this share has ended. */
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

  /** What the caller's limit is raised by is reported to it. */
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

/** What a budget may be raised by: less would change no sum. */
const leastAmount = 0.000_001;
const mostAmount = 1e15;

/** What a person may answer when a budget is used up. */
export function budgetAmount(answer: Json): number | 'stop' {
  if (typeof answer === 'string' && answer.trim().toLowerCase() === 'stop') return 'stop';
  const isText = typeof answer === 'string' && answer.trim() !== '';
  const amount = isText ? Number(answer.trim()) : answer;
  if (typeof amount === 'number' && amount >= leastAmount && amount <= mostAmount) return amount;
  throw new LonghaulError(
    'InvalidAnswer',
    "a budget is answered with the amount to add, a number from 0.000001 to 1e15, or 'stop'",
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
