// The activities with which a thread reads and writes its memory store.

import { defined, isJsonObject, type JsonObject, utf8Length } from '../../base';
import {
  type AgentSpec,
  type ClearTurnsInput,
  type EraseContentsInput,
  type KeptTurn,
  limits,
  LonghaulError,
  type OpenThreadInput,
  type OpenThreadResult,
  type RunnerSpec,
  type SaveTurnInput,
  type StoreInput,
  type StoreReply,
} from '../../protocol';
import { checkSaid, instantOf, type MemoryStore, type StoredMemoryTurn } from '../../stores/index';
import type { ActivityDependencies } from '../dependencies';
import { refusedHere } from '../definition/refusals';
import { notHere } from '../failures';
import { type Beats, withHeartbeat } from '../heartbeat';
import { hooksHere } from '../people/hooks';
import { inlineSpec } from '../definition/inline-spec';
import { scopeOfCall } from '../results/stored-results';
import { callStore } from './open-run';
import { checkJson } from '../../core/session';
import { storedInInput } from '../../core/stored-parts';

/** A thread with full memory starts with at most this many turns of its store. */
const mostTurns = 1_000;

export async function openThread(
  dependencies: ActivityDependencies,
  input: OpenThreadInput,
): Promise<OpenThreadResult> {
  return await withHeartbeat(dependencies, async (_signal, beats) => {
    const settings = settingsOf(await findRunnerSpec(dependencies, input, beats));
    const { memory } = settings;
    const searchAttributes = await dependencies.hasSearchAttributes();
    const here = { ...settings, searchAttributes, ...hooksHere(dependencies) };
    if (memory?.store === undefined) {
      return { ...here, turns: [], count: 0 };
    }
    const last = memory.kind === 'windowed' ? Math.max(1, memory.turns) : mostTurns;
    const store = storeOf(dependencies, memory.store);
    // Reads the generation before the turns: if somebody clears them in between, this generation is over.
    const generation = await callStore(`memory store '${memory.store}'`, () =>
      store.generation(input.key),
    );
    const stored = await callStore(`memory store '${memory.store}'`, async () =>
      orderedTurns(await store.loadTurns(input.key, { last: Math.min(last, mostTurns) })),
    );
    const counted = await callStore(`memory store '${memory.store}'`, () => store.count(input.key));
    await markContents(dependencies, stored);
    const session = await callStore(`memory store '${memory.store}'`, () =>
      sessionOf(stored.at(-1)),
    );
    return {
      ...here,
      turns: newestThatFit(stored),
      count: countOf(counted, stored),
      ...defined({ session }),
      generation,
    };
  });
}

export async function saveTurn(
  dependencies: ActivityDependencies,
  input: SaveTurnInput,
): Promise<StoreReply> {
  const { key, generation, turn } = input;
  const { workflowId: invocationId, ...rest } = turn;
  return await writing(dependencies, input, async (memory) => {
    await markContents(dependencies, [turn]);
    const isSaved = await memory.saveTurn({ ...key, ...rest, invocationId }, { generation });
    return isSaved ? generation : undefined;
  });
}

export async function clearTurns(
  dependencies: ActivityDependencies,
  input: ClearTurnsInput,
): Promise<StoreReply> {
  const { key, generation, next } = input;
  return await writing(dependencies, input, async (memory) => {
    const isCleared = await memory.clear(key, { generation, next });
    return isCleared ? next : undefined;
  });
}

/** The turns outlive their thread. The contents that they name must stay as long. */
async function markContents(
  { results }: ActivityDependencies,
  turns: readonly Pick<KeptTurn, 'user'>[],
): Promise<void> {
  if (!turns.some(({ user }) => storedInInput(user).length > 0)) return;
  await results?.mark(scopeOfCall());
}

/** Without a result store, there is nothing to erase: all workers have the same one. */
export async function eraseContents(
  dependencies: ActivityDependencies,
  { before, except }: EraseContentsInput,
): Promise<void> {
  const { results } = dependencies;
  if (results === undefined) return;
  await withHeartbeat(dependencies, () =>
    results.erase(scopeOfCall(), { writtenBefore: new Date(before), except }),
  );
}

/** `write` returns the generation that it wrote to, or undefined if it came too late. */
async function writing(
  dependencies: ActivityDependencies,
  { store, key, isLast = false }: StoreInput,
  write: (memory: MemoryStore) => Promise<string | undefined>,
): Promise<StoreReply> {
  const memory = isLast ? storeOf(dependencies, store) : writableStore(dependencies, store);
  return await withHeartbeat(dependencies, () =>
    callStore(`memory store '${store}'`, async () => ({
      generation: (await write(memory)) ?? (await memory.generation(key)),
    })),
  );
}

