import {
  Client,
  Connection,
  type ConnectionLike,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { readActor } from '../../core/people/actor';
import { defined, grpcStatus } from '../../base';
import { type Actor, defaults, LonghaulError, timeouts } from '../../protocol';
import {
  clientConverter,
  contentCodecs,
  type EncryptionOptions,
  loadConnection,
  namespaceMissing,
  queryInterceptor,
  type ServerOptions,
  serverUnavailable,
  tryEncryption,
} from '../../server';
import {
  type Deltas,
  isDeltas,
  isResultStore,
  type ResultStore,
  StoredContent,
} from '../../stores/index';
import { isTelemetry, type Telemetry } from '../../telemetry';
import { checkOptions } from './check-options';
import { hasGrpcStatus } from './failures';
import { Longhaul } from '../handles/longhaul';
import { checkIdSecret } from '../write/thread-input';
import { traceInterceptor } from './trace-interceptor';

const closed = 'the connection was closed';

type DataOptions = ServerOptions & EncryptionOptions;

export type ConnectOptions = DataOptions & {
  readonly namespace?: string;
  /** Temporal's task queue on which runs start. Default: `longhaul`. */
  readonly taskQueue?: string;
  /** The application of the workers that run them; the same as on the workers. Default: the task queue's name. */
  readonly application?: string;
  /**
   * A secret of at least 16 characters. The ids of threads then contain a keyed hash instead of application, user and session in clear
   * text. All clients of a namespace need the same secret, and you cannot change it later: a thread is found by its id.
   */
  readonly hashIds?: string;
  /**
   * Who acts through this client, if a call has no `by`. Your backend vouches for it: Longhaul cannot check who somebody is. A server for
   * many people leaves it out, and gives `by` with each call.
   */
  readonly actor?: Actor;
  /** The deltas of the workers. Streams of runs then show text while the model writes it. You close them. */
  readonly deltas?: Deltas;
  /** Runs that start inside a span continue its trace. */
  readonly telemetry?: Telemetry;
  /** The result store of the workers. The client puts large parts of inputs and messages there. You close it. */
  readonly results?: ResultStore;
  /**
   * An open connection to use. `close` does not close it. Its own retries apply: reading a history with large events may take some seconds
   * longer.
   */
  readonly connection?: ConnectionLike;
};

const optionNames = {
  profile: true,
  address: true,
  tls: true,
  apiKey: true,
  encryption: true,
  dataConverter: true,
  clearFailures: true,
  namespace: true,
  taskQueue: true,
  application: true,
  hashIds: true,
  results: true,
  deltas: true,
  telemetry: true,
  actor: true,
  connection: true,
} as const;

/**
 * Connects to Temporal. Options come first, then `TEMPORAL_*` and the configuration profile, then the address of the dev server. Throws
 * `ServerUnavailable` within 5 s, also if the namespace does not exist, and `InvalidInput` for an unknown option.
 *
 * @example
 * const longhaul = await connect();
 * const run = await longhaul.start('assistant', 'Hello');
 * const outcome = await run.outcome();
 */
export async function connect(options: ConnectOptions = {}): Promise<Longhaul> {
  checkOptions('connect', options, optionNames);
  const { connection: given, namespace, taskQueue, application, ...other } = options;
  const { hashIds, results, deltas, telemetry, actor, ...server } = other;
  const dataConverter = clientConverter(options);
  checkIdSecret(hashIds);
  if (actor !== undefined) readActor(actor);
  checkParts(options);
  const codecs = contentCodecs(options);
  await tryEncryption(options);
  const loaded = loadConnection(server);
  const name = namespace ?? loaded.namespace ?? defaults.namespace;
  const { connection, close } = given
    ? { connection: given, close: undefined }
    : await open(loaded.connection, name);
  const ahead = queryInterceptor(() => connection.workflowService, name);
  const workflow = [ahead, ...(telemetry ? [traceInterceptor(telemetry)] : [])];
  const client = new Client({
    connection,
    namespace: name,
    dataConverter,
    interceptors: { workflow },
  });
  return new Longhaul(client, {
    taskQueue: taskQueue ?? defaults.taskQueue,
    ...defined({ application, hashIds, actor, deltas }),
    ...(results && { results: new StoredContent(results, { codecs }) }),
    ...defined({ close }),
  });
}

function checkParts({ results, deltas, telemetry }: ConnectOptions): void {
  if (results !== undefined && !isResultStore(results))
    throw new LonghaulError('InvalidInput', 'results must be a result store, such as FileResults');
  if (deltas !== undefined && !isDeltas(deltas))
    throw new LonghaulError('InvalidInput', 'deltas must be deltas, such as new ProcessDeltas()');
  if (telemetry !== undefined && !isTelemetry(telemetry))
    throw new LonghaulError('InvalidInput', 'telemetry must be telemetry, such as openTelemetry()');
}

type OwnConnection = { readonly connection: Connection; readonly close: () => Promise<void> };

/** `close` ends open calls at once. */
export function openConnection(options: ConnectionOptions): OwnConnection {
  const { interceptors, close } = retriesUntilClosed();
  const connectTimeout = timeouts.serverCheck - 500;
  const connection = Connection.lazy({ ...options, interceptors, connectTimeout });
  return {
    connection,
    close: async () => {
      close();
      await connection.close();
    },
  };
}

async function open(options: ConnectionOptions, namespace: string): Promise<OwnConnection> {
  const { connection, close } = openConnection(options);
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

/**
 * The error for a namespace that does not exist. Other errors of the server do not count, because not every client may describe the
 * namespace.
 */
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

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;

type GrpcCall = ReturnType<Interceptor>;

/**
 * The SDK's retries for a connection that will be closed: its interceptors, and a function to call before it closes. Without this, the SDK
 * retries a failed call on the closed connection. That throws where nobody can catch it, and ends the process. Open calls end at once.
 */
export function retriesUntilClosed(): {
  readonly interceptors: Interceptor[];
  readonly close: () => void;
} {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions();
  let isClosed = false;
  const open = new Set<GrpcCall>();
  const retry = makeGrpcRetryInterceptor({
    delayFunction,
    retryableDecider: (attempt, status) =>
      !isClosed && !isTooLarge(status) && retryableDecider(attempt, status),
  });
  const guard: Interceptor = (options, nextCall) =>
    isClosed || options.deadline === 0 ? endedCall() : listed(nextCall(options) as GrpcCall, open);
  return {
    interceptors: [untilCancelled, retry, guard],
    close: () => {
      isClosed = true;
      for (const call of open) call.cancelWithStatus(grpcStatus.cancelled, closed);
    },
  };
}

/**
 * The SDK tries a call again although it was cancelled meanwhile, and it reaches the server after newer calls. The deadline 0 tells the guard
 * to end it.
 */
function untilCancelled(...[options, nextCall]: Parameters<Interceptor>): GrpcCall {
  const given = { ...options };
  const call = nextCall(given) as GrpcCall;
  const cancel = call.cancelWithStatus.bind(call);
  call.cancelWithStatus = (...why) => {
    given.deadline = 0;
    cancel(...why);
  };
  return call;
}

/** True if the answer is larger than a client accepts. A retry would not help, although a busy server sends the same code. */
function isTooLarge({ details }: { readonly details: string }): boolean {
  return details.includes('larger than max');
}

/** Keeps the call in `open` from its start to its end. Otherwise a long poll outlives the connection by up to 20 seconds. */
function listed(call: GrpcCall, open: Set<GrpcCall>): GrpcCall {
  const start = call.start.bind(call);
  call.start = (metadata, listener) => {
    open.add(call);
    start(metadata, {
      onReceiveMetadata: (received) => listener?.onReceiveMetadata?.(received),
      onReceiveMessage: (message) => listener?.onReceiveMessage?.(message),
      onReceiveStatus: (status) => {
        open.delete(call);
        listener?.onReceiveStatus?.(status);
      },
    });
  };
  return call;
}

/** A call that ends as soon as it starts. */
function endedCall(): GrpcCall {
  const nothing = (): void => undefined;
  const start: GrpcCall['start'] = (metadata, listener) => {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({
      code: grpcStatus.cancelled,
      details: closed,
      metadata,
    });
  };
  return {
    start,
    sendMessage: nothing,
    sendMessageWithContext: nothing,
    startRead: nothing,
    halfClose: nothing,
    cancelWithStatus: nothing,
  } as unknown as GrpcCall;
}
