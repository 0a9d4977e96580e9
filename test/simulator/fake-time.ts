// Virtual time and seeded randomness for everything in this process: timers, dates, random numbers and ids. Real code that sleeps, or asks
// what time it is, asks the simulation.

import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { type Clock, install } from '@sinonjs/fake-timers';
import type { Chance } from './world';

const startsAt = Date.UTC(2026, 0, 1);

export type FakeTime = {
  readonly clock: Clock;
  /** Resolves when no promise has anything left to do. */
  readonly settled: () => Promise<void>;
  /** Takes the numbers from now on. */
  readonly seed: (chance: Chance) => void;
  /** Makes time and chance real again. */
  readonly end: () => void;
};

/** Real ones, kept before they are replaced. */
const realImmediate = setImmediate;
const { random } = Math;

export function fakeTime(): FakeTime {
  const clock = install({
    now: startsAt,
    toFake: [
      'setTimeout',
      'clearTimeout',
      'setInterval',
      'clearInterval',
      'setImmediate',
      'clearImmediate',
      'Date',
      'performance',
      'hrtime',
    ],
    loopLimit: 1_000_000,
  });
  let chance: Chance | undefined;
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => {
    const over = new AbortController();
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    setTimeout(() => over.abort(reason), ms);
    return over.signal;
  };
  Math.random = () => chance?.next() ?? random();
  const module = crypto as { -readonly [Name in 'randomUUID' | 'randomBytes']: unknown };
  const { randomUUID, randomBytes } = crypto;
  module.randomUUID = () => chance?.uuid() ?? randomUUID();
  module.randomBytes = (size: number) =>
    chance === undefined ? randomBytes(size) : bytesOf(chance, size);
  syncBuiltinESMExports();
  // Clients name themselves by it, and histories keep the name. No process has this number.
  Object.defineProperty(process, 'pid', { value: 4_194_305, configurable: true });
  return {
    clock,
    settled: () => new Promise((resolve) => realImmediate(resolve)),
    seed: (next) => {
      chance = next;
    },
    end: () => {
      clock.uninstall();
      AbortSignal.timeout = timeout;
      Math.random = random;
      Object.assign(module, { randomUUID, randomBytes });
      syncBuiltinESMExports();
    },
  };
}

function bytesOf(chance: Chance, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => chance.below(256)));
}
