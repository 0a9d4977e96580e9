const logged = new WeakSet();

/** Notes that the log has a failure, whatever else writes of it. */
export function markLogged(failure: unknown): void {
  if (Object(failure) === failure) logged.add(failure as object);
}

export function wasLogged(failure: unknown): boolean {
  return Object(failure) === failure && logged.has(failure as object);
}
