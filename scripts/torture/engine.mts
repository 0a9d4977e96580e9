// What a round runs on. The real engine has a Temporal server, processes and a database; the simulated one has all of that in memory, on
// virtual time.

import type { Longhaul } from 'longhaul/client';
import type { MemoryStore, StateStores } from 'longhaul/stores';
import type { HubHandlers } from './hub.mts';
import type { RoundPlan } from './plan.mts';
import type { Scale } from './random-plan.mts';
import type { Effect } from './runners.mts';

export const taskQueue = 'torture';
export const workersEach = 2;

/** Cleanups run in reverse. They learn whether the round came to its end and found nothing wrong. */
export type OnEnd = (cleanup: (isWell: boolean) => Promise<unknown>) => void;

/** One place for a worker: whatever ends the worker in it, the next one is started so many milliseconds later. */
export type Place = {
  readonly pid: number | undefined;
  readonly isFrozen: boolean;
  /** Workers started here. */
  readonly starts: number;
  kill(restartMs: number): true;
  /** One that does not end in time is told of, and killed. */
  shutDown(restartMs: number): true;
  freeze(ms: number): true;
  /** The worker shuts down, and one of this build takes its place. Build 0 is the first; false where there is no other one. */
  deploy(build: number): boolean;
};

export type RoundServer = {
  /** Killed or frozen. */
  readonly isDown: boolean;
  readonly restarts: number;
  /** Whether it was there to be killed. */
  kill(downMs: number): boolean;
  freeze(ms: number): boolean;
};

export type RoundStore = {
  /** As it really is. */
  readonly memory: MemoryStore;
  readonly state: Required<StateStores>;
  /** Killed, and started again on its data so much later; false where it cannot be. */
  kill(downMs: number): boolean;
  cut(how: 'down' | 'slow', ms: number): void;
};

/** The effects that tools had. */
export type Ledger = { record(effect: Effect): void; read(): readonly Effect[] };

export type World = {
  readonly plan: RoundPlan;
  readonly ledger: Ledger;
  readonly store: RoundStore;
  readonly server: RoundServer;
  readonly longhaul: Longhaul;
  /** Two workers that reach the outside by these handlers. Resolves when they poll. */
  readonly openWorkers: (
    handlers: HubHandlers,
    onWrong: (wrong: string) => void,
  ) => Promise<readonly Place[]>;
};

export type Engine = {
  open(options: { readonly seed: number; readonly scale: Scale }, onEnd: OnEnd): Promise<World>;
  /** The share of its time that a process gets now. */
  share(): number;
};
