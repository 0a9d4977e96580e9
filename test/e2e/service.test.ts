// What docker-compose.yml runs, without Docker: the worker and the web service of examples/service as processes, with real servers.
import { randomUUID } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { Client } from 'pg';
import { freePort, startDevServer, type DevServer } from '../../src/server/dev/dev-server';
import { startPostgres, type PostgresServer } from '../contract/postgres';
import { eventually } from '../workflow/eventually';
import { builtPackage, compiledOnce } from './built-package';

const token = randomUUID();
const model = new LLMock({ port: 0, host: '127.0.0.1' });
const processes: ChildProcess[] = [];
let postgres: PostgresServer;
let server: DevServer;
let api: string;

const isWell = async (url: string): Promise<void> =>
  await eventually(`${url} answers 200`, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );

type Run = { readonly status?: string };

const isNow = async (run: string, status: string): Promise<void> =>
  await eventually(`the run is ${status}`, async () => {
    const state = (await ask(run, 'ada')) as Run;
    return state.status === status;
  });

async function ask(path: string, user: string, body?: object): Promise<unknown> {
  const roles = user === 'mia' ? { 'x-roles': 'support-lead' } : {};
  const headers = { authorization: `Bearer ${token}`, 'x-user': user, ...roles };
  const posted = body && { method: 'POST', body: JSON.stringify(body) };
  const sent = { ...posted, headers: { ...headers, 'content-type': 'application/json' } };
  const text = await (await fetch(`${api}/api${path}`, sent)).text();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

async function countOf(table: string): Promise<number> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${table}`);
    return Number(rows[0]?.count);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  const [own, dev, origin, folder, web, health] = await Promise.all([
    startPostgres(),
    startDevServer({ headless: true }),
    model.start(),
    builtPackage(),
    freePort(),
    freePort(),
  ]);
  [postgres, server, api] = [own, dev, `http://127.0.0.1:${web}`];
  model.on({ predicate: () => true }, ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? { content: 'Done.' }
      : { toolCalls: [{ name: 'refund', arguments: '{"order":"7","euros":12}' }] },
  );
  const service = join(folder, `service-${randomUUID()}`);
  cpSync(resolve(__dirname, '../../examples/service'), service, { recursive: true });
  const { hostname, port, username, password, pathname } = new URL(postgres.url);
  const env = {
    ...process.env,
    ...compiledOnce(),
    TEMPORAL_ADDRESS: server.address,
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: pathname.slice(1),
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${origin}/v1`,
    API_TOKEN: token,
    PORT: String(web),
  };
  const command = join(folder, 'node_modules/longhaul/dist/cli/main.js');
  const agents = join(service, 'agents.mts');
  const start = (...args: string[]): void =>
    void processes.push(spawn(process.execPath, args, { env, stdio: 'ignore' }));
  start(command, 'worker', '--agents', agents, '--health', `127.0.0.1:${health}`);
  start(join(service, 'web.mts'));
  await Promise.all([isWell(`${api}/health`), isWell(`http://127.0.0.1:${health}`)]);
}, 60_000);

afterAll(async () => {
  for (const one of processes) one.kill('SIGKILL');
  await Promise.all([server.stop(), model.stop()]);
  await postgres.stop();
});

describe('the service of docker-compose.yml', () => {
  it('refuses who does not have the token', async () => {
    const { status } = await fetch(`${api}/api/runs`, { headers: { 'x-user': 'ada' } });
    expect(status).toBe(401);
  });

  it('asks a lead before money moves, and keeps large inputs and text in the database', async () => {
    const input = `Refund order 7.${' '.repeat(200_000)}`;
    const started = (await ask('/support/runs', 'ada', { input })) as { workflowId: string };
    const run = `/runs/${encodeURIComponent(started.workflowId)}`;
    await isNow(run, 'needs-input');
    const approve = `${run}/inputs/a1.0/approve`;
    expect(await ask(approve, 'ada', {})).toMatchObject({ code: 'NotPermitted' });
    expect(await ask(approve, 'mia', {})).toMatchObject({ missing: 0 });
    await isNow(run, 'completed');
    expect(await countOf('longhaul_results')).toBe(1);
    expect(await countOf('longhaul_deltas')).toBeGreaterThan(0);
  });

  it('keeps a conversation in the database', async () => {
    await ask('/support/chat-1/messages', 'ada', { input: 'Refund order 8.' });
    type Item = { readonly workflowId: string; readonly inputId: string };
    let items: readonly Item[] = [];
    await eventually('the inbox has the approval', async () => {
      ({ items } = (await ask('/inbox', 'mia')) as { items: readonly Item[] });
      return items.length > 0;
    });
    const { workflowId, inputId } = items[0] as Item;
    await ask(`/runs/${encodeURIComponent(workflowId)}/inputs/${inputId}/reject`, 'mia', {
      reason: 'Not this one.',
    });
    await eventually(
      'the turn is saved',
      async () => (await countOf('longhaul_memory_turns')) === 1,
    );
  });

  it('ends at SIGTERM', async () => {
    const ends = processes.map((one) => once(one, 'exit'));
    for (const one of processes) one.kill('SIGTERM');
    expect(await Promise.all(ends)).toEqual([
      [0, null],
      [0, null],
    ]);
  });
});
