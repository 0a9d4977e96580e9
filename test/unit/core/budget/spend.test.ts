// Pure: no server.
import { isSpent, spendSince } from '../../../../src/core/budget/spend';
import type { RunSpend } from '../../../../src/protocol/run';
import { noUsage } from '../builders';

describe('what was spent between two reports', () => {
  it.each<{ name: string; before: RunSpend; after: RunSpend; since: RunSpend }>([
    {
      name: 'nothing',
      before: { usage: { ...noUsage, totalTokens: 5 } },
      after: { usage: { ...noUsage, totalTokens: 5 } },
      since: { usage: { ...noUsage, totalTokens: 0 }, added: { tokens: 0, costUsd: 0 } },
    },
    {
      name: 'what was not reported before',
      before: { usage: noUsage },
      after: { usage: { ...noUsage, totalTokens: 5 }, costUsd: 1 },
      since: {
        usage: { ...noUsage, totalTokens: 5 },
        costUsd: 1,
        added: { tokens: 0, costUsd: 0 },
      },
    },
    {
      name: 'more of all',
      before: { usage: { ...noUsage, totalTokens: 5, inputTokens: 4 }, tokens: 9, costUsd: 1 },
      after: {
        usage: { ...noUsage, totalTokens: 8, inputTokens: 6 },
        tokens: 20,
        costUsd: 1.5,
        unpriced: ['a/b'],
        added: { tokens: 7 },
      },
      since: {
        usage: { ...noUsage, totalTokens: 3, inputTokens: 2 },
        tokens: 11,
        costUsd: 0.5,
        unpriced: ['a/b'],
        added: { tokens: 7, costUsd: 0 },
      },
    },
  ])('is $name', ({ before, after, since }) => {
    expect(spendSince(before, after)).toEqual(since);
  });

  it.each<{ spend: RunSpend; any: boolean }>([
    { spend: { usage: noUsage }, any: false },
    { spend: { usage: { ...noUsage, outputTokens: 0 } }, any: true },
    { spend: { usage: noUsage, unpriced: ['a/b'] }, any: true },
  ])('is worth a report or not: $spend', ({ spend, any }) => {
    expect(isSpent(spend)).toBe(any);
  });
});
