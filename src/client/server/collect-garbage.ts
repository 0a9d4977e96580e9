// Deletes contents of runs from a result store if nobody can read them any more.
//
// 1. It deletes nothing until the server has known one of the scopes: a wrong address would make all of them look unused.
// 2. Only the server's own "not found" counts. Any other error ends it.
// 3. It leaves contents of the last day: a client uploads before it starts a run.
// 4. It leaves contents that a conversation in a memory store names, even if its thread is gone. `clear` deletes these.

import type { Client } from '@temporalio/client';
import { defined, type Duration, parseDuration } from '../../base';
import { LonghaulError, type StoredKey } from '../../protocol';
import {
  memoryMark,
  type ResultScope,
  type ResultStore,
  scopeOf,
  sha256Of,
} from '../../stores/index';
import { asLonghaulError, isNotFound } from './failures';
import { keyOfThread } from '../write/thread-input';

/** The part of a memory store that this needs. */
type CountingStore = { count(key: StoredKey): Promise<number> };

export type GarbageOptions = {
  /** The store that the workers use. */
  readonly results: ResultStore;
  /**
   * The memory stores of the workers. Only for conversations that 0.2.0 has stored, because it did not mark their contents. These contents
   * stay while a memory store has the conversation, or if that is unknown.
   */
  readonly stores?: { readonly memory?: Readonly<Record<string, CountingStore>> };
  /**
   * Also deletes contents of runs that closed this long ago, such as `'30 days'`. Default: only contents of runs that the server no longer
   * knows.
   */
  readonly closedFor?: Duration;
  /** Deletes nothing, and returns what it would delete. Default false. */
  readonly dryRun?: boolean;
};

export type GarbageReport = {
  /** The workflow ids with contents that were deleted, or would be. */
  readonly workflowIds: readonly string[];
  /** How many contents were deleted: 0 with `dryRun`. */
  readonly deleted: number;
  /** The scopes of this namespace that stay. */
  readonly kept: number;
};

const dayMs = 24 * 60 * 60_000;

const pageSize = 100;

/** Throws `StoreError` if the store has contents of this namespace only of workflows that the server does not know. */
export async function collectGarbage(
  client: Client,
  { results, stores, closedFor, dryRun = false }: GarbageOptions,
): Promise<GarbageReport> {
  const closedBefore = new Date(Date.now() - closedMs(closedFor));
  const unlessWrittenSince = new Date(Date.now() - dayMs);
  const ofNamespace = scopeOf(client.options.namespace, '');
  const unused: string[] = [];
  let kept = 0;
  let known = 0;
  for await (const { scope, lastWrittenAt } of allScopes(results)) {
    if (!scope.startsWith(ofNamespace)) continue;
    const workflowId = scope.slice(ofNamespace.length);
    const state = await stateOf(client, workflowId, closedBefore);
    if (state !== 'gone') known += 1;
    const isRecent = lastWrittenAt >= unlessWrittenSince;
    const isUsed = state === 'used' || isRecent || (await isNamed(results, stores, scope));
    if (isUsed) kept += 1;
    else unused.push(workflowId);
  }
  if (known === 0 && unused.length > 0) throw unknownServer(client, unused.length);
  let deleted = 0;
  for (const workflowId of dryRun ? [] : unused)
    deleted += await results.deleteScope(`${ofNamespace}${workflowId}`, { unlessWrittenSince });
  return { workflowIds: unused, deleted, kept };
}

/** Whether a conversation in a memory store names contents of the scope. */
async function isNamed(
  results: ResultStore,
  stores: GarbageOptions['stores'],
  scope: string,
): Promise<boolean> {
  const mark = await results.get({ scope, digest: sha256Of(memoryMark) });
  const workflowId = scope.slice(scope.indexOf('/') + 1);
  return mark !== undefined || (await livesInStore(stores, workflowId));
}

/** Whether a memory store has turns of the thread. The thread's id contains their key. */
async function livesInStore(
  stores: GarbageOptions['stores'],
  workflowId: string,
): Promise<boolean> {
  const memories = Object.values(stores?.memory ?? {});
  if (memories.length === 0 || !workflowId.startsWith('thread:')) return false;
  const key = keyOfThread(workflowId);
  if (key === undefined) return true;
  const counts = await Promise.all(memories.map((memory) => memory.count(key)));
  return counts.some((count) => count > 0);
}

async function* allScopes(results: ResultStore): AsyncGenerator<ResultScope, void, void> {
  for (let after: string | undefined; ;) {
    const page = await results.scopes({ limit: pageSize, ...defined({ after }) });
    yield* page;
    after = page.at(-1)?.scope;
    if (after === undefined) return;
  }
}

async function stateOf(
  client: Client,
  workflowId: string,
  closedBefore: Date,
): Promise<'used' | 'closed' | 'gone'> {
  try {
    const { status, closeTime } = await client.workflow.getHandle(workflowId).describe();
    const isClosed = status.name !== 'RUNNING' && closeTime !== undefined;
    return isClosed && closeTime < closedBefore ? 'closed' : 'used';
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw asLonghaulError(error);
  }
}

/** Without a duration, it is so long that no run has closed that long ago. */
function closedMs(closedFor: Duration | undefined): number {
  if (closedFor === undefined) return Date.now();
  const parsed = parseDuration(closedFor);
  if (parsed.ok) return parsed.ms;
  throw new LonghaulError('InvalidInput', `closedFor ${parsed.message}`);
}

function unknownServer(client: Client, scopes: number): LonghaulError {
  return new LonghaulError(
    'StoreError',
    `the server knows none of the ${scopes} workflows of namespace '${client.options.namespace}' in the store, so nothing was deleted: check the address and the store`,
  );
}
