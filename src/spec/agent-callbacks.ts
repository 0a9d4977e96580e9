import { isJsonObject } from '../base/json';
import type { Callbacks } from './callbacks';
import { describeValue, quote, type Problem } from './problem';

export type ParsedCallbacks = {
  readonly callbacks: readonly Callbacks[];
  readonly problems: readonly Problem[];
};

/** The callbacks of an agent's definition, in the order they run: made by `defineCallbacks`, each name once. */
export function parseCallbacks(value: unknown): ParsedCallbacks {
  if (value === undefined) return { callbacks: [], problems: [] };
  if (!Array.isArray(value)) {
    const message = `must be an array of callbacks, not ${describeValue(value)}`;
    return { callbacks: [], problems: [{ path: 'callbacks', message }] };
  }
  const list = value as readonly unknown[];
  const callbacks = list.filter(isCallbacks);
  const problems = list.flatMap((item, index) => {
    const message = isCallbacks(item)
      ? repeated(list, item, index)
      : `must come from defineCallbacks, not be ${describeValue(item)}`;
    return message === undefined ? [] : [{ path: `callbacks[${index}]`, message }];
  });
  return { callbacks, problems };
}

export function isCallbacks(value: unknown): value is Callbacks {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'callbacks';
}

function repeated(list: readonly unknown[], { name }: Callbacks, index: number) {
  const first = list.findIndex((item) => isCallbacks(item) && item.name === name);
  return first === index
    ? undefined
    : `has the name ${quote(name)}, which callbacks[${first}] already has`;
}
