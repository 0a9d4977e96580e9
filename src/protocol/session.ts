import { jsonObject, objectOf, type Shape, texts } from './shapes';

export const sessionDeltaShape = objectOf({ set: jsonObject, removed: texts });

/** The changes of a session, as plain JSON, so that a deletion survives the wire, too. */
export type SessionDelta = Shape<typeof sessionDeltaShape>;
