import { connect as connectSocket } from 'node:net';
import type { Command } from 'commander';
import type { ConnectOptions, Longhaul } from '../../client';
import type { Deltas } from '../../stores/index';
import { defined } from '../../base/json';
import { defaults } from '../../protocol/names';
import type { LoadedConnection } from '../../server';
import { exitCodes, messageOf, UsageError } from '../exit';
import type { Terminal } from '../render/terminal';
import { printableJson } from '../render/text';
import { type ActorFlags, actorOf } from './actor';
import { loadClient, loadServer } from './load-parts';

export type ConnectionFlags = ActorFlags & {
  readonly address?: string;
  readonly namespace?: string;
  readonly profile?: string;
  readonly taskQueue?: string;
  readonly application?: string;
};

export type Target = {
  readonly server: LoadedConnection['connection'];
  readonly namespace: string | undefined;
};

/** How the data of runs is encoded. Client and worker must agree. */
type Encoding = Pick<ConnectOptions, 'dataConverter' | 'encryption' | 'clearFailures'>;
export type EncodingOptions = { readonly [Name in keyof Encoding]?: Encoding[Name] | undefined };

export function encodingOf(options: EncodingOptions): Encoding {
  const { dataConverter, encryption, clearFailures } = options;
  return {
    ...(dataConverter && { dataConverter }),
    ...(encryption && { encryption }),
    ...(clearFailures && { clearFailures }),
  };
}

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

/** Connects within 5 s. Fails at once if nothing listens on a local port. The caller closes the connection. */
export async function openLonghaul(
  flags: ConnectionFlags,
  options: { taskQueue?: string; application?: string; deltas?: Deltas } & EncodingOptions = {},
): Promise<Longhaul> {
  const { address, namespace, profile } = flags;
  const taskQueue = options.taskQueue ?? flags.taskQueue;
  const application = flags.application ?? options.application;
  const actor = actorOf(flags);
  const configured = connectionOf(flags).address ?? defaults.address;
  await refuseEarly(configured);
  const connected = loadClient().connect({
    ...(address && { address }),
    ...(profile && { profile }),
    ...(namespace && { namespace }),
    ...(taskQueue && { taskQueue }),
    ...(application && { application }),
    ...defined({ actor, deltas: options.deltas }),
    ...encodingOf(options),
    ...(process.env['LONGHAUL_ID_SECRET'] && { hashIds: process.env['LONGHAUL_ID_SECRET'] }),
  });
  return await inTime(connected, configured);
}

/** What a command prints: lines, or one value with `--json`. Notes go to stderr. */
export type Answer = {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly notes?: readonly string[];
  readonly exitCode?: number;
};

/** Connects, asks, prints the answer and closes the connection. Returns the exit code. */
export async function askServer(
  flags: ConnectionFlags & { readonly json?: true },
  terminal: Terminal,
  ask: (longhaul: Longhaul) => Promise<Answer>,
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
export function targetOf({ address, profile, namespace }: ConnectionFlags): Target {
  try {
    const given = { ...(address && { address }), ...(profile && { profile }) };
    const { connection, namespace: configured } = loadServer().loadConnection(given);
    return { server: connection, namespace: namespace ?? configured };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

export function connectionOf(flags: ConnectionFlags): Target['server'] {
  return targetOf(flags).server;
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
