import type { JsonObject } from '../base/json';
import type { ModelRef } from '../protocol/spec';
import { describeValue, type Problem } from '../base/problem';

export type ParsedModel =
  | { readonly ok: true; readonly model: ModelRef }
  | { readonly ok: false; readonly message: string };

/** `'provider/model'`: everything behind the first slash is the provider's own name of the model. */
export function parseModel(text: string): ParsedModel {
  const slash = text.indexOf('/');
  if (slash > 0 && slash < text.length - 1) {
    return {
      ok: true,
      model: { provider: text.slice(0, slash), model: text.slice(slash + 1) },
    };
  }
  const message = `must be 'provider/model', such as 'openai/gpt-6.1-terra', not ${describeValue(text)}`;
  return { ok: false, message };
}

/** Writes out a model that stands as text in data. `path` is where it stands, for the message. */
export function completeModel(place: JsonObject, path: string): Problem[] {
  if (typeof place.model !== 'string') return [];
  const parsed = parseModel(place.model);
  if (!parsed.ok) return [{ path, message: parsed.message }];
  place.model = { ...parsed.model };
  return [];
}
