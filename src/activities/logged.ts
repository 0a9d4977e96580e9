const logged = new WeakSet();

/** Marks a failure that is in the log, so that it is not logged again. */
export function markLogged(failure: unknown): void {
  if (Object(failure) === failure) logged.add(failure as object);
}

export function wasLogged(failure: unknown): boolean {
  return Object(failure) === failure && logged.has(failure as object);
}
