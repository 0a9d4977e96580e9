/** Signals by which a person, a terminal or a service manager ends `dev`. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const everyMs = 500;

/** Resolves when `dev` shall end: on a signal, or when the process that started it is gone. */
export function endOfDev(): Promise<void> {
  return new Promise((resolve) => {
    // Every later one is ignored: npm repeats the Ctrl-C that the terminal sends, and ending is bounded anyway.
    for (const signal of signals) process.on(signal, () => resolve());
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent) resolve();
    }, everyMs).unref();
  });
}
