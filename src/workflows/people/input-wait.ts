// Waits for a person, and makes the question for a used-up budget. A timer runs beside each wait, with or without a deadline. Its summary
// is the question, so the Web UI's timeline shows it.

import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { plainLine } from '../../core/transcript/markdown';
import { limits } from '../../protocol/limits';
import type { PendingInput } from '../../protocol/run';
import type { UsedUp } from '../../core/budget/budget';
import { LonghaulError } from '../../protocol/errors';
import type { Due } from './due';

/** So long that it is no deadline. If it ever passes, the wait starts again. */
const noDeadline = 10 * 365 * 24 * 60 * 60 * 1_000;

export type InputWait = {
  readonly pending: readonly PendingInput[];
  /** Undefined waits for ever. */
  readonly due: Due | undefined;
  readonly answered: () => boolean;
};

/** Waits for an answer. Returns `due` if its time came first. */
export async function waitForAnswer({
  pending,
  due,
  answered,
}: InputWait): Promise<Due | undefined> {
  const end = due ?? endOfTime(pending);
  if (end === undefined) {
    await condition(answered);
    return undefined;
  }
  const timer = new CancellationScope();
  const summary = plainLine(end.input.question, limits.summary);
  const expiry = timer
    .run(() => sleep(Math.max(1, end.at - Date.now()), { summary }))
    .then(() => due);
  expiry.catch((error: unknown) => {
    if (!isCancellation(error)) throw error;
  });
  try {
    return await Promise.race([expiry, condition(answered).then(() => undefined)]);
  } finally {
    timer.cancel();
  }
}

function endOfTime(pending: readonly PendingInput[]): Due | undefined {
  const [input] = [...pending].sort((left, right) => left.since.localeCompare(right.since));
  return input && { at: Date.parse(input.since) + noDeadline, input };
}

/** Each question gets a new id, even if the last answer left the limit unchanged. */
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
    question: `${describeUsedUp(usedUp)} How many ${unit} shall be added? Answer with a number, or 'stop'.`,
    options: ['stop'],
  };
}

export function budgetExceeded(usedUp: UsedUp): LonghaulError {
  const message = `${describeUsedUp(usedUp)} Start again with a larger budget.`;
  return new LonghaulError('BudgetExceeded', message, { details: { ...usedUp } });
}

/** A child may have got no budget at all, because its callers had spent everything. */
function describeUsedUp({ unit, limit, spent }: UsedUp): string {
  if (limit === 0) {
    const what = unit === 'tokens' ? 'tokens' : 'US dollars';
    return `Nothing is left for this run of the budget in ${what}.`;
  }
  return unit === 'tokens'
    ? `The budget of ${limit} tokens is used up: ${spent} were spent.`
    : `The budget of $${limit} is used up: $${spent.toFixed(4)} were spent.`;
}
