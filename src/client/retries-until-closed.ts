import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;
type Call = ReturnType<Interceptor>;

const cancelled = 1;

/**
 * The SDK's retries, for a connection that is closed some time: interceptors for it, and what to call before it is closed. By itself
 * the SDK tries a failed call again on the closed connection, even one that was given up, which throws where nobody can catch it and
 * takes the process down.
 */
export function retriesUntilClosed(): {
  readonly interceptors: Interceptor[];
  readonly close: () => void;
} {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions();
  let isClosed = false;
  const retry = makeGrpcRetryInterceptor({
    delayFunction,
    retryableDecider: (attempt, status) => !isClosed && retryableDecider(attempt, status),
  });
  const guard: Interceptor = (options, nextCall) =>
    isClosed ? endedCall() : (nextCall(options) as Call);
  return {
    interceptors: [retry, guard],
    close: () => {
      isClosed = true;
    },
  };
}

/** A call that ends as soon as it starts. */
function endedCall(): Call {
  const nothing = (): void => undefined;
  const start: Call['start'] = (metadata, listener) => {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({
      code: cancelled,
      details: 'the connection was closed',
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
  } as unknown as Call;
}
