import type { Json, JsonObject } from '../base/json';
import type { Origin, Sealed } from '../protocol/message';

const absent = '$absent';

/**
 * Sealed data that is worth keeping: what `block` has beyond `projection`, the block made from the neutral part alone.
 * Together they give the block back exactly, and what a part already says is not stored twice.
 */
export function differenceOf(block: JsonObject, projection: JsonObject): JsonObject {
  const added = Object.entries(block).filter(
    ([key, value]) => !isSame(value, Object.hasOwn(projection, key) ? projection[key] : undefined),
  );
  const missing = Object.keys(projection).filter((key) => !Object.hasOwn(block, key));
  return { ...Object.fromEntries(added), ...(missing.length === 0 ? {} : { [absent]: missing }) };
}

/** The block of which `difference` was taken. */
export function withDifference(projection: JsonObject, difference: JsonObject): JsonObject {
  const { [absent]: missing, ...added } = difference;
  const block: JsonObject = { ...projection, ...added };
  return Array.isArray(missing)
    ? Object.fromEntries(Object.entries(block).filter(([key]) => !missing.includes(key)))
    : block;
}

/** `{ sealed }` to spread into a part; nothing when there is nothing to keep. */
export function sealedField(origin: Origin, data: JsonObject): { readonly sealed?: Sealed } {
  return Object.keys(data).length === 0 ? {} : { sealed: seal(origin, data) };
}

export function seal(origin: Origin, data: Json): Sealed {
  return { api: origin.api, model: origin.model, data };
}

function isSame(left: Json, right: Json | undefined): boolean {
  return right !== undefined && JSON.stringify(left) === JSON.stringify(right);
}
