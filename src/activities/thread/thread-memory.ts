// What a thread has done beside its turns: its store read and written, its older turns summarised.

import { textOfParts, utf8Length } from '../../base/text';
import { foldMemory, turnsOf } from '../../core/transcript/memory';
import { ProviderError, LonghaulError } from '../../protocol/errors';
import type { Message } from '../../protocol/message';
import type { AgentSpec, RunnerSpec } from '../../protocol/spec';
import type {
  ClearTurnsInput,
  CompactTurnsInput,
  CompactTurnsResult,
  KeptTurn,
  OpenThreadInput,
  OpenThreadResult,
  SaveTurnInput,
  StoreInput,
  StoreReply,
} from '../../protocol/thread';
import { costOf } from '../../providers/prices';
import type { MemoryStore, StoredMemoryTurn } from '../../stores/memory-store';
import type { ActivityDependencies } from '../dependencies';
import { isSearchSpent } from '../failures';
import { withHeartbeat } from '../heartbeat';
import { inlineSpec } from '../definition/inline-spec';
import { attempt } from '../model/model-attempt';
import { readLog } from '../log/read-log';
import { checkJson } from '../../core/session';
import { isJsonObject, type JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import { checkSaid, instantOf } from '../../stores/memory-turn';

/** How many turns of a store a thread with full memory takes up again. */
const mostTurns = 1_000;

const summarise =
  'Summarise the conversation above for the assistant who goes on with it: what the user wants, config, names, numbers and decisions, ' +
  'what was promised and what is open. Be complete and short. Answer with the summary only.';

export async function openThread(
  dependencies: ActivityDependencies,
  input: OpenThreadInput,
): Promise<OpenThreadResult> {
  return await withHeartbeat(async () => {
    const { memory } = memoryOf(await runnerSpec(dependencies, input));
    const searchAttributes = await dependencies.hasSearchAttributes();
    if (memory?.store === undefined) {
      return { ...(memory && { memory }), searchAttributes, turns: [], count: 0 };
    }
    const last = memory.kind === 'windowed' ? Math.max(1, memory.turns) : mostTurns;
    const store = storeOf(dependencies, memory.store);
    // Before the turns: what is cleared in between is then a generation that is over.
    const generation = await calling(memory.store, () => store.generation(input.key));
    const stored = await calling(memory.store, async () =>
      orderedTurns(await store.loadTurns(input.key, { last: Math.min(last, mostTurns) })),
    );
    const counted = await calling(memory.store, () => store.count(input.key));
    const session = await calling(memory.store, () => sessionOf(stored.at(-1)));
    return {
      memory,
      searchAttributes,
      turns: newestThatFit(stored),
      count: countOf(counted, stored),
      ...(session && { session }),
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

/** `write` tells the generation that it wrote to; undefined when it came too late. */
async function writing(
  dependencies: ActivityDependencies,
  { store, key, isLast = false }: StoreInput,
  write: (memory: MemoryStore) => Promise<string | undefined>,
): Promise<StoreReply> {
  const memory = isLast ? storeOf(dependencies, store) : writableStore(dependencies, store);
  return await withHeartbeat(() =>
    calling(store, async () => ({
      generation: (await write(memory)) ?? (await memory.generation(key)),
    })),
  );
}

export async function compactTurns(
  dependencies: ActivityDependencies,
  input: CompactTurnsInput,
): Promise<CompactTurnsResult> {
  return await withHeartbeat(async (signal) => {
    const spec = await runnerSpec(dependencies, input);
    const entries = await readLog(dependencies.logCache, input.log, signal);
    const all = turnsOf(entries);
    const turns = Math.max(0, all.length - input.keepTurns);
    const kept = new Set(all.slice(turns).flat());
    const older = entries.filter((entry) => !kept.has(entry));
    const model = memoryOf(spec).memory?.compact?.model ?? modelOf(spec);
    const provider = dependencies.providers.get(model.provider);
    if (provider === undefined) {
      const message = `this worker has no model provider '${model.provider}'`;
      throw new LonghaulError('NotRegisteredHere', message, { retryable: true });
    }
    const request = {
      model: model.model,
      messages: [...foldMemory(older), userMessage(summarise)],
      tools: [],
      toolChoice: 'none' as const,
      settings: {},
      cacheKey: input.log.workflowId.slice(0, 64),
    };
    const call = {
      dependencies: {},
      input: { log: input.log, turn: 0 },
      signal,
      earlyStop: undefined,
    };
    const { content, usage } = await attempt(provider, request, call);
    const text = textOfParts(content);
    if (text.trim() === '') {
      throw new ProviderError('bad_response', 'the model gave no summary', {
        provider: model.provider,
      });
    }
    const costUsd = costOf(dependencies.prices, model, usage);
    const cost =
      costUsd === undefined ? { unpriced: [`${model.provider}/${model.model}`] } : { costUsd };
    return { text, turns, spend: { usage, ...cost } };
  });
}

/** A runner nobody here knows may be known to another worker of a rolling deploy. */
async function runnerSpec(
  { registry, inlineSpecs }: ActivityDependencies,
  { runner, inline }: Pick<OpenThreadInput, 'runner' | 'inline'>,
): Promise<RunnerSpec> {
  try {
    const given = inline === true ? await inlineSpec(inlineSpecs) : runner;
    const { runners, runner: id } = registry.definition(given);
    return runners[id] as RunnerSpec;
  } catch (error) {
    if (!LonghaulError.is(error) || error.code !== 'AgentNotFound') throw error;
    throw new LonghaulError(error.code, error.message, { retryable: !isSearchSpent() });
  }
}

function memoryOf(spec: RunnerSpec): Pick<AgentSpec, 'memory'> {
  return spec.kind === 'agent' && spec.memory ? { memory: spec.memory } : {};
}

function modelOf(spec: RunnerSpec): AgentSpec['model'] {
  if (spec.kind === 'agent') return spec.model;
  throw new TypeError(`only an agent's thread is compacted, and '${spec.id}' is none`);
}

function storeOf({ stores }: ActivityDependencies, name: string): MemoryStore {
  const memory = stores?.memory ?? {};
  const store = Object.hasOwn(memory, name) ? memory[name] : undefined;
  if (store !== undefined) return store;
  const known = Object.keys(memory).sort().join(', ') || 'none';
  throw new LonghaulError(
    'NotRegisteredHere',
    `this worker has no memory store '${name}'; it has: ${known}`,
    {
      retryable: true,
    },
  );
}

/** What is to be written waits for a worker that has the store, however long. */
function writableStore(dependencies: ActivityDependencies, name: string): MemoryStore {
  try {
    return storeOf(dependencies, name);
  } catch (error) {
    throw new LonghaulError('StoreError', String(error), { cause: error, retryable: true });
  }
}

/** An error that is not ours is one of a store we do not know: it may pass. */
async function calling<Result>(
  name: string,
  call: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    const retryable = LonghaulError.is(error) ? error.retryable : true;
    const message = error instanceof Error ? error.message : String(error);
    throw new LonghaulError('StoreError', `the memory store '${name}' failed: ${message}`, {
      cause: error,
      retryable,
    });
  }
}

function userMessage(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

// What a thread takes up from its memory store. The store may be anybody's: what its rows hold is checked here, before it is in a history.

/** The oldest first, each once, whatever order they came in. Throws `StoreError` for what is no turn. */
export function orderedTurns(rows: unknown): readonly StoredMemoryTurn[] {
  if (!Array.isArray(rows)) throw new LonghaulError('StoreError', 'loadTurns gave no list');
  const turns = new Map<string, StoredMemoryTurn>();
  for (const row of rows as readonly unknown[]) {
    checkSaid(row);
    turns.set(row.id, row);
  }
  const ordered = [...turns.values()].map((turn) => ({ turn, at: instantOf(turn) }));
  ordered.sort((one, other) => order(one.at, other.at) || order(one.turn.id, other.turn.id));
  return ordered.map(({ turn }) => turn);
}

/** Without a usable number, those that are here count. */
export function countOf(counted: unknown, turns: readonly StoredMemoryTurn[]): number {
  const count = Number.isSafeInteger(counted) ? Number(counted) : 0;
  return Math.max(count, turns.length);
}

/** The session as that turn left it. Throws `StoreError` for one that no run could start from. */
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

/** The newest; what is too long to travel is left in the store. */
export function newestThatFit(turns: readonly StoredMemoryTurn[]): readonly KeptTurn[] {
  const kept = turns.map(keptTurn);
  let bytes = 0;
  const first = kept.findLastIndex((turn) => {
    bytes += utf8Length(JSON.stringify(turn));
    return bytes > limits.result;
  });
  return kept.slice(first + 1);
}

/** A turn that something else than a thread wrote came with no message. */
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
