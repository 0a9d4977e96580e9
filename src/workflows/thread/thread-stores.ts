// The two stores of a thread: the one with its turns, and the one with its large contents. Both forget what a clear forgets.

import { patched } from '@temporalio/workflow';
import { defined } from '../../base/json';
import { storedKey } from '../../core/stored-key';
import type { MemorySpec } from '../../protocol/spec';
import type { StoredKey, ThreadInput } from '../../protocol/thread';
import { type CarriedErasure, ThreadErasure } from './thread-erasure';
import { type CarriedSaves, ThreadSaves } from './thread-saves';
import type { ThreadTurns } from './thread-turns';

/** What survives continue-as-new. */
export type CarriedStores = {
  readonly saves: CarriedSaves;
  readonly erasure?: CarriedErasure;
  /** The store has the conversation under a key with the tenant. */
  readonly hasTenantInKey?: boolean;
};

export class ThreadStores {
  saves = new ThreadSaves(undefined, () => undefined);
  readonly erasure: ThreadErasure;
  /** False for a thread with a tenant that 0.2.0 opened: its store has it under the user alone. */
  #hasTenantInKey = false;

  constructor(turns: ThreadTurns) {
    this.erasure = new ThreadErasure(turns);
  }

  /** The key of a thread that opens now. */
  openKey(input: ThreadInput): StoredKey {
    const isOfTenant = typeof input.key.tenant === 'string';
    this.#hasTenantInKey = isOfTenant && patched('longhaul:tenant-in-key');
    return this.#keyOf(input);
  }

  /** `onLost` gets the reason when a write is lost for good. */
  start(
    input: ThreadInput,
    {
      memory,
      carried,
      onLost,
    }: {
      readonly memory: MemorySpec | undefined;
      readonly carried: CarriedStores;
      readonly onLost: (reason: string) => void;
    },
  ): void {
    this.#hasTenantInKey ||= carried.hasTenantInKey === true;
    const { application } = input;
    const whose = { key: this.#keyOf(input), ...defined({ application }) };
    const store = memory?.store;
    const target = store === undefined ? undefined : { store, ...whose };
    this.saves = new ThreadSaves(target, onLost, carried.saves);
    this.erasure.start(whose, onLost, carried.erasure);
  }

  carry(): CarriedStores {
    return {
      saves: this.saves.carry(),
      ...defined({ erasure: this.erasure.carry() }),
      ...(this.#hasTenantInKey && { hasTenantInKey: true }),
    };
  }

  clear(): void {
    this.saves.clear();
    this.erasure.ask();
  }

  /** True until both have forgotten what nobody needs any more. */
  get isClearing(): boolean {
    return this.saves.isClearing || this.erasure.isDue;
  }

  /** Stops writing. The next execution goes on. */
  async stop(): Promise<void> {
    await Promise.all([this.saves.stop(), this.erasure.stop()]);
  }

  /** The thread ends: writes what is left. */
  async finish(): Promise<void> {
    await Promise.all([this.saves.finish(), this.erasure.finish()]);
  }

  #keyOf({ key: { tenant, ...key } }: ThreadInput): StoredKey {
    return this.#hasTenantInKey ? storedKey({ ...key, ...defined({ tenant }) }) : key;
  }
}
