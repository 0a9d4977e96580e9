import { mkdirSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { ServerUnavailable } from '../../protocol/error-classes';
import { defaults } from '../../protocol/names';
import type { DevServer } from '../../server/dev-server';
import { requireAgentsFile } from '../agents-file';
import type { CommandContext } from '../command-context';
import { addTaskQueueFlag } from '../connection';
import { endOfDev } from '../dev/end-of-dev';
import { choosePort } from '../dev/ports';
import { WorkerKeeper } from '../dev/worker-keeper';
import type { ReadyWorker } from '../dev/worker-messages';
import { exitCodes } from '../exit-codes';
import { loadDevServer } from '../load-parts';
import { parsePort } from '../parse-options';
import { printableLine } from '../printable';
import type { Terminal } from '../terminal';

type DevFlags = {
  readonly db: string;
  readonly port?: number;
  readonly uiPort?: number;
  readonly agents?: string;
  readonly taskQueue?: string;
  readonly namespace: string;
  readonly worker: boolean;
};

const usualPort = 7233;
const usualUiPort = 8233;

export function addDevCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('dev')
    .summary('start a Temporal dev server and a worker')
    .description(
      "Starts Temporal's dev server with its Web UI and a worker on the agents of longhaul.config or --agents, and reloads the " +
        'worker when they change. Runs are kept in a file and go on the next time. Ctrl-C stops everything.',
    )
    .option('--db <file>', 'SQLite file that keeps the runs', '.longhaul/temporal.db')
    .option('--port <port>', 'port of the server (default: 7233, or a free one)', parsePort)
    .option('--ui-port <port>', 'port of the Web UI (default: 8233, or a free one)', parsePort)
    .option('--namespace <name>', 'Temporal namespace', defaults.namespace)
    .option('--agents <file>', 'agents to serve (default: longhaul.config.*)')
    .option('--no-worker', 'the server alone');
  addTaskQueueFlag(command).action(async (flags: DevFlags) => {
    const file = flags.worker ? requireAgentsFile(process.cwd(), flags.agents) : undefined;
    await serve(flags, file, { terminal, end: endOfDev() });
    finish(exitCodes.done);
  });
}

type Surroundings = { readonly terminal: Terminal; readonly end: Promise<void> };

async function serve(
  flags: DevFlags,
  file: string | undefined,
  { terminal, end }: Surroundings,
): Promise<void> {
  // A server that is still starting when the end comes goes with this process.
  const server = await Promise.race([startServer(flags, terminal), end]);
  if (server === undefined) return;
  const worker = file === undefined ? undefined : workerFor(flags, file, { server, terminal });
  const died = server.exited.then(() => {
    throw new ServerUnavailable('the Temporal dev server ended by itself');
  });
  const running = async (): Promise<void> => {
    printAddresses(server, await worker?.start(), { flags, terminal });
    await end;
  };
  try {
    await Promise.race([end, died, running()]);
  } finally {
    await worker?.stop();
    await server.stop();
  }
}

async function startServer(flags: DevFlags, terminal: Terminal): Promise<DevServer> {
  const { port, isUsual } = await choosePort(flags.port, usualPort);
  const { port: uiPort } = await choosePort(flags.uiPort, usualUiPort);
  const dbFile = resolve(flags.db);
  mkdirSync(dirname(dbFile), { recursive: true });
  const server = await startOn({ port, uiPort, dbFile, namespace: flags.namespace });
  const configured = process.env['TEMPORAL_ADDRESS'];
  if (!isUsual && configured !== server.address) {
    terminal.note(
      `note: port ${usualPort} is taken. Other commands find this server with --address ${server.address} or TEMPORAL_ADDRESS`,
    );
  } else if (configured !== undefined && configured !== server.address) {
    terminal.note(`note: TEMPORAL_ADDRESS is ${configured}: other commands go there, not here`);
  }
  return server;
}

async function startOn(options: {
  port: number;
  uiPort: number;
  dbFile: string;
  namespace: string;
}): Promise<DevServer> {
  try {
    return await loadDevServer().startDevServer(options);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('database is locked')) throw error;
    const file = relative(process.cwd(), options.dbFile);
    const message = `${file} is in use by another server: stop that one, or name another file with --db`;
    throw new ServerUnavailable(message, { cause: error });
  }
}

function workerFor(
  flags: DevFlags,
  file: string,
  { server: { address, namespace }, terminal }: { server: DevServer; terminal: Terminal },
): WorkerKeeper {
  const { taskQueue } = flags;
  return new WorkerKeeper({
    start: { file, server: { address }, namespace, ...(taskQueue !== undefined && { taskQueue }) },
    note: (line) => terminal.note(line),
  });
}

function printAddresses(
  { address, uiUrl }: DevServer,
  worker: ReadyWorker | undefined,
  { flags, terminal }: { flags: DevFlags; terminal: Terminal },
): void {
  const { dim, bold } = terminal.style;
  terminal.print(`Web UI    ${bold(uiUrl ?? 'none')}`);
  terminal.print(`Temporal  ${address}  ${dim(`(runs are kept in ${flags.db})`)}`);
  if (worker === undefined) return;
  const { agents, taskQueue, file } = worker;
  const place = dim(`(${basename(file)}, task queue ${taskQueue})`);
  terminal.print(`Agents    ${agents.map(printableLine).join(', ') || 'none'}  ${place}`);
  const [first] = agents;
  if (first !== undefined) terminal.print(dim(`Try: longhaul run ${first} 'Hello'`));
}
