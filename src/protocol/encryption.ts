/** What the codecs of a worker tell its workflows about a payload that is not encrypted as this worker's are: a key of its metadata. */
export const payloadMarks = {
  /** It came in clear to a worker that encrypts. */
  clear: 'longhaul-clear',
  /** It came encoded to a worker that has no codec for it. Its value is `{[unreadableKey]: encoding}`. */
  unreadable: 'longhaul-unreadable',
} as const;

export const unreadableKey = 'longhaul:unreadable';

/** What Temporal's failure converter writes in place of a message that it encodes. */
export const encodedFailureMessage = 'Encoded failure';

/** Written by the failure converter of `encryption`, so that a bundle that has it can be told from one that has not. */
export const encodesFailuresMark = 'longhaul: failures are encoded';
