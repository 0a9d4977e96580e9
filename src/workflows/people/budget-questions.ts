// Asks people to raise a budget that is used up.

import type { UsedUp } from '../../core/budget/budget';
import { LonghaulError, type Verdict } from '../../protocol';
import type { LoadedRun } from '../run/loaded-run';
import type { AskedInput } from './approvals';
import type { AdmittedAnswer } from './open-inputs';

export class BudgetQuestions {
  readonly #run: LoadedRun;
  /** The limit that the open question is about. */
  #asked: (UsedUp & { readonly inputId: string }) | undefined;

  constructor(run: LoadedRun) {
    this.#run = run;
  }

  /** Asks once. `ask` waits for an answer. Resolves to false if people want the run to stop. */
  async mayGoOn(
    usedUp: UsedUp,
    turn: number,
    ask: (question: AskedInput) => Promise<void>,
  ): Promise<boolean> {
    const { execution, position, budget } = this.#run;
    // They said so as the run continued as new.
    if (budget.isStopped) return false;
    const question = budgetQuestion(usedUp, turn, (id) => {
      const inputId = position.inputId(id);
      return execution.inputs.taken.of(inputId) !== undefined;
    });
    this.#asked = { ...usedUp, inputId: position.inputId(question.inputId) };
    await ask(question);
    this.#asked = undefined;
    return !budget.isStopped;
  }

  /** Fails if people want the run to stop, or if nobody may be asked. */
  async require(
    ...[usedUp, turn, ask]: Parameters<BudgetQuestions['mayGoOn']>
  ): Promise<undefined> {
    const mayAsk = this.#run.budget.onExceeded === 'ask';
    if (!mayAsk || !(await this.mayGoOn(usedUp, turn, ask))) throw budgetExceeded(usedUp);
  }

  /** What the answer adds, for the log. Undefined if the answer is for another question. */
  take({ asked, answer }: AdmittedAnswer): Pick<Verdict, 'added'> | undefined {
    if (asked.inputId !== this.#asked?.inputId || answer.kind !== 'answer') return undefined;
    const added = this.#run.budget.answer(this.#asked, answer.answer);
    return added === undefined ? {} : { added };
  }
}

/** Each question gets a new id, even if the last answer left the limit unchanged. */
export function budgetQuestion(
  usedUp: UsedUp,
  turn: number,
  isAnswered: (inputId: string) => boolean,
): AskedInput {
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
