// Stops the check of a Standard Schema that takes too long. The check is a user's own code, but a model writes the text that its patterns
// match.

import { createContext, Script } from 'node:vm';

/** The wall clock may run this many times longer than the core, because the machine has other work. */
const mostPatience = 16;

export class TookTooLong extends Error {
  override readonly message = 'took too long';
}

let interruptible: ((work: () => unknown, milliseconds: number) => unknown) | undefined;

/**
 * Does work that may take too long. Throws `TookTooLong` when the work uses more time of a core. The work may be stopped at any place,
 * without `finally`, and may run again: do nothing in it that must end or that must happen once.
 */
export function withinTime<Result>(milliseconds: number, work: () => Result): Result {
  interruptible ??= createInterruptible();
  for (let patience = milliseconds; ; patience *= 2) {
    const before = usedMilliseconds();
    try {
      return interruptible(work, patience) as Result;
    } catch (error) {
      if ((error as { code?: unknown } | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
        throw error;
      // The clock runs on while a process is frozen or has to wait for a core: such work was not too much.
      const used = usedMilliseconds() - before;
      if (used > milliseconds * 0.8 || patience > milliseconds * mostPatience)
        throw new TookTooLong();
    }
  }
}

/** The time of a core that this thread has used. Node before 23.9 knows only the time of the process. */
function usedMilliseconds(): number {
  const isMeasured = typeof process.threadCpuUsage === 'function';
  const { user, system } = isMeasured ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1_000;
}

/** The engine can be interrupted only from outside of a script. */
function createInterruptible() {
  const sandbox: { work?: (() => unknown) | undefined } = {};
  const context = createContext(sandbox);
  const script = new Script('work()');
  return (work: () => unknown, timeout: number): unknown => {
    sandbox.work = work;
    try {
      return script.runInContext(context, { timeout });
    } finally {
      sandbox.work = undefined;
    }
  };
}
