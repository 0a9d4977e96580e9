import { defined, describeValue } from '../base';
import { LonghaulError, type ModelRef, type RunSpend, type Usage } from '../protocol';

/** US dollars per million tokens. */
export type TokenPrices = {
  readonly input: number;
  readonly output: number;
  /** For tokens read from the provider's cache. Default: the price of `input`. */
  readonly cacheRead?: number;
  /** For tokens written to the provider's cache. Default: the price of `input`. */
  readonly cacheWrite?: number;
};

export type ModelPrice = TokenPrices & {
  /** How many tokens a prompt may have. Default: that of the list, if it has the model. */
  readonly window?: number;
  /** The prices of a whole call if its input has more than `above` tokens, cached ones included. */
  readonly long?: TokenPrices & { readonly above: number };
};

/** Prices by `'provider/model'`. A name with a date or version at its end has the price of the name without it. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

type FullPrices = readonly [input: number, cacheRead: number, cacheWrite: number, output: number];

function priced([input, cacheRead, cacheWrite, output]: FullPrices): TokenPrices {
  return { input, output, cacheRead, cacheWrite };
}

/** A model with a context of 1,050,000 tokens. A prompt may have all but the 128,000 of the answer. */
function openai(...prices: FullPrices): ModelPrice {
  const [input, cacheRead, cacheWrite, output] = prices;
  const long = priced([input * 2, cacheRead * 2, cacheWrite * 2, output * 1.5]);
  return { window: 922_000, ...priced(prices), long: { above: 272_000, ...long } };
}

function claude(window: number, ...prices: FullPrices): ModelPrice {
  return { window, ...priced(prices) };
}

const million = 1_000_000;
/** The window of a context of 400,000 tokens, without the 128,000 of the answer. */
const smallGpt5 = 272_000;
const gemini = 1_048_576;

/**
 * Public list prices of November 2026, without promotions, and the windows that the providers' pages of models named in that month. They
 * change: set your own with `createWorker({ prices })`.
 */
const listPrices: PriceTable = {
  'openai/gpt-6.1-sol': openai(2, 0.1, 2.5, 10),
  'openai/gpt-6.1-terra': openai(1, 0.05, 1.25, 5),
  'openai/gpt-6-astra': openai(10, 1, 12.5, 50),
  'openai/gpt-6-sol': openai(2, 0.2, 2.5, 10),
  'openai/gpt-6-luna': openai(0.1, 0.01, 0.125, 0.5),
  'openai/gpt-5.6-sol': openai(5, 0.5, 6.25, 30),
  'openai/gpt-5.6-terra': openai(2, 0.2, 2.5, 12),
  'openai/gpt-5.6-luna': openai(0.2, 0.02, 0.25, 1.2),
  'openai/gpt-5.5': openai(5, 0.5, 5, 30),
  'openai/gpt-5.4': openai(2.5, 0.25, 2.5, 15),
  'openai/gpt-5.4-mini': { window: smallGpt5, input: 0.75, output: 4.5, cacheRead: 0.075 },
  'openai/gpt-5.4-nano': { window: smallGpt5, input: 0.2, output: 1.25, cacheRead: 0.02 },
  'openai/gpt-5': { window: smallGpt5, input: 1.25, output: 10, cacheRead: 0.125 },
  'openai/gpt-5-mini': { window: smallGpt5, input: 0.25, output: 2, cacheRead: 0.025 },
  'openai/gpt-5-nano': { window: smallGpt5, input: 0.05, output: 0.4, cacheRead: 0.005 },
  'openai/gpt-4.1': { window: 1_047_576, input: 2, output: 8, cacheRead: 0.5 },
  'openai/gpt-4.1-mini': { window: 1_047_576, input: 0.4, output: 1.6, cacheRead: 0.1 },
  'openai/gpt-4o': { window: 128_000, input: 2.5, output: 10, cacheRead: 1.25 },
  'openai/gpt-4o-mini': { window: 128_000, input: 0.15, output: 0.6, cacheRead: 0.075 },
  'anthropic/claude-fable-5-1': claude(million, 10, 0.25, 12.5, 50),
  'anthropic/claude-fable-5': claude(million, 10, 1, 12.5, 50),
  'anthropic/claude-opus-5-5': claude(million, 4, 0.2, 5, 20),
  'anthropic/claude-opus-5': claude(million, 5, 0.5, 6.25, 25),
  'anthropic/claude-opus-4-8': claude(million, 5, 0.5, 6.25, 25),
  'anthropic/claude-opus-4-7': claude(million, 5, 0.5, 6.25, 25),
  'anthropic/claude-opus-4-6': claude(million, 5, 0.5, 6.25, 25),
  'anthropic/claude-opus-4-5': claude(200_000, 5, 0.5, 6.25, 25),
  'anthropic/claude-sonnet-5-5': claude(million, 2, 0.1, 2.5, 10),
  'anthropic/claude-sonnet-5': claude(million, 2, 0.2, 2.5, 10),
  'anthropic/claude-sonnet-4-6': claude(million, 3, 0.3, 3.75, 15),
  'anthropic/claude-sonnet-4-5': claude(200_000, 3, 0.3, 3.75, 15),
  'anthropic/claude-haiku-5-5': {
    ...claude(million, 0.1, 0.01, 0.125, 0.5),
    long: { above: 100_000, ...priced([0.5, 0.05, 0.625, 2.5]) },
  },
  'anthropic/claude-haiku-4-5': claude(200_000, 1, 0.1, 1.25, 5),
  'google/gemini-3.8-flash': { window: gemini, input: 1.5, output: 7.5, cacheRead: 0.15 },
  'google/gemini-3.6-flash': { window: gemini, input: 1.5, output: 7.5, cacheRead: 0.15 },
  'google/gemini-3.5-flash': { input: 1.5, output: 9, cacheRead: 0.15 },
  'google/gemini-3.5-flash-lite': { input: 0.3, output: 2.5, cacheRead: 0.03 },
  'google/gemini-3.1-pro': {
    ...{ window: gemini, input: 2, output: 12, cacheRead: 0.2 },
    long: { above: 200_000, input: 4, output: 18, cacheRead: 0.4 },
  },
  'google/gemini-2.5-pro': {
    ...{ window: gemini, input: 1.25, output: 10, cacheRead: 0.125 },
    long: { above: 200_000, input: 2.5, output: 15, cacheRead: 0.25 },
  },
  'google/gemini-2.5-flash': { window: gemini, input: 0.3, output: 2.5, cacheRead: 0.03 },
  'google/gemini-2.5-flash-lite': { window: gemini, input: 0.1, output: 0.4, cacheRead: 0.01 },
};

