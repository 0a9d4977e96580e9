// How long memory stores take with 100,000 turns of 901 conversations, one of which has 10,000.
// Usage, after `npm run build`: node bench/memory-store.mts. LONGHAUL_TEST_POSTGRES names a server; without it one is started.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import {
  PostgresStores,
  SqliteStores,
  type MemoryKey,
  type MemoryStore,
  type StoredMemoryTurn,
} from 'longhaul/stores';

const turns = { long: 10_000, short: 100, overall: 100_000 };
const writersAtOnce = 16;
const calls = 500;
const longKey = keyOf('long');

function keyOf(sessionId: string): MemoryKey {
  return { appName: 'bench', userId: 'ada', sessionId };
}

/** About 1.3 kB of JSON. Ids have the form of a UUID of version 7, and its order. */
function turnOf(key: MemoryKey, index: number): StoredMemoryTurn {
  const time = new Date(Date.UTC(2026, 0, 1) + index * 1000);
  const hex = time.getTime().toString(16).padStart(12, '0');
  return {
    ...key,
    id: `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`,
    invocationId: `run-${index}`,
    user: `Question ${index}: ${'how is the weather there? '.repeat(12)}`,
    assistant: `Answer ${index}: ${'It is sunny, with some wind. '.repeat(16)}`,
    eventData: {
      usage: { inputTokens: 1200, outputTokens: 90 },
      toolCalls: [{ name: 'get_weather' }],
    },
    createdAt: time.toISOString(),
  };
}

function* allTurns(): Generator<StoredMemoryTurn> {
  for (let index = 0; index < turns.long; index += 1) yield turnOf(longKey, index);
  for (let index = 0; index < turns.overall - turns.long; index += 1)
    yield turnOf(keyOf(`short-${index % ((turns.overall - turns.long) / turns.short)}`), index);
}

async function fill(store: MemoryStore): Promise<number> {
  const start = performance.now();
  const source = allTurns();
  const write = async () => {
    for (const turn of source) await store.saveTurn(turn);
  };
  await Promise.all(Array.from({ length: writersAtOnce }, write));
  return performance.now() - start;
}

type Row = { readonly call: string; readonly 'median ms': string; readonly 'p95 ms': string };

async function measure(call: string, work: (index: number) => Promise<unknown>): Promise<Row> {
  const count = call.includes('all 10,000') ? calls / 20 : calls;
  const times: number[] = [];
  for (let index = -20; index < count; index += 1) {
    const start = performance.now();
    await work(index);
    if (index >= 0) times.push(performance.now() - start);
  }
  times.sort((left, right) => left - right);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  return { call, 'median ms': at(0.5), 'p95 ms': at(0.95) };
}

async function bench(name: string, store: MemoryStore): Promise<void> {
  const filled = await fill(store);
  const perSecond = Math.round((turns.overall / filled) * 1000);
  console.log(`\n${name}: ${turns.overall} turns saved, ${perSecond} a second`);
  console.table([
    await measure('loadTurns, last 20 of 10,000', () => store.loadTurns(longKey, { last: 20 })),
    await measure('loadTurns, last 20 of 100', (index) =>
      store.loadTurns(keyOf(`short-${index + 20}`), { last: 20 }),
    ),
    await measure('loadTurns, all 10,000', () => store.loadTurns(longKey)),
    await measure('count of 10,000', () => store.count(longKey)),
    await measure('saveTurn, new', (index) =>
      store.saveTurn(turnOf(longKey, turns.long + 20 + index)),
    ),
    await measure('saveTurn, again', (index) => store.saveTurn(turnOf(longKey, 20 + index))),
  ]);
}

async function benchSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-bench-'));
  const stores = new SqliteStores({ path: join(folder, 'memory.db') });
  await bench('SQLite', stores.memory.default);
  await stores.close();
  rmSync(folder, { recursive: true });
}

async function benchPostgres(url: string): Promise<void> {
  const schema = `bench_${Date.now()}`;
  const pool = new Pool({ connectionString: url, max: 5 });
  const stores = new PostgresStores({ pool, schema });
  try {
    await bench('PostgreSQL', stores.memory.default);
  } finally {
    await pool.query(`drop schema if exists ${schema} cascade`);
    await pool.end();
  }
}

async function withServer(work: (url: string) => Promise<void>): Promise<void> {
  const script = join(import.meta.dirname, '../test/contract/postgres-server.mts');
  const server = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  const started = once(server.stdout, 'data') as Promise<[Buffer]>;
  const failed = ended.then(() => Promise.reject(new Error('PostgreSQL did not start')));
  failed.catch(() => undefined);
  const [line] = await Promise.race([started, failed]);
  try {
    await work(line.toString().trim());
  } finally {
    server.stdin.end();
    await ended;
  }
}

await benchSqlite();
const given = process.env['LONGHAUL_TEST_POSTGRES'];
await (given === undefined || given === '' ? withServer(benchPostgres) : benchPostgres(given));
