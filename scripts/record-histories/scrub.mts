// A history without what tells of the machine it was recorded on. What replay looks at stays as it was.
import { hostname } from 'node:os';

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

const worker = new RegExp(`\\d+@${hostname().replaceAll(/[^\w-]/g, '\\$&')}`, 'g');

/** Identities become `worker`, stack traces are left out. */
export function scrub(value: Value): Value {
  if (typeof value === 'string') return value.replaceAll(worker, 'worker');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(scrub);
  const entries = Object.entries(value).filter(([key]) => key !== 'stackTrace');
  return Object.fromEntries(entries.map(([key, item]) => [key, scrub(item)]));
}

/** Throws when a word stands anywhere in the JSON, inside its payloads too. */
export function assertWithout(json: string, words: readonly string[]): void {
  const payloads = [...json.matchAll(/"data": ?"([A-Za-z0-9+/=]+)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  const found = words.find((word) => [json, ...payloads].some((text) => text.includes(word)));
  if (found !== undefined) throw new Error(`the history tells of this machine: ${found}`);
}
