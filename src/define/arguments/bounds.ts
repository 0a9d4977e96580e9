// How large a schema may be, and how long work with it may take. Schemas come from anybody, and everything else of a worker waits.

import { createContext, Script } from 'node:vm';
import type { JsonSchema } from '../../base/json';
import { pointedAt } from '../../core/schema/pointer';
import type { Problem } from '../../base/problem';

/** Longest time to check one value, on the thread that everything else of a worker waits for. */
export const checkMilliseconds = 500;
/** Six times what the largest schema takes on a quiet machine of today. */
export const compileMilliseconds = 3_000;

/** Compiling so much takes half a second. */
const mostBytes = 128 * 1024;
const mostParts = 50_000;
const deepest = 400;

/** A machine may be as much slower than its cores: it has other work. */
const mostPatience = 16;

/** Why nobody can afford to check a value against the schema. Takes a moment: nothing is compiled. */
export function affordProblems(schema: JsonSchema): Problem[] {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > mostBytes) {
    return refusal(`must be at most ${mostBytes / 1024} KiB, not ${Math.ceil(bytes / 1024)}`);
  }
  const parts = unfoldedSize(schema);
  if (parts <= mostParts) return [];
  if (parts === Infinity) {
    return refusal('is nested too deeply: more than 200 schemas, with its references');
  }
  return refusal(
    `comes to more than ${mostParts.toLocaleString('en')} parts with its references written out: refer to the same schema less often`,
  );
}

function refusal(message: string): Problem[] {
  return [{ path: '', message }];
}

/** The number of objects and arrays when each reference is written out: twenty references to twice the one below make a million of 2 kB. */
function unfoldedSize(root: JsonSchema): number {
  const sizes = new Map<unknown, number>();
  const sizeOf = (part: unknown, depth: number): number => {
    if (typeof part !== 'object' || part === null) return 0;
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (depth > deepest) return Infinity;
    // What refers to itself counts once: it goes on only where the value does.
    sizes.set(part, 1);
    const { $defs: _, definitions: __, ...applied } = part as JsonSchema;
    const inside = [...Object.values(applied), ...referred(applied, root)];
    const size = inside.reduce<number>((sum, member) => sum + sizeOf(member, depth + 1), 1);
    sizes.set(part, size);
    return size;
  };
  return sizeOf(root, 0);
}

/** What `#/…` points at. A reference by a name is not followed: the time of a check bounds it. */
function referred({ $ref, $dynamicRef }: JsonSchema, root: JsonSchema): unknown[] {
  const pointers = [$ref, $dynamicRef].filter((text) => typeof text === 'string');
  return pointers.map((pointer) => pointedAt(root, pointer));
}

export const tooLongToCheck = `took more than ${checkMilliseconds} ms to check: send a smaller or simpler value`;

export class TookTooLong extends Error {
  override readonly message = 'took too long';
}

let interruptible: ((work: () => unknown, milliseconds: number) => unknown) | undefined;

/**
 * Does work that others decide the length of, such as a check against somebody's schema. Throws `TookTooLong` when the work uses more
 * time of a core. It is stopped anywhere, without `finally`, and may then be done again: do nothing in it that must be finished or done once.
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

/** Of a core, by this thread; by the process where Node cannot tell (before 23.9). */
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
