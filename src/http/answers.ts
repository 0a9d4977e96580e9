// The responses of routes, and their part of the OpenAPI document.

import type { Json, JsonObject } from '../base';
import type { PendingInput } from '../protocol';

/** A JSON response. No cache may keep it, because it belongs to one person. */
export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: { 'cache-control': 'no-store' } });
}

export function done(): Response {
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
}

/** The responses of an operation. */
export function responses(status: number, description: string, type?: string): JsonObject {
  const content: Json = { [type ?? 'application/json']: { schema: {} } };
  return { [String(status)]: { description, ...(status !== 204 && { content }) } };
}

/** An open input as people see it: without the value from which the ids of answers derive. */
export function shownInput<Input extends Partial<PendingInput>>({
  nonce: _nonce,
  ...shown
}: Input): Omit<Input, 'nonce'> {
  return shown;
}

/** The first items that pass, and whether there are more. Reads no further. */
export async function firstOf<Item>(
  items: AsyncIterable<Item>,
  { limit, passes }: { readonly limit: number; readonly passes: (item: Item) => boolean },
): Promise<{ readonly first: readonly Item[]; readonly more: boolean }> {
  const first: Item[] = [];
  for await (const item of items) {
    if (!passes(item)) continue;
    if (first.length === limit) return { first, more: true };
    first.push(item);
  }
  return { first, more: false };
}
