import { type Command, Option } from 'commander';
import { defined } from '../../base';
import { defaults } from '../../protocol';
import {
  addSpecFlags,
  type AgentsFlags,
  type AgentsSource,
  loadAgents,
  requireAgentsSource,
} from '../session/agents';
import { exitCodes, UsageError } from '../exit';
import { type CommandContext, parsePort } from '../session/parse-options';
import {
  addConnectionFlags,
  addTaskQueueFlag,
  type ConnectionFlags,
  serverFlagsOf,
  targetOf,
} from '../session/connection';
import { endOfServing, endSignal, type ReadyWorker, WorkerKeeper } from '../dev/worker-keeper';
import { renderAgents } from '../render/render-list';
import { installWorkerLog, serveAgents } from '../session/serve-agents';
import type { Terminal } from '../render/terminal';
import type { WorkerDeployment } from '../../worker/index';
import { createServer } from 'node:http';

type ServeFlags = ConnectionFlags &
  AgentsFlags &
  VersionFlags & { readonly watch?: true; readonly health?: HealthAddress; readonly log?: string };

/** Of Temporal's Worker Versioning. */
type VersionFlags = {
  readonly deployment?: string;
  readonly buildId?: string;
  readonly pinned?: true;
};

export function addWorkerCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('worker')
    .summary('serve agents until stopped')
    .description(
      'Serves the agents of -f, --agents or longhaul.config on a task queue. SIGINT and SIGTERM let calls in flight end. With --watch ' +
        'it reloads when a file changes: open runs keep their definition, new runs get the new one.',
    )
    .option('--agents <file>', 'agents to serve (default: longhaul.config.*)')
    .option('--watch', 'reload when the agents change')
    .option(
      '--health <[host:]port>',
      'answer HTTP with 200 while the worker takes work, for probes',
      parseHealthAddress,
    )
    .option(
      '--deployment <name>',
      "the worker deployment, for Temporal's Worker Versioning (default: workerDeployment of the agents file)",
    )
    .option(
      '--build-id <id>',
      'the version of this worker, such as a git commit (default: made of the definitions)',
    )
    .option('--pinned', 'open runs stay with the version they began on')
    .addOption(
      new Option('--log <format>', 'the log: lines for people, or a JSON object in a line').choices(
        ['text', 'json'],
      ),
    );
  addTaskQueueFlag(addConnectionFlags(addSpecFlags(command))).action(async (flags: ServeFlags) => {
    // The processes of --watch inherit it.
    if (flags.log !== undefined) process.env['LONGHAUL_LOG'] = flags.log;
    const unwatched = (['health', 'deployment', 'buildId', 'pinned'] as const).find(
      (flag) => flags[flag] !== undefined,
    );
    if (flags.watch === true && unwatched !== undefined) {
      const flag = unwatched === 'buildId' ? 'build-id' : unwatched;
      throw new UsageError(`--${flag} cannot be used with --watch`);
    }
    const source = requireAgentsSource(process.cwd(), flags);
    const serve = flags.watch === true ? watch : serveHere;
    await serve(source, flags, terminal);
    finish(exitCodes.done);
  });
}

/** What the flags say wins over the file. */
export function versionOf(
  inFile: WorkerDeployment | undefined,
  { deployment: name = inFile?.name, buildId, pinned }: VersionFlags,
): WorkerDeployment | undefined {
  if (name !== undefined) {
    const behavior = pinned === true ? 'PINNED' : undefined;
    return { ...inFile, name, ...defined({ buildId, behavior } as const) };
  }
  if (buildId === undefined && pinned === undefined) return undefined;
  const flag = buildId === undefined ? '--pinned' : '--build-id';
  throw new UsageError(`${flag} needs the name of the worker deployment: add --deployment`);
}

async function serveHere(
  source: AgentsSource,
  flags: ServeFlags,
  terminal: Terminal,
): Promise<void> {
  // A worker that a shell left in the background outlives it. One of `npx` does not: who stops `npx` means the worker.
  const end = process.env['npm_command'] === undefined ? endSignal() : endOfServing();
  installWorkerLog((line) => terminal.note(line), 'whole');
  const agents = await loadAgents(source);
  const { options, registry } = agents;
  const { server, namespace } = targetOf({ ...serverFlagsOf(options), ...serverFlagsOf(flags) });
  const taskQueue = flags.taskQueue ?? options.taskQueue ?? defaults.taskQueue;
  const workerDeployment = versionOf(options.workerDeployment, flags);
  const served = await serveAgents({
    ...defined({ workerDeployment }),
    agents,
    server,
    namespace: namespace ?? defaults.namespace,
    taskQueue,
    workerOptions: {},
  });
  const worker = { agents: registry.runners.names(), taskQueue };
  try {
    if (flags.health !== undefined) await serveHealth(flags.health, served.state);
    show(worker, source, { address: server.address, terminal });
    const { version } = served;
    if (version !== undefined)
      terminal.print(`Version   ${version.buildId} of deployment ${version.deploymentName}`);
    await Promise.race([end, served.ended]);
    terminal.note('stopping: calls in flight may end');
  } finally {
    await served.stop();
  }
}

/** Runs each worker in a process of its own, so that modules load again. */
async function watch(source: AgentsSource, flags: ServeFlags, terminal: Terminal): Promise<void> {
  const connection = serverFlagsOf(flags);
  const { server, namespace = defaults.namespace } = targetOf(connection);
  const { taskQueue } = flags;
  const keeper = new WorkerKeeper({
    start: { source, connection, namespace, ...defined({ taskQueue }) },
    note: (line) => terminal.note(line),
  });
  const end = endOfServing();
  const starting = keeper.start().then((worker) => {
    show(worker, source, { address: server.address, terminal });
    return end;
  });
  try {
    await Promise.race([end, starting]);
  } finally {
    await keeper.stop();
  }
}

function show(
  worker: ReadyWorker,
  source: AgentsSource,
  { address = defaults.address, terminal }: { address: string | undefined; terminal: Terminal },
): void {
  terminal.print(`Temporal  ${address}`);
  terminal.print(renderAgents(worker, source, terminal.style));
}

type HealthAddress = { readonly host: string; readonly port: number };

/** `8090` or `0.0.0.0:8090`. With a port alone, only this machine can reach it. */
function parseHealthAddress(text: string): HealthAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d+)$/.exec(text) ?? [];
  if (port === '') throw new UsageError(`'${text}' is not an address: give a port, or host:port`);
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: parsePort(port) };
}

/**
 * Answers each request with 200 while the worker takes work, else with 503, as long as the process lives. Rejects if another process uses
 * the port.
 */
async function serveHealth({ host, port }: HealthAddress, state: () => string): Promise<void> {
  const server = createServer((_, response) => {
    const status = state();
    response.writeHead(status === 'RUNNING' ? 200 : 503, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify({ status })}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new UsageError(`--health: cannot listen on ${host}:${port}: ${error.code}`)),
    );
    server.listen(port, host, resolve);
  });
  server.unref();
}
