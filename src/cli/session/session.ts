import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Longhaul } from '../../client';
import type { Deltas } from '../../stores/index';
import { LonghaulError } from '../../protocol/errors';
import {
  addSpecFlags,
  type AgentsFlags,
  type AgentsSource,
  findAgentsSource,
  loadAgents,
  type LoadedAgents,
} from './agents';

import { UsageError } from '../exit';
import {
  addConnectionFlags,
  connectionOf,
  encodingOf,
  openLonghaul,
  type ConnectionFlags,
} from './connection';
import { describeRun, liveWorkers, temporaryIdentity } from './read-run';
import { loadClient, loadServer, loadStores } from './load-parts';
import { installWorkerLog, serveAgents, type ServedAgents } from './serve-agents';
import type { Terminal } from '../render/terminal';

export type WorkerFlags = ConnectionFlags &
  AgentsFlags & {
    /** False with `--no-worker`. */
    readonly worker: boolean;
  };

/** The flags of commands that serve the agents themselves if no worker polls. */
export function addWorkerFlags(command: Command): Command {
  return addSpecFlags(addConnectionFlags(command))
    .option('--agents <file>', 'agents to serve when no worker polls (default: longhaul.config.*)')
    .option('--no-worker', 'never serve agents in this process');
}

export type SessionOptions = {
  readonly flags: WorkerFlags;
  readonly terminal: Terminal;
  /** The run to work on; missing for a new run. */
  readonly workflowId?: string;
  /** Checks the agents before the worker serves them. */
  readonly check?: (agents: LoadedAgents) => void;
};

/** A connection. It has a worker in this process if no other worker polls the task queue. */
export type Session = {
  readonly longhaul: Longhaul;
  /** The worker runs in this process: the run stops when the process ends. */
  readonly isServing: boolean;
  /** From now on, hides the worker's log about other runs. */
  attendTo(workflowId: string): void;
  /** Waits for the work. Rejects if the worker of this process fails first. */
  whileServing<Result>(work: Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/** Begins the name of a task queue that only one `run -f` serves, and later commands with the same -f. */
const ownQueuePrefix = 'longhaul-run-';

const waitMs = 3_000;
const checkEveryMs = 500;
const stopTimeoutMs = 800;

/** With what carries the text of models from the worker of this process to its client. */
type OwnOptions = SessionOptions & { readonly deltas: Deltas };

/** Throws `NoWorker` if no worker polls and this process cannot or must not serve agents. */
export async function openSession(given: SessionOptions): Promise<Session> {
  const { ProcessDeltas } = loadStores();
  const options = { ...given, deltas: new ProcessDeltas() };
  const { flags, workflowId, check, deltas } = options;
  const source = sourceToServe(flags);
  if (workflowId === undefined && source?.kind === 'specs')
    return await serveSpecs(source, options);
  const longhaul = await openLonghaul(flags, { deltas });
  const taskQueue =
    workflowId === undefined
      ? longhaul.taskQueue
      : (await describeRun(longhaul, workflowId)).taskQueue;
  const agents = await agentsToServe(longhaul, taskQueue, { source, mayServe: flags.worker });
  if (agents === undefined) return withoutServing(longhaul);
  check?.(agents);
  if (workflowId === undefined) return await serveNewRuns(longhaul, agents, options);
  return await serve(longhaul, agents, { ...options, taskQueue });
}

function withoutServing(longhaul: Longhaul): Session {
  return {
    longhaul,
    isServing: false,
    attendTo: () => undefined,
    whileServing: (work) => work,
    close: () => longhaul.close(),
  };
}

function sourceToServe(flags: WorkerFlags): AgentsSource | undefined {
  if (flags.worker) return findAgentsSource(process.cwd(), flags);
  if (flags.file === undefined) return undefined;
  throw new UsageError('-f cannot be used with --no-worker: it serves the agents in this process');
}

/**
 * Serves named specs on a task queue of their own, or on the named one, whatever other workers know. Checks the specs before it connects.
 */
async function serveSpecs(source: AgentsSource, options: OwnOptions): Promise<Session> {
  const { flags, check, deltas } = options;
  const agents = await loadAgents(source);
  check?.(agents);
  const { taskQueue: configured, application } = agents.options;
  const taskQueue =
    flags.taskQueue ?? configured ?? `${ownQueuePrefix}${randomBytes(4).toString('hex')}`;
  const longhaul = await openLonghaul(flags, {
    taskQueue,
    deltas,
    ...(application && { application }),
    ...encodingOf(agents.options),
  });
  return await serve(longhaul, agents, { ...options, taskQueue });
}

/** The agents of this folder if no worker polls the task queue. */
async function agentsToServe(
  longhaul: Longhaul,
  taskQueue: string,
  { source, mayServe }: { readonly source: AgentsSource | undefined; readonly mayServe: boolean },
): Promise<LoadedAgents | undefined> {
  if (await hasLastingWorker(longhaul, taskQueue)) return undefined;
  if (source !== undefined) return await loadAgents(source);
  await awaitWorker(longhaul, taskQueue, mayServe);
  return undefined;
}

/** Waits a few seconds for a worker that may just be starting. */
async function awaitWorker(
  longhaul: Longhaul,
  taskQueue: string,
  mayServe: boolean,
): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, checkEveryMs));
    if (await hasLastingWorker(longhaul, taskQueue)) return;
  }
  const elsewhere = loadClient().servedText(await loadServer().servedQueues(longhaul.client));
  throw noWorker(taskQueue, { mayServe, elsewhere });
}

