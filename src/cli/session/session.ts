import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { defined } from '../../base';
import type { Longhaul } from '../../client';
import type { Deltas } from '../../stores/index';
import { LonghaulError } from '../../protocol';
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
  openLonghaul,
  type ConnectionFlags,
  sharedNames,
  targetOf,
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

/** Throws `NoWorker` if no worker polls and this process cannot or must not serve agents. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { flags, workflowId, check, terminal } = options;
  const { ProcessDeltas } = loadStores();
  const deltas = new ProcessDeltas();
  const serving = { flags, terminal, deltas };
  const source = sourceToServe(flags);
  if (workflowId === undefined && source?.kind === 'specs') {
    // Named specs are served on a task queue of their own, or on the named one, whatever other workers know.
    const agents = await loadAgents(source);
    check?.(agents);
    const { taskQueue = `${ownQueuePrefix}${randomBytes(4).toString('hex')}` } = agents.options;
    const longhaul = await openLonghaul(flags, { ...agents.options, taskQueue }, deltas);
    return await serve(longhaul, agents, { ...serving, taskQueue: longhaul.taskQueue });
  }
  const longhaul = await openLonghaul(flags, {}, deltas);
  const taskQueue =
    workflowId === undefined
      ? longhaul.taskQueue
      : (await describeRun(longhaul, workflowId)).taskQueue;
  if (await hasLastingWorker(longhaul, taskQueue)) return withoutServing(longhaul);
  if (source === undefined) {
    await awaitWorker(longhaul, taskQueue, flags.worker);
    return withoutServing(longhaul);
  }
  const agents = await loadAgents(source);
  check?.(agents);
  const isConfigured = sharedNames.some((name) => agents.options[name] !== undefined);
  if (workflowId !== undefined || !isConfigured)
    return await serve(longhaul, agents, { ...serving, taskQueue });
  // The file says where new runs are, and how their data is encoded.
  await longhaul.close();
  const own = await openLonghaul(flags, agents.options, deltas);
  if (await hasLastingWorker(own, own.taskQueue)) return withoutServing(own);
  return await serve(own, agents, { ...serving, taskQueue: own.taskQueue });
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

/** Waits a few seconds for a worker that may just be starting. */
async function awaitWorker(
  longhaul: Longhaul,
  taskQueue: string,
  mayServe: boolean,
): Promise<void> {
  const deadline = Date.now() + waitMs;
  while (Date.now() < deadline) {
    await pause(checkEveryMs);
    if (await hasLastingWorker(longhaul, taskQueue)) return;
  }
  const served = await loadServer().servedQueues(longhaul.client);
  // The server lists a killed worker for a while.
  const elsewhere = loadClient().servedText(served.filter((queue) => queue !== taskQueue));
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

type Serving = Pick<SessionOptions, 'flags' | 'terminal'> & {
  /** Carries the text of models from the worker of this process to its client. */
  readonly deltas: Deltas;
  readonly taskQueue: string;
};

async function serve(
  longhaul: Longhaul,
  agents: LoadedAgents,
  { flags, terminal, deltas, taskQueue }: Serving,
): Promise<Session> {
  let attended: string | undefined;
  const endLog = installWorkerLog((line, workflowId) => {
    if (isPartOf(workflowId, attended)) terminal.note(line);
  });
  const served = await serveAgents({
    agents,
    server: targetOf(flags).server,
    namespace: longhaul.client.options.namespace,
    taskQueue,
    ...defined({ application: flags.application }),
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
