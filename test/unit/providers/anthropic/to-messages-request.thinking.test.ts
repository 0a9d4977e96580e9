// Pure: no server.
import type { ModelSettings } from '../../../../src/protocol/spec';
import { toThinking } from '../../../../src/providers/anthropic/to-messages-request';

const budget = (budgetTokens: number): object => ({
  thinking: { type: 'enabled', budget_tokens: budgetTokens },
});

describe('toThinking', () => {
  it.each<[string, ModelSettings, object]>([
    ['claude-opus-5', {}, {}],
    ['claude-opus-5', { reasoning: { effort: 'none' } }, { thinking: { type: 'disabled' } }],
    [
      'claude-opus-5',
      { reasoning: { effort: 'medium' } },
      { thinking: { type: 'adaptive' }, effort: 'medium' },
    ],
    [
      'claude-opus-4-6',
      { reasoning: { effort: 'minimal' } },
      { thinking: { type: 'adaptive' }, effort: 'low' },
    ],
    ['claude-opus-5', { reasoning: { effort: 'high', budgetTokens: 4000 } }, budget(4000)],
    ['claude-haiku-4-5', { reasoning: { effort: 'high' } }, budget(24_576)],
    ['claude-sonnet-4-5-20250929', { reasoning: { effort: 'medium' } }, budget(8192)],
    ['claude-sonnet-4-20250514', { reasoning: { effort: 'low' } }, budget(2048)],
    ['claude-opus-4-1', { reasoning: { effort: 'minimal' } }, budget(1024)],
    ['claude-3-7-sonnet-latest', { reasoning: { effort: 'low' } }, budget(2048)],
    ['claude-haiku-4-5', { reasoning: { effort: 'none' } }, { thinking: { type: 'disabled' } }],
    ['claude-haiku-4-5', { reasoning: { effort: 'high' }, maxOutputTokens: 5000 }, budget(3976)],
    ['claude-haiku-4-5', { reasoning: { effort: 'high' }, maxOutputTokens: 1500 }, {}],
  ])('makes %s think as %j say', (model, settings, expected) => {
    expect(toThinking(settings, model)).toEqual(expected);
  });
});
