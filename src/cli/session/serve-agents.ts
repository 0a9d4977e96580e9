import type { Worker, WorkerOptions } from '@temporalio/worker';
import type { LoadedConnection } from '../../server/connection-options';
import type { LoadedAgents } from './agents-file';
import { loadConnectionOptions, loadTemporalWorker, loadWorker } from './load-parts';

export type ServeOptions = {
  readonly agents: LoadedAgents;
  /** Wins over the connection that the file itself names. */
  readonly server: LoadedConnection['connection'];
  readonly namespace: string;
  readonly taskQueue: string;
  /** Wins over what the file says. */
  readonly application?: string;
  /** Whether callers may send specs, where the file does not say. */
  readonly inlineSpecs?: true;
  /** What the file itself sets wins. */
  readonly workerOptions: Partial<WorkerOptions>;
};

export type ServedAgents = {
  /** Rejects when the worker ends by an error. */
  readonly ended: Promise<void>;
  /** `RUNNING` while it takes work. */
  readonly state: () => string;
  /** Lets calls in flight end; waits at most `timeoutMs` for that, else as long as the worker gives them. */
  stop(timeoutMs?: number): Promise<void>;
};

/** For calls that end when they are told to, after their time is up. */
const drainMarginMs = 1_000;

/** Runs the agents of a file in this process. `installWorkerLog` comes first. */
export async function serveAgents(options: ServeOptions): Promise<ServedAgents> {
  const { agents, server, namespace, taskQueue, workerOptions, inlineSpecs, application } = options;
  const { NativeConnection } = loadTemporalWorker();
  const connection = await NativeConnection.connect(server).catch((error: unknown) => {
    throw loadConnectionOptions().serverUnavailable(server.address ?? 'the server', error);
  });
  const { address: _address, profile: _profile, ...configured } = agents.options;
  const worker = await loadWorker().createWorker({
    ...(inlineSpecs && { inlineSpecs }),
    ...configured,
    ...(application && { application }),
    connection,
    namespace,
    taskQueue,
    workerOptions: { ...workerOptions, ...configured.workerOptions },
  });
  const ended = worker.run();
  const closed = ended.catch(() => undefined).then(() => connection.close());
  closed.catch(() => undefined);
  const drainMs = worker.options.shutdownGraceTimeMs + drainMarginMs;
  return {
    ended,
    state: () => worker.getState(),
    stop: (timeoutMs = drainMs) => stop(worker, ended, timeoutMs),
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
