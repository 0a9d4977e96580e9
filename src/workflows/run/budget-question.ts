// What is said when a budget is used up: to the person who may raise it, or as the failure. Pure.

import type { UsedUp } from '../../core/budget/budget';
import { LonghaulError } from '../../protocol/errors';
import type { PendingInput } from '../../protocol/run';

/** Its id is another one each time, also where what was added before left the limit as it was. */
export function budgetQuestion(
  usedUp: UsedUp,
  turn: number,
  isAnswered: (inputId: string) => boolean,
): Pick<PendingInput, 'inputId' | 'kind' | 'question' | 'options'> {
  const unit = usedUp.unit === 'tokens' ? 'tokens' : 'US dollars';
  const first = `budget-${turn}-${usedUp.unit === 'tokens' ? '' : 'usd-'}${usedUp.limit}`;
  let inputId = first;
  for (let asked = 2; isAnswered(inputId); asked += 1) inputId = `${first}-${asked}`;
  return {
    inputId,
    kind: 'budget',
    question: `${describe(usedUp)} How many ${unit} shall be added? Answer with a number, or 'stop'.`,
    options: ['stop'],
  };
}

export function budgetExceeded(usedUp: UsedUp): LonghaulError {
  const message = `${describe(usedUp)} Start again with a larger budget.`;
  return new LonghaulError('BudgetExceeded', message, { details: { ...usedUp } });
}

/** A child may have been given nothing: its callers spent all there was. */
function describe({ unit, limit, spent }: UsedUp): string {
  if (limit === 0) {
    const what = unit === 'tokens' ? 'tokens' : 'US dollars';
    return `Nothing is left for this run of the budget in ${what}.`;
  }
  return unit === 'tokens'
    ? `The budget of ${limit} tokens is used up: ${spent} were spent.`
    : `The budget of $${limit} is used up: $${spent.toFixed(4)} were spent.`;
}
