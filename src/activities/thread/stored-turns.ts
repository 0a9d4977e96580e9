// What a thread takes up from its memory store. The store may be anybody's: what its rows hold is checked here, before it is in a history.

import { checkJson } from '../../core/session';
import { utf8Length } from '../../base/text';
import { StoreError } from '../../protocol/error-classes';
import { isJsonObject, type JsonObject } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { KeptTurn } from '../../protocol/thread';
import type { StoredMemoryTurn } from '../../stores/memory-store';
import { checkSaid, instantOf } from '../../stores/memory-turn';

/** The oldest first, each once, whatever order they came in. Throws `StoreError` for what is no turn. */
export function orderedTurns(rows: unknown): readonly StoredMemoryTurn[] {
  if (!Array.isArray(rows)) throw new StoreError('loadTurns gave no list');
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
    throw new StoreError(`turn '${turn?.id}': ${violation.path}: ${violation.problem}`);
  const bytes = utf8Length(JSON.stringify(session));
  if (bytes <= limits.session) return session;
  throw new StoreError(
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
  const { id, invocationId: runId, user, assistant, createdAt, eventData } = turn;
  const messageId = isJsonObject(eventData) ? eventData['messageId'] : undefined;
  return {
    id,
    messageId: typeof messageId === 'string' ? messageId : id,
    runId,
    user,
    assistant,
    createdAt,
  };
}

function order(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
