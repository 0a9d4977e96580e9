import type {
  OutputConfig,
  ThinkingConfigParam,
} from '@anthropic-ai/sdk/resources/messages/messages';
import type { ModelSettings } from '../../protocol/spec';

type Effort = 'minimal' | 'low' | 'medium' | 'high';

/** What an effort comes to on models that only know a number of tokens. */
const budgets: Readonly<Record<Effort, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
};
/** The API wants at least this many, and more tokens for the answer on top. */
const smallestBudget = 1024;

export type Thinking = {
  readonly thinking?: ThinkingConfigParam;
  readonly effort?: NonNullable<OutputConfig['effort']>;
};

/**
 * A budget is said as it is. Effort is adaptive thinking, which models up to 4.5 refuse: for them it becomes a budget that
 * leaves room for an answer.
 */
export function toThinking(settings: ModelSettings, model: string): Thinking {
  const { effort, budgetTokens } = settings.reasoning ?? {};
  if (budgetTokens !== undefined) return withBudget(budgetTokens);
  if (effort === undefined) return {};
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (!onlyHasBudgets(model)) {
    return { thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort };
  }
  const room = (settings.maxOutputTokens ?? Infinity) - smallestBudget;
  const budget = Math.min(budgets[effort], room);
  return budget < smallestBudget ? {} : withBudget(budget);
}

function withBudget(budget: number): Thinking {
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

function onlyHasBudgets(model: string): boolean {
  return /claude-(?:[0-3]\b|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:[-@]\d{8}|$))/.test(model);
}
