import { randomUUID } from 'node:crypto';
import { LonghaulError } from '../../protocol';
import type { JsonObject } from '../../base';
import { type KeyPart, keyValues } from './state-key';
import { decodeState, encodeState } from './state-text';
import type { SaveStateOptions, StateStore, StateStores } from './state-store';

/** A table of states: the columns of its key in order, `value`, `version` and `updated_at`. */
type StateTable = { readonly parts: readonly KeyPart[]; readonly columns: string };

const stateTables = {
  app: { parts: ['appName'], columns: 'app_name' },
  user: { parts: ['appName', 'userId'], columns: 'app_name, user_id' },
  session: { parts: ['appName', 'userId', 'sessionId'], columns: 'app_name, user_id, session_id' },
} as const satisfies Record<keyof StateStores, StateTable>;

export const stateTableNames = {
  app: 'longhaul_app_state',
  user: 'longhaul_user_state',
  session: 'longhaul_session_state',
} as const satisfies Record<keyof StateStores, string>;

/** The value of a deleted session, which keeps the version of its key. No state has this value. */
const deleted = 'null';

/** The three stores over one database. */
export function storesOver(
  run: Statements,
  names: Readonly<Record<keyof StateStores, string>> = stateTableNames,
): Required<StateStores> {
  const app = new StateRows(run, names.app, stateTables.app);
  const user = new StateRows(run, names.user, stateTables.user);
  const session = new StateRows(run, names.session, stateTables.session);
  return {
    app: storeOver(app),
    user: storeOver(user),
    session: {
      load: async (key) => (await session.read(key)).state,
      version: async (key) => (await session.read(key)).version,
      exists: async (key) => (await session.read(key)).state !== undefined,
      save: async (key, value, options) => await session.write(key, encodeState(value), options),
      delete: async (key) => void (await session.write(key, deleted)),
    },
  };
}

function storeOver(rows: StateRows): StateStore<AnyKey> {
  return {
    load: async (key) => (await rows.read(key)).state,
    save: async (key, value) => void (await rows.write(key, encodeState(value))),
    delete: async (key) => await rows.remove(key),
  };
}

type AnyKey = Readonly<Partial<Record<KeyPart, string>>>;

class StateRows {
  readonly #run: Statements;
  readonly #name: string;
  readonly #parts: readonly KeyPart[];
  readonly #columns: string;

  constructor(run: Statements, name: string, { parts, columns }: StateTable) {
    this.#run = run;
    this.#name = name;
    this.#parts = parts;
    this.#columns = columns;
  }

  async read(key: AnyKey): Promise<{ state: JsonObject | undefined; version: string }> {
    const sql = `select cast(value as text) as value, version from ${this.#name} where ${this.#ofKey}`;
    const [rows = []] = await this.#run([sql, this.#valuesOf(key)]);
    const { value = deleted, version = '' } = rows[0] ?? {};
    const state = value === deleted ? undefined : decodeState(String(value));
    return { state, version: String(version) };
  }

  async write(key: AnyKey, text: string, options?: SaveStateOptions): Promise<boolean> {
    const isCurrent =
      options === undefined ? '' : 'where kept.version = ? or kept.version = excluded.version';
    const sql = `insert into ${this.#name} as kept (${this.#columns}, value, version, updated_at)
      values (${this.#parts.map(() => '?').join(', ')}, ?, ?, ?)
      on conflict (${this.#columns}) do update
      set value = excluded.value, version = excluded.version, updated_at = excluded.updated_at
      ${isCurrent}
      returning version`;
    const { after, version = randomUUID() } = options ?? {};
    const values = [...this.#valuesOf(key), text, version, new Date().toISOString()];
    const [rows = []] = await this.#run([sql, after === undefined ? values : [...values, after]]);
    return rows.length > 0;
  }

  async remove(key: AnyKey): Promise<void> {
    await this.#run([`delete from ${this.#name} where ${this.#ofKey}`, this.#valuesOf(key)]);
  }

  get #ofKey(): string {
    return this.#columns
      .split(', ')
      .map((column) => `${column} = ?`)
      .join(' and ');
  }

  #valuesOf(key: AnyKey): readonly string[] {
    return keyValues(key, this.#parts);
  }
}

/** Fields of database errors. */
export type DatabaseErrorFields = {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly errcode?: unknown;
  /** The errors of a connection that several addresses refused. Such an error has no message. */
  readonly errors?: readonly unknown[];
};

/** The `StoreError` for an error of a database. Errors of Longhaul pass. */
export function databaseError(
  database: string,
  error: unknown,
  isPassing: (error: DatabaseErrorFields) => boolean,
): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const fields = Object(error) as DatabaseErrorFields;
  const message = `${database}: ${messageOf(error)}`;
  return new LonghaulError('StoreError', message, { cause: error, retryable: isPassing(fields) });
}

function messageOf(error: unknown): string {
  const { message, errors } = Object(error) as DatabaseErrorFields;
  if (typeof message === 'string' && message !== '') return message;
  return Array.isArray(errors) ? errors.map(messageOf).join('; ') : String(error);
}

type StatementValue = string | number | Uint8Array;

export type StatementRow = Readonly<Record<string, unknown>>;

/** SQL, with a value for each `?`. */
export type Statement = readonly [sql: string, values: readonly StatementValue[]];

/**
 * Runs the statements in order, as one transaction, and returns the rows of each. After a statement without rows the rest do not run, so
 * that a write can depend on a check.
 */
export type Statements = (
  ...statements: readonly Statement[]
) => Promise<readonly (readonly StatementRow[])[]>;
