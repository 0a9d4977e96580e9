// The two stores of a thread: the one with its turns, and the one with its large contents. Both forget what a clear forgets.

import { patched } from '@temporalio/workflow';
import { defined } from '../../base';
import { storedKey } from '../../core/stored-key';
import { anything, type Shape, stored, type StoredKey, type ThreadInput } from '../../protocol';
import { type CarriedErasure, ThreadErasure } from './thread-erasure';
import { carriedSavesShape, ThreadSaves } from './thread-saves';
import type { ThreadTurns } from './thread-turns';

export const carriedStoresShape = stored(
  { saves: carriedSavesShape },
  {
    erasure: anything<CarriedErasure>(),
    /** The store has the conversation under a key with the tenant. */
    hasTenantInKey: anything<boolean>(),
  },
);

/** What survives continue-as-new. */
export type CarriedStores = Shape<typeof carriedStoresShape>;

type Options = {
  readonly input: ThreadInput;
  /** The name of the store with the turns. */
  readonly store: string | undefined;
  readonly turns: ThreadTurns;
  /** Gets the reason when a write is lost for good. */
  readonly onLost: (reason: string) => void;
};

export class ThreadStores {
  readonly saves: ThreadSaves;
  readonly erasure: ThreadErasure;
  readonly #hasTenantInKey: boolean;

  constructor({ input, store, turns, onLost }: Options, carried: CarriedStores) {
    const { hasTenantInKey = false, saves, erasure } = carried;
    const { application } = input;
    const target = { key: keyOf(input, hasTenantInKey), ...defined({ application }) };
    this.#hasTenantInKey = hasTenantInKey;
    this.saves = new ThreadSaves(
      store === undefined ? undefined : { store, ...target },
      onLost,
      saves,
    );
    this.erasure = new ThreadErasure(turns, new ThreadSaves(target, onLost, erasure), erasure);
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
}

/** The key of a thread that opens now. */
export function newKey(input: ThreadInput): {
  readonly key: StoredKey;
  readonly hasTenantInKey: boolean;
} {
  const isOfTenant = typeof input.key.tenant === 'string';
  const hasTenantInKey = isOfTenant && patched('longhaul:tenant-in-key');
  return { key: keyOf(input, hasTenantInKey), hasTenantInKey };
}

function keyOf({ key: { tenant, ...key } }: ThreadInput, hasTenant: boolean): StoredKey {
  return hasTenant ? storedKey({ ...key, ...defined({ tenant }) }) : key;
}
