import type { ThinkingConfig, ThinkingLevel } from '@google/genai';
import type { ModelSettings } from '../../protocol/spec';
import { hasThinkingLevels } from './model-family';

type Effort = NonNullable<NonNullable<ModelSettings['reasoning']>['effort']>;

/** What the efforts of other APIs come to where only a number of tokens can be said. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
};

/** Summaries of thoughts come along wherever thinking was asked for; thinking cannot be switched off where it has levels. */
export function toThinkingConfig(
  reasoning: ModelSettings['reasoning'],
  model: string,
): ThinkingConfig | undefined {
  const { effort, budgetTokens } = reasoning ?? {};
  if (budgetTokens !== undefined) {
    return { includeThoughts: budgetTokens !== 0, thinkingBudget: budgetTokens };
  }
  if (effort === undefined) return undefined;
  const includeThoughts = effort !== 'none';
  if (!hasThinkingLevels(model)) return { includeThoughts, thinkingBudget: budgets[effort] };
  const level = effort === 'none' ? 'minimal' : effort;
  return { includeThoughts, thinkingLevel: level.toUpperCase() as ThinkingLevel };
}
