import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

type Interceptor = ReturnType<typeof makeGrpcRetryInterceptor>;
type Call = ReturnType<Interceptor>;

const cancelled = 1;
const closed = 'the connection was closed';

/**
 * The SDK's retries, for a connection that is closed some time: interceptors for it, and what to call before it is closed. By itself
 * the SDK tries a failed call again on the closed connection, even one that was given up, which throws where nobody can catch it and
 * takes the process down. Calls that are under way when it is closed end at once.
 */
export function retriesUntilClosed(): {
  readonly interceptors: Interceptor[];
  readonly close: () => void;
} {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions();
  let isClosed = false;
  const open = new Set<Call>();
  const retry = makeGrpcRetryInterceptor({
    delayFunction,
    retryableDecider: (attempt, status) =>
      !isClosed && !isTooLarge(status) && retryableDecider(attempt, status),
  });
  const guard: Interceptor = (options, nextCall) =>
    isClosed ? endedCall() : listed(nextCall(options) as Call, open);
  return {
    interceptors: [retry, guard],
    close: () => {
      isClosed = true;
      for (const call of open) call.cancelWithStatus(cancelled, closed);
    },
  };
}

/** More than a client takes at once: tried again, the answer is as large. It has the code of a server that is busy. */
function isTooLarge({ details }: { readonly details: string }): boolean {
  return details.includes('larger than max');
}

/** Stands in `open` from its start to its end: a long poll would else outlive the connection by up to 20 seconds. */
function listed(call: Call, open: Set<Call>): Call {
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
function endedCall(): Call {
  const nothing = (): void => undefined;
  const start: Call['start'] = (metadata, listener) => {
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({
      code: cancelled,
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
  } as unknown as Call;
}
