import type { BudgetSpec } from '../protocol/spec';
import type { Problem } from '../base/problem';

export function budgetProblems(budget: BudgetSpec | undefined): Problem[] {
  if (!budget || budget.maxTokens !== undefined || budget.maxCostUsd !== undefined) return [];
  return [{ path: 'budget', message: 'must have maxTokens, maxCostUsd or both' }];
}
