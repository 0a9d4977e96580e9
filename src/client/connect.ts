import { Client, Connection, type ConnectionLike } from '@temporalio/client';
import type { LonghaulError } from '../protocol/errors';
import { timeouts } from '../protocol/limits';
import { defaults } from '../protocol/names';
import {
  loadConnection,
  namespaceMissing,
  serverUnavailable,
  type ServerOptions,
} from '../server/connection-options';
import { clientConverter, tryEncryption, type EncryptionOptions } from '../server/encryption';
import { grpcStatus } from '../base/grpc-status';
import { hasGrpcStatus } from './failures';
import { Longhaul } from './longhaul';
import { checkIdSecret } from './thread-id';
import { retriesUntilClosed } from './retries-until-closed';

type DataOptions = ServerOptions & EncryptionOptions;

export type ConnectOptions = DataOptions & {
  readonly namespace?: string;
  /** Where runs are started; default `longhaul`. */
  readonly taskQueue?: string;
  /** Whose workers run what is started: as the workers say it. Default: the task queue's name. */
  readonly application?: string;
  /**
   * A secret of at least 16 characters. With it the ids of threads hold a keyed hash in place of application, user and session, which
   * stand in clear wherever the server names a workflow. All clients of a namespace need the same one, and for good: a thread is found by
   * its id.
   */
  readonly hashIds?: string;
  /** An open connection to use; it is not closed by `close`. */
  readonly connection?: ConnectionLike;
};

/**
 * Connects to Temporal: what is given, else `TEMPORAL_*` and the configuration profile, else the dev server's address.
 * Throws `ServerUnavailable` within 5 s, also when the namespace does not exist.
 *
 * @example
 * const longhaul = await connect();
 * const run = await longhaul.start('assistant', 'Hello');
 * const outcome = await run.outcome();
 */
export async function connect(options: ConnectOptions = {}): Promise<Longhaul> {
  const { connection: given, namespace, taskQueue, application, hashIds, ...server } = options;
  const dataConverter = clientConverter(options);
  checkIdSecret(hashIds);
  await tryEncryption(options);
  const loaded = loadConnection(server);
  const name = namespace ?? loaded.namespace ?? defaults.namespace;
  const { connection, close } = given
    ? { connection: given, close: undefined }
    : await open(loaded.connection, name);
  const client = new Client({ connection, namespace: name, dataConverter });
  return new Longhaul(client, {
    taskQueue: taskQueue ?? defaults.taskQueue,
    ...(application !== undefined && { application }),
    ...(hashIds !== undefined && { hashIds }),
    ...(close && { close }),
  });
}

type OwnConnection = { readonly connection: Connection; readonly close: () => Promise<void> };

async function open(
  options: ReturnType<typeof loadConnection>['connection'],
  namespace: string,
): Promise<OwnConnection> {
  const retries = retriesUntilClosed();
  const connection = Connection.lazy({
    ...options,
    interceptors: retries.interceptors,
    connectTimeout: timeouts.serverCheck - 500,
  });
  const close = async (): Promise<void> => {
    retries.close();
    await connection.close();
  };
  try {
    await connection.ensureConnected();
  } catch (error) {
    await close();
    throw serverUnavailable(options.address ?? defaults.address, error);
  }
  const missing = await missingNamespace(connection, namespace);
  if (missing === undefined) return { connection, close };
  await close();
  throw missing;
}

/** Only what the server says of it counts: some let a client start runs, and not look at the namespace. */
async function missingNamespace(
  connection: Connection,
  namespace: string,
): Promise<LonghaulError | undefined> {
  try {
    await connection.withDeadline(Date.now() + timeouts.serverCheck / 2, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return undefined;
  } catch (error) {
    return hasGrpcStatus(error, grpcStatus.notFound)
      ? namespaceMissing(namespace, error)
      : undefined;
  }
}
