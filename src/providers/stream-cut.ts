/**
 * The reason of an abort, made in `onDelta`, that wants no more of a response, only what has come of it: the call hangs up
 * and, where the provider can tell that, resolves with it.
 */
export class StreamCut extends Error {
  override readonly name = 'StreamCut';
}

export function isCut(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof StreamCut;
}
