import type { DatabaseSync } from 'node:sqlite';

/** In order; the first makes version 1. They only add: during a deploy, older workers go on with a newer database. */
export const sqliteMigrations: readonly string[] = [
  `create table longhaul_app_state (
     app_name text not null primary key,
     value text not null,
     updated_at text not null
   ) strict;
   create table longhaul_user_state (
     app_name text not null,
     user_id text not null,
     value text not null,
     updated_at text not null,
     primary key (app_name, user_id)
   ) strict;
   create table longhaul_session_state (
     app_name text not null,
     user_id text not null,
     session_id text not null,
     value text not null,
     updated_at text not null,
     primary key (app_name, user_id, session_id)
   ) strict;`,
  `create table longhaul_memory_turns (
     app_name text not null,
     user_id text not null,
     session_id text not null,
     id text not null,
     created_at text not null,
     value text not null,
     primary key (app_name, user_id, session_id, id)
   ) strict;
   create index longhaul_memory_turns_in_order
     on longhaul_memory_turns (app_name, user_id, session_id, created_at, id);`,
  `alter table longhaul_app_state add column version text not null default '';
   alter table longhaul_user_state add column version text not null default '';
   alter table longhaul_session_state add column version text not null default '';
   create table longhaul_memory_keys (
     app_name text not null,
     user_id text not null,
     session_id text not null,
     generation text not null,
     updated_at text not null,
     primary key (app_name, user_id, session_id)
   ) strict;`,
];

/** Brings a database to the newest version. Two processes may do so at once: the second waits for the first and has nothing to do. */
export function migrateSqlite(
  database: DatabaseSync,
  migrations: readonly string[] = sqliteMigrations,
): void {
  database.exec('begin immediate');
  try {
    database.exec(
      'create table if not exists longhaul_migrations (version integer primary key, applied_at text not null) strict',
    );
    const row = database.prepare('select max(version) as version from longhaul_migrations').get();
    const version = Number(row?.['version'] ?? 0);
    migrations.slice(version).forEach((migration, index) => {
      database.exec(migration);
      database
        .prepare(`insert into longhaul_migrations values (?, strftime('%Y-%m-%dT%H:%M:%fZ'))`)
        .run(version + index + 1);
    });
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}
