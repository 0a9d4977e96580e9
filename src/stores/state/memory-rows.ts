import { randomUUID } from 'node:crypto';
import { LonghaulError } from '../../protocol';
import type { MemoryKey, MemoryStore } from './memory-store';
import { decodeTurn, encodeTurn, instantOf } from './memory-turn';
import { keyValues } from './state-key';
import type { Statement, Statements } from './state-rows';

export type MemoryTables = {
  /** The table with a row for each turn. */
  readonly turns: string;
  /** The table with the generation of each key that was written or cleared. */
  readonly keys: string;
};

export const memoryTables: MemoryTables = {
  turns: 'longhaul_memory_turns',
  keys: 'longhaul_memory_keys',
};

const keyColumns = 'app_name, user_id, session_id';
const ofKey = 'app_name = ? and user_id = ? and session_id = ?';

/** A memory store over a database. It caches nothing, because other processes write, too. */
export function memoryStoreOver(run: Statements, tables = memoryTables): MemoryStore {
  const generation = async (key: MemoryKey): Promise<string> => {
    const sql = `select generation from ${tables.keys} where ${ofKey}`;
    const [rows = []] = await run([sql, valuesOf(key)]);
    const { generation: current = '' } = rows[0] ?? {};
    return String(current);
  };
  return {
    generation,
    loadTurns: async (key, { last } = {}) => {
      checkLast(last);
      const [limit, limits] = last === undefined ? ['', []] : ['limit ?', [last]];
      const sql = `select cast(value as text) as value from ${tables.turns} where ${ofKey}
        order by created_at desc, id desc ${limit}`;
      const [rows = []] = await run([sql, [...valuesOf(key), ...limits]]);
      return rows.map((row) => decodeTurn(String(row['value']))).reverse();
    },
    saveTurn: async (turn, options = {}) => {
      const sql = `insert into ${tables.turns} (${keyColumns}, id, created_at, value)
        values (?, ?, ?, ?, ?, ?)
        on conflict (${keyColumns}, id)
        do update set created_at = excluded.created_at, value = excluded.value`;
      const text = encodeTurn(turn);
      const save: Statement = [sql, [...valuesOf(turn), turn.id, instantOf(turn), text]];
      const { generation: own } = options;
      const ran = await run(...(own === undefined ? [] : [stayIn(tables, turn, own)]), save);
      return own === undefined || ran.length === 2;
    },
    clear: async (key, options) => {
      const remove: Statement = [`delete from ${tables.turns} where ${ofKey}`, valuesOf(key)];
      const ran = await run(begin(tables, key, options), remove);
      return ran.length === 2 || (await generation(key)) === options?.next;
    },
    count: async (key) => {
      const sql = `select count(*) as turns from ${tables.turns} where ${ofKey}`;
      const [rows = []] = await run([sql, valuesOf(key)]);
      return Number(rows[0]?.['turns']);
    },
  };
}

/** Returns a row if the key is in this generation, and locks it until the transaction ends. */
function stayIn({ keys }: MemoryTables, key: MemoryKey, generation: string): Statement {
  const sql = `insert into ${keys} as kept (${keyColumns}, generation, updated_at)
    values (?, ?, ?, ?, ?)
    on conflict (${keyColumns}) do update set generation = excluded.generation
    where kept.generation = excluded.generation
    returning generation`;
  return [sql, [...valuesOf(key), generation, now()]];
}

/** Returns a row if the next generation begins now. */
function begin(
  { keys }: MemoryTables,
  key: MemoryKey,
  {
    generation,
    next = randomUUID(),
  }: { readonly generation?: string; readonly next?: string } = {},
): Statement {
  const isCurrent = generation === undefined ? '' : 'where kept.generation = ?';
  const sql = `insert into ${keys} as kept (${keyColumns}, generation, updated_at)
    values (?, ?, ?, ?, ?)
    on conflict (${keyColumns})
    do update set generation = excluded.generation, updated_at = excluded.updated_at ${isCurrent}
    returning generation`;
  const values = [...valuesOf(key), next, now()];
  return [sql, generation === undefined ? values : [...values, generation]];
}

function now(): string {
  return new Date().toISOString();
}

function valuesOf(key: MemoryKey): readonly string[] {
  return keyValues(key, ['appName', 'userId', 'sessionId']);
}

function checkLast(last: unknown): void {
  if (last === undefined || (Number.isSafeInteger(last) && Number(last) >= 0)) return;
  throw new LonghaulError('StoreError', 'last must be a whole number from 0');
}
