import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export type PostgresServer = { readonly url: string; stop(): Promise<void> };

/** A server that may die. */
export type MortalPostgres = PostgresServer & {
  /** With SIGKILL. */
  kill(): void;
  /** Again, on its data. */
  start(): void;
};

/** The server named by LONGHAUL_TEST_POSTGRES, else one of our own for as long as it is needed. */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env['LONGHAUL_TEST_POSTGRES'];
  if (given !== undefined && given !== '') return { url: given, stop: async () => undefined };
  return await startOwnPostgres();
}

export async function startOwnPostgres(): Promise<MortalPostgres> {
  const server = spawn(process.execPath, [join(__dirname, 'postgres-server.mts')]);
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  return {
    url: await firstLine(server),
    kill: () => void server.stdin.write('kill\n'),
    start: () => void server.stdin.write('start\n'),
    stop: async () => {
      server.stdin.end();
      await ended;
    },
  };
}

async function firstLine(server: ChildProcess): Promise<string> {
  let output = '';
  let errors = '';
  server.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return await new Promise((resolve, reject) => {
    server.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('\n')) resolve(output.trim());
    });
    server.once('close', () => reject(new Error(`PostgreSQL did not start: ${errors}`)));
  });
}
