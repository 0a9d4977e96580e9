import { defined, grpcStatus } from '../base';
import {
  NativeConnection,
  type NativeConnectionOptions,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { defaults, LonghaulError, timeouts } from '../protocol';
import { loadConnection, namespaceMissing, serverUnavailable, tryEncryption } from '../server';
import { checkGivenOnce } from './deployment';
import { installLineLog } from './logger';
import { checkWorkerOptions, type CreateWorkerOptions } from './options';
import { LonghaulPlugin } from './plugin';

type Settings = WorkerOptions & {
  readonly connection: NativeConnection;
  readonly namespace: string;
};

/**
 * Makes a Temporal worker that runs agents: workflows, model calls and tools. Throws `SpecError` for wrong options, `PackageMissing`,
 * `SdkMismatch`, and `ServerUnavailable`.
 *
 * @example
 * const worker = await createWorker({ runners: [agent] });
 * await worker.run();
 */
export async function createWorker(options: CreateWorkerOptions = {}): Promise<Worker> {
  checkWorkerOptions(options);
  const {
    connection,
    address,
    profile,
    namespace,
    taskQueue,
    dataConverter,
    workerOptions,
    ...longhaul
  } = options;
  checkGivenOnce(longhaul.workerDeployment, workerOptions);
  const plugin = new LonghaulPlugin(longhaul);
  await tryEncryption(longhaul);
  checkConnection(connection);
  const loaded = loadConnection({ ...(address && { address }), ...(profile && { profile }) });
  const open =
    connection ?? (await connectWorker(plugin.configureNativeConnection(loaded.connection)));
  const settings = {
    connection: open,
    namespace: namespace ?? loaded.namespace ?? defaults.namespace,
    taskQueue: taskQueue ?? defaults.taskQueue,
    ...defined({ dataConverter }),
    ...workerOptions,
    plugins: [...(workerOptions?.plugins ?? []), plugin],
  };
  return await create(settings, connection === undefined);
}

async function create(settings: Settings, ownsConnection: boolean): Promise<Worker> {
  try {
    await checkNamespace(settings);
    return await Worker.create(settings);
  } catch (error) {
    if (ownsConnection) await settings.connection.close();
    throw error;
  }
}

/**
 * Checks the namespace before the worker is made. A worker without its namespace would leave threads behind, and the process would not end.
 */
async function checkNamespace({ connection, namespace }: Settings): Promise<void> {
  try {
    await connection.withDeadline(Date.now() + timeouts.serverCheck / 2, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    const { code } = Object(error) as { readonly code?: unknown };
    if (code === grpcStatus.notFound) throw namespaceMissing(namespace, error);
  }
}

/** The native part would refuse the connection with an unclear error, and leave threads behind. */
function checkConnection(connection: unknown): void {
  if (connection === undefined || connection instanceof NativeConnection) return;
  const { close } = (connection ?? {}) as { close?: unknown };
  if (typeof close === 'function') return;
  throw new LonghaulError(
    'InvalidInput',
    "connection must be an open NativeConnection of @temporalio/worker; an address is createWorker's own option: createWorker({ address })",
  );
}

/** The log comes with the first connection. Without one it would keep the process alive. */
async function connectWorker(options: NativeConnectionOptions): Promise<NativeConnection> {
  installLineLog({ level: 'INFO' });
  try {
    return await NativeConnection.connect(options);
  } catch (error) {
    throw serverUnavailable(options.address ?? defaults.address, error);
  }
}
