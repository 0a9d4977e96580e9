import { connect as connectSocket } from 'node:net';
import type { Command } from 'commander';
import type { ConnectOptions, Longhaul } from '../../client';
import type { Deltas } from '../../stores/index';
import { defined } from '../../base';
import { defaults } from '../../protocol';
import type { LoadedConnection } from '../../server';
import { exitCodes, messageOf, UsageError } from '../exit';
import type { Terminal } from '../render/terminal';
import { printableJson } from '../render/text';
import { type ActorFlags, actorOf } from './actor';
import { loadClient, loadServer } from './load-parts';
import type { CommandContext } from './parse-options';

/** Which server and namespace. The environment and Temporal's configuration file say the rest. */
export type ServerFlags = {
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
};

export type ConnectionFlags = ServerFlags &
  ActorFlags & {
    readonly taskQueue?: string;
    readonly application?: string;
    readonly json?: true;
  };

export type Target = {
  readonly server: LoadedConnection['connection'];
  readonly namespace: string | undefined;
};

/** What client and worker must agree on: where runs are, and how their data is encoded. */
export const sharedNames = [
  'taskQueue',
  'application',
  'dataConverter',
  'encryption',
  'clearFailures',
] as const;

type SharedOptions = {
  readonly [Name in (typeof sharedNames)[number]]?: ConnectOptions[Name] | undefined;
};

const probeTimeoutMs = 1_000;
const latestReportMs = 4_300;
const leastConnectMs = 2_000;

/** Flags for the server. Defaults come from `TEMPORAL_*` and Temporal's configuration file. */
export function addConnectionFlags(command: Command): Command {
  return command
    .option('--address <host:port>', 'Temporal server (TEMPORAL_ADDRESS, else 127.0.0.1:7233)')
    .option('--namespace <name>', 'Temporal namespace (TEMPORAL_NAMESPACE, else default)')
    .option('--profile <name>', "profile of Temporal's configuration file (TEMPORAL_PROFILE)");
}

export function addTaskQueueFlag(command: Command): Command {
  return command
    .option('--task-queue <name>', 'task queue of the workers (default: longhaul)')
    .option('--application <name>', "application of the workers (default: the task queue's name)");
}

/** Connects within 5 s. Fails at once if nothing listens on a local port. Flags win over `shared`. The caller closes the connection. */
export async function openLonghaul(
  flags: ConnectionFlags,
  shared: SharedOptions = {},
  deltas?: Deltas,
): Promise<Longhaul> {
  const { dataConverter, encryption, clearFailures } = shared;
  const actor = actorOf(flags);
  const address = targetOf(flags).server.address ?? defaults.address;
  await refuseEarly(address);
  const connected = loadClient().connect({
    ...serverFlagsOf(flags),
    ...filled({
      taskQueue: flags.taskQueue ?? shared.taskQueue,
      application: flags.application ?? shared.application,
      hashIds: process.env['LONGHAUL_ID_SECRET'],
    }),
    ...defined({ actor, deltas, dataConverter, encryption, clearFailures }),
  });
  return await inTime(connected, address);
}

/** What a command prints: lines, or one value with `--json`. Notes go to stderr. */
export type Answer = {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly notes?: readonly string[];
  readonly exitCode?: number;
};

export type Ask = (longhaul: Longhaul) => Promise<Answer>;

/** A command that asks the server and prints the answer. `prepare` gets what was typed, and checks it before anything is connected to. */
export function addServerCommand(
  command: Command,
  { terminal, finish }: CommandContext,
  prepare: (...typed: never[]) => Ask | Promise<Ask>,
): void {
  addConnectionFlags(command)
    .option('--json', 'print JSON')
    .action(async (...typed: unknown[]) => {
      const ask = await prepare(...(typed as never[]));
      finish(await askServer(command.opts(), terminal, ask));
    });
}

/** Connects, asks, prints the answer and closes the connection. Returns the exit code. */
export async function askServer(
  flags: ConnectionFlags,
  terminal: Terminal,
  ask: Ask,
): Promise<number> {
  const longhaul = await openLonghaul(flags);
  try {
    return printAnswer(await ask(longhaul), flags, terminal);
  } finally {
    await longhaul.close();
  }
}

export function printAnswer(
  { json, lines, notes = [], exitCode = exitCodes.done }: Answer,
  flags: { readonly json?: true },
  terminal: Terminal,
): number {
  for (const line of flags.json === true ? [printableJson(json)] : lines) terminal.print(line);
  for (const note of notes) terminal.note(note);
  return exitCode;
}

/** Rejects within 5 s of the start of the command if the server does not answer. */
async function inTime<Result>(connected: Promise<Result>, address: string): Promise<Result> {
  const ms = Math.max(leastConnectMs, latestReportMs - performance.now());
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const refuse = (): void => reject(loadServer().serverUnavailable(address));
    timer = setTimeout(refuse, ms).unref();
  });
  try {
    return await Promise.race([connected, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Fails at once if nothing listens on a local port. gRPC would keep trying. */
async function refuseEarly(address: string): Promise<void> {
  const local = /^(127\.0\.0\.1|localhost|\[::1\]):(\d+)$/.exec(address);
  if (local === null) return;
  const error = await probe(String(local[1]).replace(/[[\]]/g, ''), Number(local[2]));
  if (error?.code !== 'ECONNREFUSED') return;
  throw loadServer().serverUnavailable(address, error);
}

/** The server and namespace from flags, environment and configuration file. */
export function targetOf(flags: ServerFlags): Target {
  const { namespace, ...server } = serverFlagsOf(flags);
  try {
    const { connection, namespace: configured } = loadServer().loadConnection(server);
    return { server: connection, namespace: namespace ?? configured };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** The flags that name the server and the namespace. */
export function serverFlagsOf({ address, profile, namespace }: ServerFlags): ServerFlags {
  return filled({ address, profile, namespace });
}

/** Leaves out empty texts, too: with an unset shell variable, the default counts. */
function filled<Name extends string>(
  texts: Readonly<Record<Name, string | undefined>>,
): Readonly<Partial<Record<Name, string>>> {
  const entries = Object.entries(texts).filter(([, text]) => text !== undefined && text !== '');
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}

async function probe(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return await new Promise((resolve) => {
    const socket = connectSocket({ host, port, timeout: probeTimeoutMs });
    const finish = (error?: NodeJS.ErrnoException): void => {
      socket.destroy();
      resolve(error);
    };
    socket.once('connect', () => finish());
    socket.once('timeout', () => finish());
    socket.once('error', finish);
  });
}
