/** Metadata keys with which a worker's codecs mark a payload for its workflows, if it is not encrypted like the worker's own payloads. */
export const payloadMarks = {
  /** The payload came in clear to a worker that encrypts. */
  clear: 'longhaul-clear',
  /** The payload came encoded to a worker that has no codec for it. Its value is `{[unreadableKey]: encoding}`. */
  unreadable: 'longhaul-unreadable',
} as const;

export const unreadableKey = 'longhaul:unreadable';

/** The text that Temporal's failure converter writes in place of a message that it encodes. */
export const encodedFailureMessage = 'Encoded failure';

/** Marks a bundle that has the failure converter of `encryption`. */
export const encodesFailuresMark = 'longhaul: failures are encoded';
