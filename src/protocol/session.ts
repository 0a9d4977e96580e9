import type { JsonObject } from '../base/json';

/** The changes of a session, as plain JSON, so that a deletion survives the wire, too. */
export type SessionDelta = { readonly set: JsonObject; readonly removed: readonly string[] };
