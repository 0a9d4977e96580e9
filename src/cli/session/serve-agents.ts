import { dirname, sep } from 'node:path';
import type { Worker, WorkerOptions } from '@temporalio/worker';
import { defined, errorChain } from '../../base';
import type { Deltas } from '../../stores/index';
import type { LoadedConnection } from '../../server';
import type { LoadedAgents } from './agents';
import {
  loadProviders,
  loadServer,
  loadTemporalWorker,
  loadWorker,
  loadWorkerRoom,
} from './load-parts';
import type { LogLevel, WorkerDeploymentVersion } from '@temporalio/common';

import type { LogEntry, WorkerDeployment } from '../../worker/index';
import { clipToWidth, printableLine } from '../render/text';

const longestLine = 500;

/** Frames of the user's own code below an error. */
const mostFrames = 3;

const ownFolder = `${dirname(dirname(__dirname))}${sep}`;

/** Warnings not to show. The command itself reports a failed run. A late answer to a query and a run dropped at work concern nobody. */
const unsaid: readonly string[] = [
  'Workflow failed',
  'Query not found when attempting to respond to it',
  'There were leftover buffered tasks when evicting run',
];

const shown: readonly LogLevel[] = ['WARN', 'ERROR'];

/** The SDK has one log per process. All commands in this process listen to it. */
const listeners = new Set<Note>();

let isInstalled = false;

export type ServeOptions = {
  readonly agents: LoadedAgents;
  /** Wins over the connection in the file. */
  readonly server: LoadedConnection['connection'];
  readonly namespace: string;
  readonly taskQueue: string;
  /** Wins over the application in the file. */
  readonly application?: string;
  /** Whether callers may send specs, if the file does not say. */
  readonly inlineSpecs?: true;
  /** Gets what models say, besides those in the file. */
  readonly deltas?: Deltas;
  /** Options in the file win. */
  readonly workerOptions: Partial<WorkerOptions>;
  /** Default: the worker has no version, whatever the file says. Only a deployed worker has one. */
  readonly workerDeployment?: WorkerDeployment;
};

export type ServedAgents = {
  /** Rejects if the worker ends with an error. */
  readonly ended: Promise<void>;
  /** `RUNNING` while it takes work. */
  readonly state: () => string;
  /** Of a worker with `workerDeployment`. */
  readonly version?: WorkerDeploymentVersion;
  /** Lets calls in flight end. Waits at most `timeoutMs`, or by default as long as the worker allows. */
  stop(timeoutMs?: number): Promise<void>;
};

/** Extra time for calls that only end when they are told to, after their time is up. */
const drainMarginMs = 1_000;

/** Runs the agents of a file in this process. Call `installWorkerLog` first. */
export async function serveAgents(options: ServeOptions): Promise<ServedAgents> {
  const { agents, server, namespace, taskQueue, workerOptions, inlineSpecs, application } = options;
  const { workerDeployment } = options;
  const { NativeConnection } = loadTemporalWorker();
  const connection = await NativeConnection.connect(server).catch((error: unknown) => {
    throw loadServer().serverUnavailable(server.address ?? 'the server', error);
  });
  const { address: _address, profile: _profile, ...others } = agents.options;
  const { workerDeployment: _version, ...configured } = others;
  const deltas = bothDeltas(options.deltas, configured.deltas);
  const worker = await loadWorker().createWorker({
    ...defined({ inlineSpecs }),
    ...configured,
    ...defined({ deltas, application, workerDeployment }),
    connection,
    namespace,
    taskQueue,
    workerOptions: { ...workerOptions, ...configured.workerOptions },
  });
  const ended = worker.run();
  const closed = ended.catch(() => undefined).then(() => connection.close());
  closed.catch(() => undefined);
  const drainMs = worker.options.shutdownGraceTimeMs + drainMarginMs;
  const { version } = worker.options.workerDeploymentOptions ?? {};
  return {
    ended,
    state: () => worker.getState(),
    ...defined({ version: workerDeployment && version }),
    stop: (timeoutMs = drainMs) => stop(worker, ended, timeoutMs),
  };
}