/** In a rolling deploy another worker may know a runner that this one does not. */
export async function findRunnerSpec(
  { registry, inlineSpecs, pollers }: ActivityDependencies,
  { runner, inline }: Pick<OpenThreadInput, 'runner' | 'inline'>,
  beats: Pick<Beats, 'keep'>,
): Promise<RunnerSpec> {
  try {
    const given = inline === true ? await inlineSpec(inlineSpecs) : runner;
    const { runners, runner: id } = registry.definition(given);
    return runners[id] as RunnerSpec;
  } catch (error) {
    if (!LonghaulError.is(error) || error.code !== 'AgentNotFound') throw error;
    throw await refusedHere(pollers, error, beats);
  }
}

function settingsOf(spec: RunnerSpec): Pick<AgentSpec, 'memory' | 'context'> {
  if (spec.kind !== 'agent') return {};
  return defined({ memory: spec.memory, context: spec.context });
}

function storeOf({ stores }: ActivityDependencies, name: string): MemoryStore {
  const memory = stores?.memory ?? {};
  const store = Object.hasOwn(memory, name) ? memory[name] : undefined;
  if (store !== undefined) return store;
  throw notHere(`memory store '${name}'`, { known: Object.keys(memory) });
}

/** A write waits for a worker that has the store, for as long as it takes. */
function writableStore(dependencies: ActivityDependencies, name: string): MemoryStore {
  try {
    return storeOf(dependencies, name);
  } catch (error) {
    throw new LonghaulError('StoreError', String(error), { cause: error, retryable: true });
  }
}

// Data that a thread reads from its memory store. The store may be the user's own, so this checks its rows before they enter a history.

/** The turns without doubles, the oldest first. Throws `StoreError` for a row that is not a turn. */
export function orderedTurns(rows: unknown): readonly StoredMemoryTurn[] {
  if (!Array.isArray(rows)) throw new LonghaulError('StoreError', 'loadTurns must return a list');
  const turns = new Map<string, StoredMemoryTurn>();
  for (const row of rows as readonly unknown[]) {
    checkSaid(row);
    turns.set(row.id, row);
  }
  const ordered = [...turns.values()].map((turn) => ({ turn, at: instantOf(turn) }));
  ordered.sort((one, other) => order(one.at, other.at) || order(one.turn.id, other.turn.id));
  return ordered.map(({ turn }) => turn);
}

/** The store's count, but at least the turns that were read. */
export function countOf(counted: unknown, turns: readonly StoredMemoryTurn[]): number {
  const count = Number.isSafeInteger(counted) ? Number(counted) : 0;
  return Math.max(count, turns.length);
}

/** The session after a turn. Throws `StoreError` if it is not JSON or too large. */
export function sessionOf(turn: StoredMemoryTurn | undefined): JsonObject | undefined {
  const session = isJsonObject(turn?.eventData) ? turn.eventData['session'] : undefined;
  if (!isJsonObject(session)) return undefined;
  const violation = checkJson(session, 'session');
  if (violation !== undefined)
    throw new LonghaulError(
      'StoreError',
      `turn '${turn?.id}': ${violation.path}: ${violation.problem}`,
    );
  const bytes = utf8Length(JSON.stringify(session));
  if (bytes <= limits.session) return session;
  throw new LonghaulError(
    'StoreError',
    `turn '${turn?.id}': its session has ${bytes} bytes; at most ${limits.session} are taken`,
  );
}

/** As many of the newest turns as fit into one result. */
export function newestThatFit(turns: readonly StoredMemoryTurn[]): readonly KeptTurn[] {
  const kept = turns.map(keptTurn);
  let bytes = 0;
  const first = kept.findLastIndex((turn) => {
    bytes += utf8Length(JSON.stringify(turn));
    return bytes > limits.result;
  });
  return kept.slice(first + 1);
}

/** Only turns that a thread wrote have a message id. */
function keptTurn(turn: StoredMemoryTurn): KeptTurn {
  const { id, invocationId: workflowId, user, assistant, createdAt, eventData } = turn;
  const messageId = isJsonObject(eventData) ? eventData['messageId'] : undefined;
  return {
    id,
    messageId: typeof messageId === 'string' ? messageId : id,
    workflowId,
    user,
    assistant,
    createdAt,
  };
}

function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
