import { StoreError } from '../protocol/error-classes';
import type { MemoryKey, MemoryStore } from './memory-store';
import { decodeTurn, encodeTurn, instantOf } from './memory-turn';
import { keyValues } from './state-key';

export type StatementValue = string | number;
export type StatementRow = Readonly<Record<string, unknown>>;

/** What a database has to do for memory: run one statement, with a value for each `?` in it. */
export type Statements = (
  sql: string,
  values: readonly StatementValue[],
) => Promise<readonly StatementRow[]>;

export const memoryTable = 'longhaul_memory_turns';

const ofKey = 'app_name = ? and user_id = ? and session_id = ?';

/** A memory store over a database whose `table` has one row a turn. Nothing is kept between calls: other processes write, too. */
export function memoryStoreOver(run: Statements, table = memoryTable): MemoryStore {
  return {
    loadTurns: async (key, { last } = {}) => {
      checkLast(last);
      const [limit, limits] = last === undefined ? ['', []] : ['limit ?', [last]];
      const sql = `select cast(value as text) as value from ${table} where ${ofKey}
        order by created_at desc, id desc ${limit}`;
      const rows = await run(sql, [...valuesOf(key), ...limits]);
      return rows.map((row) => decodeTurn(String(row['value']))).reverse();
    },
    saveTurn: async (turn) => {
      const text = encodeTurn(turn);
      const sql = `insert into ${table} (app_name, user_id, session_id, id, created_at, value)
        values (?, ?, ?, ?, ?, ?)
        on conflict (app_name, user_id, session_id, id)
        do update set created_at = excluded.created_at, value = excluded.value`;
      await run(sql, [...valuesOf(turn), turn.id, instantOf(turn), text]);
    },
    clear: async (key) => {
      await run(`delete from ${table} where ${ofKey}`, valuesOf(key));
    },
    count: async (key) => {
      const rows = await run(
        `select count(*) as turns from ${table} where ${ofKey}`,
        valuesOf(key),
      );
      return Number(rows[0]?.['turns']);
    },
  };
}

function valuesOf(key: MemoryKey): readonly string[] {
  return keyValues(key, ['appName', 'userId', 'sessionId']);
}

function checkLast(last: unknown): void {
  if (last === undefined || (Number.isSafeInteger(last) && Number(last) >= 0)) return;
  throw new StoreError('last must be a whole number from 0');
}
