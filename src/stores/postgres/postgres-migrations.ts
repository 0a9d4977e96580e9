import { inTransaction, type PostgresClient, type PostgresPool } from './postgres-pool';

type Query = PostgresClient['query'];

/** In order; the first makes version 1. They only add: during a deploy, older workers go on with a newer database. */
export const postgresMigrations: readonly ((schema: string) => string)[] = [
  (schema: string): string => `
    create table ${schema}.longhaul_app_state (
      app_name text not null primary key,
      value json not null,
      updated_at timestamptz not null default now()
    );
    create table ${schema}.longhaul_user_state (
      app_name text not null,
      user_id text not null,
      value json not null,
      updated_at timestamptz not null default now(),
      primary key (app_name, user_id)
    );
    create table ${schema}.longhaul_session_state (
      app_name text not null,
      user_id text not null,
      session_id text not null,
      value json not null,
      updated_at timestamptz not null default now(),
      primary key (app_name, user_id, session_id)
    );`,
  (schema: string): string => `
    create table ${schema}.longhaul_memory_turns (
      app_name text not null,
      user_id text not null,
      session_id text not null,
      id text collate "C" not null,
      created_at timestamptz not null,
      value json not null,
      primary key (app_name, user_id, session_id, id)
    );
    create index longhaul_memory_turns_in_order
      on ${schema}.longhaul_memory_turns (app_name, user_id, session_id, created_at, id);`,
  (schema: string): string => `
    alter table ${schema}.longhaul_app_state add column version text not null default '';
    alter table ${schema}.longhaul_user_state add column version text not null default '';
    alter table ${schema}.longhaul_session_state add column version text not null default '';
    create table ${schema}.longhaul_memory_keys (
      app_name text not null,
      user_id text not null,
      session_id text not null,
      generation text not null,
      updated_at timestamptz not null,
      primary key (app_name, user_id, session_id)
    );`,
];

/**
 * Brings a schema to the newest version. Any number of workers may do so at once: they take turns by an advisory lock. Where it is
 * the newest already, nothing is locked and no right to create is needed.
 */
export async function migratePostgres(
  pool: PostgresPool,
  schema: string,
  migrations = postgresMigrations,
): Promise<void> {
  const readVersion = (query: Query) => versionOf(query, schema);
  if ((await readVersion((...args) => pool.query(...args))) >= migrations.length) return;
  await inTransaction(pool, async (query) => {
    await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `longhaul migrations of ${schema}`,
    ]);
    const { rows } = await query('select 1 from pg_namespace where nspname = $1', [schema]);
    if (rows.length === 0) await query(`create schema ${quoted(schema)}`);
    await query(
      `create table if not exists ${migrationsTable(schema)}
         (version integer primary key, applied_at timestamptz not null default now())`,
    );
    const version = await readVersion(query);
    for (const [index, migration] of migrations.entries()) {
      if (index < version) continue;
      await query(migration(quoted(schema)));
      await query(`insert into ${migrationsTable(schema)} (version) values ($1)`, [index + 1]);
    }
  });
}

async function versionOf(query: Query, schema: string): Promise<number> {
  const table = migrationsTable(schema);
  const found = await query('select to_regclass($1) is not null as found', [table]);
  if (found.rows[0]?.['found'] !== true) return 0;
  const { rows } = await query(`select coalesce(max(version), 0) as version from ${table}`);
  return Number(rows[0]?.['version']);
}

function migrationsTable(schema: string): string {
  return `${quoted(schema)}.longhaul_migrations`;
}

/** Schemas are checked to be plain names: nothing in them needs an escape. */
export function quoted(schema: string): string {
  return `"${schema}"`;
}
