// What a run may spend with all below it, and what it has spent. Pure.
//
// 1. Exact over the responses received; checked before each model call, so the last one may go over.
// 2. A child gets a share of what is left and not promised to others; what it did not use comes back with its report.
// 3. What people add below is added here, too: else the caller would ask again at once.

import { InvalidAnswer } from '../protocol/error-classes';
import type { Json } from '../protocol/json';
import type { Usage } from '../protocol/message';
import type { RunSpend } from '../protocol/run';
import type { BudgetSpec } from '../protocol/spec';
import { addUsage, emptyUsage } from './usage';

type Amount = { readonly tokens?: number; readonly costUsd?: number };
type Unit = keyof Amount;

/** What survives continue-as-new: no share is out then. */
export type CarriedBudget = { readonly limits: Amount; readonly spend: RunSpend };

export type UsedUp = { readonly unit: Unit; readonly limit: number; readonly spent: number };

/** Tokens of a call: as the provider counts them, else what is known of both ways. */
function tokensOf({ total, input, output }: Usage): number {
  return total ?? (input ?? 0) + (output ?? 0);
}

export class RunBudget {
  readonly onExceeded: 'ask' | 'fail';
  #limits: Amount;
  #spend: RunSpend = { usage: emptyUsage };
  /** Promised to children that are open. */
  #promised = { tokens: 0, costUsd: 0 };

  /** Of several budgets each binds: the runner's own, and what its caller gave it. */
  constructor(...budgets: readonly (BudgetSpec | undefined)[]) {
    const given = budgets.filter((budget) => budget !== undefined);
    this.#limits = {
      ...least(
        'tokens',
        given.map((budget) => budget.maxTokens),
      ),
      ...least(
        'costUsd',
        given.map((budget) => budget.maxCostUsd),
      ),
    };
    this.onExceeded = given.find((budget) => budget.onExceeded)?.onExceeded ?? 'ask';
  }

  restore({ limits, spend }: CarriedBudget): void {
    this.#limits = limits;
    this.#spend = spend;
  }

  carry(): CarriedBudget {
    return { limits: this.#limits, spend: this.#spend };
  }

  get spend(): RunSpend {
    return this.#spend;
  }

  get hasCostLimit(): boolean {
    return this.#limits.costUsd !== undefined;
  }

  record(spend: RunSpend): void {
    const { usage, costUsd, unpriced = [], added = {} } = spend;
    const before = this.#spend;
    const cost = sum(before.costUsd, costUsd);
    const models = [...new Set([...(before.unpriced ?? []), ...unpriced])].sort();
    this.#spend = {
      ...before,
      usage: addUsage(before.usage, usage),
      ...(cost !== undefined && { costUsd: cost }),
      ...(models.length > 0 && { unpriced: models }),
    };
    this.#raise(added);
  }

  /** The limit that is reached, if one is. */
  get usedUp(): UsedUp | undefined {
    for (const unit of ['tokens', 'costUsd'] as const) {
      const limit = this.#limits[unit];
      const spent = this.#spent(unit);
      if (limit !== undefined && spent >= limit) return { unit, limit, spent };
    }
    return undefined;
  }

  /** Takes an answer to the question about what is used up; false when it says to stop. */
  answer({ unit }: UsedUp, answer: Json): boolean {
    const amount = budgetAmount(answer);
    if (amount === 'stop') return false;
    this.#raise({ [unit]: amount });
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
      ...(tokens !== undefined && { maxTokens: tokens }),
      ...(costUsd !== undefined && { maxCostUsd: costUsd }),
      onExceeded: this.onExceeded,
    };
  }

  /** The child that had this share has ended. */
  takeBack(share: BudgetSpec | undefined): void {
    this.#promised.tokens -= share?.maxTokens ?? 0;
    this.#promised.costUsd -= share?.maxCostUsd ?? 0;
  }

  #share(unit: Unit, among: number): number | undefined {
    const limit = this.#limits[unit];
    if (limit === undefined) return undefined;
    const left = Math.max(0, limit - this.#spent(unit) - this.#promised[unit]);
    const share = left / Math.max(1, among);
    return unit === 'tokens' ? Math.floor(share) : share;
  }

  #spent(unit: Unit): number {
    return unit === 'tokens' ? tokensOf(this.#spend.usage) : (this.#spend.costUsd ?? 0);
  }

  #raise(added: Amount): void {
    const raised = { ...this.#limits };
    const total: { tokens?: number; costUsd?: number } = { ...this.#spend.added };
    for (const unit of ['tokens', 'costUsd'] as const) {
      const amount = added[unit];
      if (amount === undefined) continue;
      const limit = raised[unit];
      if (limit !== undefined) raised[unit] = limit + amount;
      total[unit] = (total[unit] ?? 0) + amount;
    }
    this.#limits = raised;
    if (Object.keys(total).length > 0) this.#spend = { ...this.#spend, added: total };
  }
}

/** What a person may answer when a budget is used up. */
export function budgetAmount(answer: Json): number | 'stop' {
  if (typeof answer === 'string' && answer.trim().toLowerCase() === 'stop') return 'stop';
  const isText = typeof answer === 'string' && answer.trim() !== '';
  const amount = isText ? Number(answer.trim()) : answer;
  if (typeof amount === 'number' && Number.isFinite(amount) && amount > 0) return amount;
  throw new InvalidAnswer(
    "a budget is answered with the amount to add, a number over 0, or 'stop'",
  );
}

function least(unit: Unit, limits: readonly (number | undefined)[]): Amount {
  const set = limits.filter((limit) => limit !== undefined);
  return set.length === 0 ? {} : { [unit]: Math.min(...set) };
}

function sum(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : left + (right ?? 0);
}
