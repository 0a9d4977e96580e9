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
  /** Resolves when, beside, nothing is under way between this process and the world outside: no file, no connection. */
  readonly idle: () => Promise<void>;
  /** Takes the numbers from now on. */
  readonly seed: (chance: Chance) => void;
  /** Makes time and chance real again. */
  readonly end: () => void;
};

/** Real ones, kept before they are replaced. */
const realImmediate = setImmediate;
const realTimeout = setTimeout;
const { random } = Math;

/** Work of the event loop that ends by itself: of the file system, of names of hosts, and of sockets. */
const underWay = /^(?:FSReq|CloseReq|GetAddrInfo|TCPConnect|PipeConnect|Write|Shutdown)/;
/** What is sent to a socket of this process is there a turn of the event loop later. Sender and receiver take some turns each. */
const turnsOfSockets = 4;
/** ms of the real clock. Work that takes longer is not waited for. */
const longestWork = 10_000;

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
    settled: turn,
    idle: async () => {
      await turn();
      let names = process.getActiveResourcesInfo();
      for (let waited = 0; waited < longestWork && names.some(isUnderWay); waited += 1) {
        await new Promise((resolve) => realTimeout(resolve, 1));
        names = process.getActiveResourcesInfo();
      }
      if (names.includes('TCPSocketWrap'))
        for (let turns = 0; turns < turnsOfSockets; turns += 1) await turn();
    },
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

const turn = (): Promise<void> => new Promise((resolve) => realImmediate(resolve));

const isUnderWay = (resource: string): boolean => underWay.test(resource);

/** Many come from a generator of their own: tests of what is large take most of their time to make it. */
const manyBytes = 1_024;

function bytesOf(chance: Chance, size: number): Buffer {
  if (size < manyBytes) return Buffer.from(Array.from({ length: size }, () => chance.below(256)));
  const words = new Uint32Array(Math.ceil(size / 4));
  let state = chance.below(2 ** 32) || 1;
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, size);
}
