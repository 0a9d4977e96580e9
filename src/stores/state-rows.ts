import { LonghaulError } from '../protocol/errors';
import { StoreError } from '../protocol/error-classes';
import { keyValues, type KeyPart } from './state-key';
import { decodeState, encodeState } from './state-text';
import type { StateStore, StateStores } from './state-store';

/** A table of states: the columns of its key in order, and `value`. */
export type StateTable = {
  readonly name: string;
  readonly parts: readonly KeyPart[];
  readonly columns: readonly string[];
};

const stateTables = {
  app: { name: 'longhaul_app_state', parts: ['appName'], columns: ['app_name'] },
  user: {
    name: 'longhaul_user_state',
    parts: ['appName', 'userId'],
    columns: ['app_name', 'user_id'],
  },
  session: {
    name: 'longhaul_session_state',
    parts: ['appName', 'userId', 'sessionId'],
    columns: ['app_name', 'user_id', 'session_id'],
  },
} as const satisfies Record<keyof StateStores, StateTable>;

/** What a database has to do for the stores: rows of text by key. */
export type StateRows = {
  read(table: StateTable, key: readonly string[]): Promise<string | undefined>;
  write(table: StateTable, key: readonly string[], value: string): Promise<void>;
  remove(table: StateTable, key: readonly string[]): Promise<void>;
};

/** The three stores over one database. */
export function storesOver(rows: StateRows): Required<StateStores> {
  const session = storeOver(rows, stateTables.session);
  return {
    app: storeOver(rows, stateTables.app),
    user: storeOver(rows, stateTables.user),
    session: { ...session, exists: async (key) => (await session.load(key)) !== undefined },
  };
}

type AnyKey = Readonly<Partial<Record<KeyPart, string>>>;

function storeOver(rows: StateRows, table: StateTable): StateStore<AnyKey> {
  return {
    load: async (key) => {
      const text = await rows.read(table, keyValues(key, table.parts));
      return text === undefined ? undefined : decodeState(text);
    },
    save: async (key, value) => {
      await rows.write(table, keyValues(key, table.parts), encodeState(value));
    },
    delete: async (key) => {
      await rows.remove(table, keyValues(key, table.parts));
    },
  };
}

/** What errors of databases have besides a message. */
export type DatabaseErrorFields = {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly errcode?: unknown;
  /** Of a connection that was refused on several addresses: it has no message of its own. */
  readonly errors?: readonly unknown[];
};

/** The StoreError for what a database threw. One of ours passes as it is. */
export function databaseError(
  database: string,
  error: unknown,
  isPassing: (error: DatabaseErrorFields) => boolean,
): LonghaulError {
  if (LonghaulError.is(error)) return error;
  const fields = Object(error) as DatabaseErrorFields;
  const message = `${database}: ${messageOf(error)}`;
  return new StoreError(message, { cause: error, retryable: isPassing(fields) });
}

function messageOf(error: unknown): string {
  const { message, errors } = Object(error) as DatabaseErrorFields;
  if (typeof message === 'string' && message !== '') return message;
  return Array.isArray(errors) ? errors.map(messageOf).join('; ') : String(error);
}