/** The command reads its own deltas, and others may read those in the file. */
function bothDeltas(own: Deltas | undefined, others: Deltas | undefined): Deltas | undefined {
  if (own === undefined || others === undefined) return own ?? others;
  return {
    publish: (event) => {
      own.publish(event);
      others.publish(event);
    },
    subscribe: (root, listener) => others.subscribe(root, listener),
    close: () => others.close(),
  };
}

async function stop(worker: Worker, ended: Promise<void>, timeoutMs: number): Promise<void> {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([ended.catch(() => undefined), late]);
  clearTimeout(timer);
}

type Note = (line: string, workflowId: string | undefined) => void;

/** `short`: warnings and errors, for those who wait for one run. `whole`: with stacks, and what the user's code writes. */
type LogStyle = 'short' | 'whole';

/**
 * Sends what the worker, the SDK and its native core write to `note`, one entry each, with the id of the run if there is one. Stops when
 * the returned function is called. Must run before this process creates any part of a worker.
 */
export function installWorkerLog(note: Note, style: LogStyle = 'short'): () => void {
  listeners.add(note);
  if (!isInstalled) installLogger(style);
  isInstalled = true;
  return () => void listeners.delete(note);
}

/** The command handles Ctrl-C and signals: the SDK would stop the worker by itself. */
function installLogger(style: LogStyle): void {
  const { Runtime, DefaultLogger, makeTelemetryFilterString } = loadTemporalWorker();
  const isDebugging = process.env['LONGHAUL_DEBUG'] === '1';
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger(isDebugging ? 'DEBUG' : 'INFO', (entry: LogEntry) => {
      if (!isDebugging && !isShown(entry, style)) return;
      const workflowId: unknown = entry.meta?.['workflowId'];
      const about = typeof workflowId === 'string' ? workflowId : undefined;
      const line = style === 'whole' ? wholeEntry(entry) : logLine(entry);
      for (const note of listeners) note(line, about);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }) },
    },
  });
}

function isShown(entry: LogEntry, style: LogStyle): boolean {
  if (loadWorkerRoom().isRepeated(entry) || unsaid.includes(entry.message)) return false;
  return style === 'whole' ? loadWorkerRoom().isForPeople(entry) : shown.includes(entry.level);
}

function wholeEntry(entry: LogEntry): string {
  const { logFormat, formatEntry } = loadWorkerRoom();
  const format = logFormat();
  const text = formatEntry(entry, format);
  return format === 'json' ? text : loadProviders().redact(text);
}

function logLine({ level, message, meta = {} }: LogEntry): string {
  const { error, activityType, workflowId, sdkComponent } = meta as Record<string, unknown>;
  const { redact } = loadProviders();
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  const cause = root instanceof Error ? root.message : '';
  const parts = [
    message,
    typeof activityType === 'string' ? activityType : '',
    typeof workflowId === 'string' ? `run ${workflowId}` : '',
    message.includes(cause) ? '' : cause,
  ];
  const text = redact(
    parts
      .filter((part) => part !== '')
      .map(printableLine)
      .join(': '),
  );
  const kind = level === 'WARN' ? 'warning' : level.toLowerCase();
  const from = sdkComponent === 'core' ? " of Temporal's core" : '';
  const line = clipToWidth(`${kind}${from}: ${text}`, longestLine);
  return [line, ...placeOf(error).map((frame) => `    ${redact(frame)}`)].join('\n');
}

/** Where the user's code threw: the innermost frames of its own files. */
function placeOf(error: unknown): readonly string[] {
  const frames = errorChain(error).map(({ stack = '' }) =>
    stack
      .split('\n')
      .map(printableLine)
      .filter((line) => line.startsWith('at ') && isOfUser(line)),
  );
  return (frames.findLast(({ length }) => length > 0) ?? []).slice(0, mostFrames);
}

function isOfUser(frame: string): boolean {
  const isElsewhere = /\bnode:|[\\/]node_modules[\\/]|<anonymous>/.test(frame);
  return /:\d+:\d+\)?$/.test(frame) && !isElsewhere && !frame.includes(ownFolder);
}
