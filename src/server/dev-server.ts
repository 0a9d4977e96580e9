import { LonghaulError } from '../protocol/errors';
import { findTemporalCli } from './find-temporal-cli';
import { freePort, isPortFree } from './free-port';
import { typedNames } from './search-attributes';
import { type ServerProcess, startProcess, waitUntilServing } from './server-process';

const startTimeoutMs = 60_000;
/** A port that was free may be taken by another process before the server listens on it. */
const portAttempts = 3;

/** Stock, the dev server's single shard serves 20 tasks a second, which makes every turn of an agent wait. */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=5000',
  'history.timerProcessorMaxPollRPS=5000',
  'frontend.enableServerVersionCheck=false',
];

export type DevServerOptions = {
  /** SQLite file that keeps runs over restarts; without it they are lost when the server stops. */
  readonly dbFile?: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly namespace?: string;
  /** No Web UI. */
  readonly headless?: boolean;
  /** The Temporal CLI to run; found or fetched when left out. */
  readonly cliPath?: string;
};

export type DevServer = {
  readonly address: string;
  readonly port: number;
  readonly namespace: string;
  /** Undefined when headless. */
  readonly uiUrl: string | undefined;
  readonly pid: number;
  /** Resolves when the process ends, by `stop` or by itself. */
  readonly exited: Promise<void>;
  /** Ends the process and waits for that; a second call waits for the first. */
  stop(): Promise<void>;
};

/**
 * Starts Temporal's dev server on 127.0.0.1 and waits until it serves the namespace. The server ends with this process, however
 * this process ends. Started again with the same `dbFile` and ports it goes on where it was.
 */
export async function startDevServer(options: DevServerOptions = {}): Promise<DevServer> {
  const namespace = options.namespace ?? 'default';
  const command = options.cliPath ?? (await findTemporalCli()).path;
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
  const server = startProcess(command, argumentsOf({ ...options, port, uiPort }));
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
};

function argumentsOf({ namespace, port, uiPort, dbFile }: ResolvedOptions): readonly string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port)],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...['--namespace', namespace, '--log-level', 'warn', '--log-format', 'text'],
    ...(dbFile === undefined ? [] : ['--db-filename', dbFile]),
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

/** Of ports that were wanted, this is known before the server starts. */
function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /address already in use/i.test(error.message);
}

function notServing(address: string, server: ServerProcess, cause: unknown): LonghaulError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const output = server.output();
  const message = `The Temporal dev server at ${address} did not start: ${reason}${output && `\n${output}`}`;
  return new LonghaulError('ServerUnavailable', message, { cause });
}
