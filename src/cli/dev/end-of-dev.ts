/** Signals by which a person, a terminal or a service manager ends a command that serves. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const everyMs = 500;

/** Resolves when `dev` shall end: on a signal, or when the process that started it is gone. */
export function endOfDev(): Promise<void> {
  return new Promise((resolve) => {
    void endSignal().then(resolve);
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, everyMs).unref();
  });
}

/** Resolves on the first of these signals. Every later one is ignored: npm repeats the Ctrl-C that the terminal sends, and ending is bounded anyway. */
export function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve());
  });
}
