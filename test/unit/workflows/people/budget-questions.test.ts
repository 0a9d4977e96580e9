// Pure: no server.

import { budgetExceeded, budgetQuestion } from '../../../../src/workflows/people/budget-questions';

const tokens = { unit: 'tokens', limit: 100, spent: 115 } as const;
const dollars = { unit: 'costUsd', limit: 0.5, spent: 0.51239 } as const;

describe('a budget that is used up', () => {
  it.each([
    {
      usedUp: tokens,
      inputId: 'budget-3-100',
      question:
        "The budget of 100 tokens is used up: 115 were spent. How many tokens shall be added? Answer with a number, or 'stop'.",
    },
    {
      usedUp: dollars,
      inputId: 'budget-3-usd-0.5',
      question:
        "The budget of $0.5 is used up: $0.5124 were spent. How many US dollars shall be added? Answer with a number, or 'stop'.",
    },
  ])('asks for $usedUp.unit', ({ usedUp, inputId, question }) => {
    const options = ['stop'];
    const asked = budgetQuestion(usedUp, 3, () => false);
    expect(asked).toEqual({ inputId, kind: 'budget', question, options });
  });

  it('asks under another id where the limit is what it was', () => {
    const answered = ['budget-3-100', 'budget-3-100-2'];
    const { inputId } = budgetQuestion(tokens, 3, (id) => answered.includes(id));
    expect(inputId).toBe('budget-3-100-3');
  });

  it.each([
    {
      usedUp: tokens,
      message:
        'The budget of 100 tokens is used up: 115 were spent. Start again with a larger budget.',
    },
    {
      usedUp: dollars,
      message:
        'The budget of $0.5 is used up: $0.5124 were spent. Start again with a larger budget.',
    },
    {
      usedUp: { unit: 'tokens', limit: 0, spent: 0 } as const,
      message:
        'Nothing is left for this run of the budget in tokens. Start again with a larger budget.',
    },
  ])('fails with $message', ({ usedUp, message }) => {
    expect(budgetExceeded(usedUp)).toMatchObject({
      code: 'BudgetExceeded',
      message,
      details: usedUp,
    });
  });
});
