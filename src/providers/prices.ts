import { SpecError } from '../protocol/error-classes';
import type { Usage } from '../protocol/message';
import type { ModelRef } from '../protocol/spec';

/** US dollars per million tokens. */
export type ModelPrice = {
  readonly input: number;
  readonly output: number;
  /** Of tokens read from the provider's cache. Default: as `input`. */
  readonly cacheRead?: number;
  /** Of tokens written to it. Default: as `input`. */
  readonly cacheWrite?: number;
};

/** By `'provider/model'`. A name with a date or version behind it has the price of the longest name it begins with. */
export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** Public list prices as of November 2025. They change: what counts for you goes into `createWorker({prices})`. */
const listPrices: PriceTable = {
  'openai/gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
  'openai/gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
  'openai/gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
  'openai/gpt-5-pro': { input: 15, output: 120 },
  'openai/gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
  'openai/gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
  'openai/gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025 },
  'openai/gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  'openai/gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
  'openai/o3': { input: 2, output: 8, cacheRead: 0.5 },
  'openai/o4-mini': { input: 1.1, output: 4.4, cacheRead: 0.275 },
  'anthropic/claude-opus-4-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  'google/gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.125 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03 },
  'google/gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cacheRead: 0.01 },
};

/** The list prices with the user's own over them. */
export function priceTable(own: PriceTable = {}): PriceTable {
  for (const [name, price] of Object.entries(own)) checkPrice(name, price);
  return { ...listPrices, ...own };
}

/** What a call cost; undefined where the model's price is not known, or the provider did not say what it used. */
export function costOf(prices: PriceTable, model: ModelRef, usage: Usage): number | undefined {
  const price = priceOf(prices, `${model.provider}/${model.model}`);
  const { input, output, cacheRead, cacheWrite } = usage;
  if (price === undefined || input === null || output === null) return undefined;
  const read = cacheRead ?? 0;
  const written = cacheWrite ?? 0;
  const cost =
    Math.max(0, input - read - written) * price.input +
    read * (price.cacheRead ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    output * price.output;
  // Finer than any price list, and never a number like 0.30000000000000004 in a history.
  return Math.round(cost * 1_000) / 1e9;
}

function priceOf(prices: PriceTable, name: string): ModelPrice | undefined {
  if (Object.hasOwn(prices, name)) return prices[name];
  const longest = Object.keys(prices)
    .filter((known) => isVersionOf(name, known))
    .reduce((best, known) => (known.length > best.length ? known : best), '');
  return prices[longest];
}

/** `gpt-5-2025-08-07` is a version of `gpt-5`; `gpt-5-mini` is another model. */
function isVersionOf(name: string, known: string): boolean {
  return name.startsWith(known) && /^[-@:](\d|latest|preview)/.test(name.slice(known.length));
}

function checkPrice(name: string, price: ModelPrice): void {
  const fields = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;
  const wrong = fields.filter((field) => {
    const value: unknown = price[field];
    const isLeftOut = value === undefined && field.startsWith('cache');
    return !isLeftOut && !(typeof value === 'number' && Number.isFinite(value) && value >= 0);
  });
  if (wrong.length === 0 && name.includes('/')) return;
  throw new SpecError(
    `prices['${name}'] must be {input, output, cacheRead?, cacheWrite?} in US dollars per million tokens, under 'provider/model'`,
  );
}