/** The list prices and the user's own; the user's own win. */
export function priceTable(own: PriceTable = {}): PriceTable {
  if (own === null || typeof own !== 'object')
    throw new LonghaulError('SpecError', "prices must be an object of prices by 'provider/model'");
  const given = Object.entries(own).map(([name, price]) => {
    checkPrice(name, price);
    return [name, { ...defined({ window: priceOf(listPrices, name)?.window }), ...price }] as const;
  });
  return { ...listPrices, ...Object.fromEntries(given) };
}

/** How many tokens a prompt of the model may have. Undefined if that is unknown. */
export function windowOf(prices: PriceTable, { provider, model }: ModelRef): number | undefined {
  return priceOf(prices, `${provider}/${model}`)?.window;
}

/** The cost of a call in US dollars. Undefined if the price is unknown or the provider did not report the usage. */
export function costOf(prices: PriceTable, model: ModelRef, usage: Usage): number | undefined {
  const found = priceOf(prices, `${model.provider}/${model.model}`);
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  if (found === undefined || inputTokens === null || outputTokens === null) return undefined;
  const price = found.long !== undefined && inputTokens > found.long.above ? found.long : found;
  const read = cacheReadTokens ?? 0;
  const written = cacheWriteTokens ?? 0;
  const cost =
    Math.max(0, inputTokens - read - written) * price.input +
    read * (price.cacheRead ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    outputTokens * price.output;
  // It rounds, so that a history has no number like 0.30000000000000004. No price list is this fine.
  return Math.round(cost * 1_000) / 1e9;
}

/** The spending of a call, for the budget of its run. Without a known price, `unpriced` names the model. */
export function spendOf(prices: PriceTable, model: ModelRef, usage: Usage): RunSpend {
  const costUsd = costOf(prices, model, usage);
  const cost =
    costUsd === undefined ? { unpriced: [`${model.provider}/${model.model}`] } : { costUsd };
  return { usage, ...cost };
}

function priceOf(prices: PriceTable, name: string): ModelPrice | undefined {
  if (Object.hasOwn(prices, name)) return prices[name];
  const longest = Object.keys(prices)
    .filter((known) => isVersionOf(name, known))
    .reduce((best, known) => (known.length > best.length ? known : best), '');
  return prices[longest];
}

/** `gpt-5-2025-08-07` is a version of `gpt-5`; `gpt-5-mini` is another model, and so is `claude-opus-5-5` beside `claude-opus-5`. */
function isVersionOf(name: string, known: string): boolean {
  const version = /^(?:-\d{3,}|[@:]\d|[-@:](?:latest|preview))/;
  return name.startsWith(known) && version.test(name.slice(known.length));
}

function checkPrice(name: string, price: ModelPrice): void {
  const { long, window = 1000 } = (price ?? {}) as Partial<ModelPrice>;
  const isRight = arePrices(price) && (long === undefined || (arePrices(long) && long.above > 0));
  if (!Number.isSafeInteger(window) || window < 1000) {
    throw new LonghaulError(
      'SpecError',
      `prices['${name}'].window must be a whole number of tokens, at least 1000, not ${describeValue(window)}`,
    );
  }
  if (isRight && name.includes('/')) return;
  throw new LonghaulError(
    'SpecError',
    `prices['${name}'] must be {input, output, cacheRead?, cacheWrite?, long?: {above, …}, window?} in US dollars per million tokens, under 'provider/model'`,
  );
}

function arePrices(prices: TokenPrices | null): boolean {
  if (prices === null || typeof prices !== 'object') return false;
  return (['input', 'output', 'cacheRead', 'cacheWrite'] as const).every((field) => {
    const value: unknown = prices[field];
    const isLeftOut = value === undefined && field.startsWith('cache');
    return isLeftOut || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
  });
}
