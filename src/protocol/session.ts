import type { JsonObject } from '../base/json';

/** What changed in a session: plain JSON, so that a deletion survives the wire, too. */
export type SessionDelta = { readonly set: JsonObject; readonly removed: readonly string[] };
