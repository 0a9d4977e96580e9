/**
 * A signal that aborts with the first of these. Node keeps all that listens to a signal of `AbortSignal.any` while a source of it can be
 * reached, and the listener of an attempt reaches its own sources: each attempt would stay in memory for ever, with its prompt.
 */
export function anySignal(sources: readonly AbortSignal[]): AbortSignal {
  const own = new AbortController();
  for (const source of sources) {
    if (source.aborted) own.abort(source.reason);
    else source.addEventListener('abort', () => own.abort(source.reason), { once: true });
  }
  return own.signal;
}