function noWorker(
  taskQueue: string,
  { mayServe, elsewhere }: { readonly mayServe: boolean; readonly elsewhere: string },
): LonghaulError {
  const details = { retryable: true, details: { taskQueue } };
  if (mayServe && taskQueue.startsWith(ownQueuePrefix)) {
    const message =
      'the run was started with -f, and no worker serves it now: give the same -f, --tools and --overlay here';
    return new LonghaulError('NoWorker', message, details);
  }
  const here = mayServe
    ? ', or put your agents into longhaul.config.mjs or name their file with --agents or -f'
    : '';
  return new LonghaulError(
    'NoWorker',
    `no worker polls task queue '${taskQueue}'${elsewhere}: start one with \`longhaul dev\` or createWorker${here}`,
    details,
  );
}

/** The worker of another command does not count: it may end before this run does. */
async function hasLastingWorker(longhaul: Longhaul, taskQueue: string): Promise<boolean> {
  const workers = await liveWorkers(longhaul.client, taskQueue);
  return workers.some(({ isTemporary, isAtWork }) => isAtWork && !isTemporary);
}

/** May need a new connection, because the file may name its own task queue and encoding. */
async function serveNewRuns(
  longhaul: Longhaul,
  agents: LoadedAgents,
  options: OwnOptions,
): Promise<Session> {
  const { flags, deltas } = options;
  const { application = longhaul.application } = agents.options;
  const encoding = encodingOf(agents.options);
  const taskQueue = flags.taskQueue ?? agents.options.taskQueue ?? longhaul.taskQueue;
  const isSame = taskQueue === longhaul.taskQueue && application === longhaul.application;
  if (isSame && Object.keys(encoding).length === 0) {
    return await serve(longhaul, agents, { ...options, taskQueue });
  }
  await longhaul.close();
  const own = await openLonghaul(flags, {
    taskQueue,
    deltas,
    ...(agents.options.application && { application }),
    ...encoding,
  });
  if (await hasLastingWorker(own, taskQueue)) return withoutServing(own);
  return await serve(own, agents, { ...options, taskQueue });
}

async function serve(
  longhaul: Longhaul,
  agents: LoadedAgents,
  {
    taskQueue,
    flags,
    terminal,
    deltas,
  }: Pick<OwnOptions, 'flags' | 'terminal' | 'deltas'> & { taskQueue: string },
): Promise<Session> {
  let attended: string | undefined;
  const endLog = installWorkerLog((line, workflowId) => {
    if (isPartOf(workflowId, attended)) terminal.note(line);
  });
  const served = await serveAgents({
    agents,
    server: connectionOf(flags),
    namespace: longhaul.client.options.namespace,
    taskQueue,
    ...(flags.application && { application: flags.application }),
    inlineSpecs: true,
    deltas,
    workerOptions: { shutdownGraceTime: '1s', identity: temporaryIdentity() },
  });
  return {
    longhaul,
    isServing: true,
    attendTo: (workflowId) => {
      attended = workflowId;
    },
    whileServing: async (work) => await Promise.race([work, failureOf(served)]),
    close: async () => {
      await served.stop(stopTimeoutMs);
      endLog();
      await longhaul.close();
    },
  };
}

/** The id of a child begins with its parent's id. */
function isPartOf(workflowId: string | undefined, attended: string | undefined): boolean {
  return workflowId === undefined || attended === undefined || workflowId.startsWith(attended);
}

async function failureOf(served: ServedAgents): Promise<never> {
  await served.ended;
  return await new Promise<never>(() => undefined);
}
