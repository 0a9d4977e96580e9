import {
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  type ConnectionLike,
} from '@temporalio/client';

export type ClientConnection = { readonly connection: ConnectionLike; close(): Promise<void> };

/**
 * A connection of its own for the client of a test environment. A call that is still open when the environment closes, as after a
 * failed test, must end then: the SDK would try it again on the closed connection and bring the whole process down.
 */
export async function connectClient(
  address: string,
  closing: AbortSignal,
): Promise<ClientConnection> {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions();
  const retry = makeGrpcRetryInterceptor({
    delayFunction,
    retryableDecider: (attempt, status) => !closing.aborted && retryableDecider(attempt, status),
  });
  const connection = await Connection.connect({ address, interceptors: [retry] });
  return { connection: knowingItsWorker(connection), close: () => connection.close() };
}

/** The time-skipping server cannot say who polls a task queue; here it is known: the environment's worker. */
function knowingItsWorker(connection: Connection): ConnectionLike {
  const workflowService = {
    ...connection.workflowService,
    describeTaskQueue: () => Promise.resolve({ pollers: [{}] }),
  };
  return Object.create(connection, { workflowService: { value: workflowService } }) as Connection;
}
