// Pure: no server.
import { costOf, priceTable, type PriceTable, windowOf } from '../../../src/providers/prices';
import type { Usage } from '../../../src/protocol/message';
import { noUsage, thrown } from '../core/builders';

const million = 1_000_000;
const used = (input: number | null, output: number | null, rest: Partial<Usage> = {}): Usage => ({
  ...noUsage,
  inputTokens: input,
  outputTokens: output,
  ...rest,
});

const prices = priceTable({
  'acme/one': { input: 2, output: 8 },
  'acme/cached': { input: 2, output: 8, cacheRead: 0.5, cacheWrite: 4 },
  'acme/one-5': { input: 1, output: 1 },
  'acme/free': { input: 0, output: 0 },
  'acme/long': { input: 1, output: 1, long: { above: 1_000, input: 2, output: 4, cacheRead: 1 } },
});

describe('costOf', () => {
  it.each<{ name: string; model: string; usage: Usage; cost: number | undefined }>([
    { name: 'input and output', model: 'one', usage: used(million, million / 2), cost: 6 },
    { name: 'nothing', model: 'free', usage: used(million, million), cost: 0 },
    {
      name: 'what the cache gave, at the price of input',
      model: 'one',
      usage: used(million, 0, { cacheReadTokens: million / 2 }),
      cost: 2,
    },
    {
      name: 'what the cache gave and took, at its own prices',
      model: 'cached',
      usage: used(million, 0, { cacheReadTokens: million / 2, cacheWriteTokens: million / 4 }),
      cost: 1.75,
    },
    {
      name: 'a cache that gave more than there was',
      model: 'cached',
      usage: used(10, 0, { cacheReadTokens: million }),
      cost: 0.5,
    },
    {
      name: 'a cent, without digits of no meaning',
      model: 'one',
      usage: used(3, 1),
      cost: 0.000014,
    },
    {
      name: 'a long prompt, all at its own prices',
      model: 'long',
      usage: used(1_001, 100, { cacheReadTokens: 1 }),
      cost: 0.002401,
    },
    { name: 'a prompt that is just not long', model: 'long', usage: used(1_000, 0), cost: 0.001 },
    { name: 'no input that is known of', model: 'one', usage: used(null, 5), cost: undefined },
    { name: 'no output that is known of', model: 'one', usage: used(5, null), cost: undefined },
  ])('counts $name', ({ model, usage, cost }) => {
    expect(costOf(prices, { provider: 'acme', model }, usage)).toBe(cost);
  });

  it.each<{ model: string; cost: number | undefined }>([
    { model: 'one', cost: 2 },
    { model: 'one-2026-01-31', cost: 2 },
    { model: 'one@20260131', cost: 2 },
    { model: 'one:2', cost: 2 },
    { model: 'one-latest', cost: 2 },
    { model: 'one-preview', cost: 2 },
    { model: 'one-5', cost: 1 },
    { model: 'one-5-2026-01-31', cost: 1 },
    { model: 'one-6', cost: undefined },
    { model: 'one-mini', cost: undefined },
    { model: 'onerous', cost: undefined },
    { model: 'two', cost: undefined },
    { model: 'constructor', cost: undefined },
  ])('finds the price of $model: $cost', ({ model, cost }) => {
    expect(costOf(prices, { provider: 'acme', model }, used(million, 0))).toBe(cost);
  });
});

describe('windowOf', () => {
  const own = priceTable({
    'acme/one': { input: 0, output: 0, window: 8_192 },
    'openai/gpt-6.1-terra': { input: 7, output: 7 },
    'openai/gpt-6-sol': { input: 7, output: 7, window: 32_000 },
  });

  it.each<{ provider: string; model: string; window: number | undefined }>([
    { provider: 'acme', model: 'one', window: 8_192 },
    { provider: 'acme', model: 'one-2026-01-31', window: 8_192 },
    { provider: 'acme', model: 'two', window: undefined },
    { provider: 'anthropic', model: 'claude-sonnet-5-5', window: million },
    { provider: 'anthropic', model: 'claude-haiku-4-5-20251001', window: 200_000 },
    { provider: 'openai', model: 'gpt-5-mini-2025-08-07', window: 272_000 },
    { provider: 'openai', model: 'gpt-6.1-terra', window: 922_000 },
    { provider: 'openai', model: 'gpt-6-sol', window: 32_000 },
  ])('is $window for $provider/$model', ({ window, ...model }) => {
    expect(windowOf(own, model)).toBe(window);
  });
});

describe('priceTable', () => {
  it('has list prices, and what is given over them', () => {
    const model = { provider: 'openai', model: 'gpt-6.1-terra-2026-10-26' };
    const own = priceTable({ 'openai/gpt-6.1-terra': { input: 7, output: 7 } });
    expect(costOf(priceTable(), model, used(100_000, 0))).toBe(0.1);
    expect(costOf(priceTable(), model, used(million, million))).toBe(9.5);
    expect(costOf(own, model, used(million, 0))).toBe(7);
  });

  it.each<{ name: string; price: unknown }>([
    { name: 'acme/one', price: { input: 1 } },
    { name: 'acme/one', price: { input: '1', output: 1 } },
    { name: 'acme/one', price: { input: -1, output: 1 } },
    { name: 'acme/one', price: { input: 1, output: Number.NaN } },
    { name: 'acme/one', price: { input: 1, output: 1, cacheRead: null } },
    { name: 'acme/one', price: { input: 1, output: 1, long: { input: 1, output: 1 } } },
    { name: 'acme/one', price: { input: 1, output: 1, long: { above: 10, input: 1 } } },
    { name: 'one', price: { input: 1, output: 1 } },
  ])('refuses $price for $name', ({ name, price }) => {
    expect(thrown(() => priceTable({ [name]: price } as PriceTable))).toMatchObject({
      code: 'SpecError',
      message: `prices['${name}'] must be {input, output, cacheRead?, cacheWrite?, long?: {above, …}, window?} in US dollars per million tokens, under 'provider/model'`,
    });
  });

  it.each([999, 1000.5, '8k', null])('refuses a window of %p', (window) => {
    const price = { input: 1, output: 1, window } as PriceTable[string];
    expect(thrown(() => priceTable({ 'acme/one': price }))).toMatchObject({
      code: 'SpecError',
      message: expect.stringContaining(
        "prices['acme/one'].window must be a whole number of tokens, at least 1000, not ",
      ) as string,
    });
  });
});
