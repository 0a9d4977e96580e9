// Pure: no server. The calls that the interceptors would make are doubles.
import { retriesUntilClosed } from '../../../../src/client/server/connect';

type Interceptor = ReturnType<typeof retriesUntilClosed>['interceptors'][number];
type Call = ReturnType<Interceptor>;

const options = {} as Parameters<Interceptor>[0];
const cancelled = 1;
const resourceExhausted = 8;
const unavailable = 14;

/** What a call reports, and how often one was made on the connection, which throws once it is closed. */
function callThrough({
  interceptors,
  fails,
  failure = { code: unavailable, details: '' },
}: {
  interceptors: Interceptor[];
  fails: () => boolean;
  failure?: { readonly code: number; readonly details: string };
}) {
  const statuses: number[] = [];
  let made = 0;
  const wire = (): Call => {
    made += 1;
    const status = fails() ? failure : { code: 0, details: '' };
    const start: Call['start'] = (metadata, listener) => {
      listener?.onReceiveMessage?.(null);
      listener?.onReceiveStatus?.({ ...status, metadata });
    };
    const nothing = (): void => undefined;
    const rest = { sendMessage: nothing, sendMessageWithContext: nothing, halfClose: nothing };
    return { start, ...rest, cancelWithStatus: nothing } as unknown as Call;
  };
  const chain = interceptors.reduceRight<(given: typeof options) => Call>(
    (next, interceptor) => (given) => interceptor(given, next),
    wire,
  );
  const call = chain(options);
  call.start({} as Parameters<Call['start']>[0], {
    onReceiveStatus: ({ code }) => statuses.push(code),
  });
  call.sendMessage({});
  call.halfClose();
  return { statuses, made: () => made, cancel: () => call.cancelWithStatus(cancelled, 'enough') };
}

describe('retriesUntilClosed', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('tries a failed call again, as the SDK does', async () => {
    let attempts = 0;
    const { interceptors } = retriesUntilClosed();
    const { statuses } = callThrough({ interceptors, fails: () => (attempts += 1) < 3 });
    await jest.runAllTimersAsync();
    expect([statuses, attempts]).toEqual([[0], 3]);
  });

  it.each([
    { details: 'Received message larger than max (4616760 vs 4194304)', times: 1 },
    { details: 'namespace rate limit exceeded', times: 3 },
  ])('$details: makes the call $times times', async ({ details, times }) => {
    let attempts = 0;
    const { interceptors } = retriesUntilClosed();
    const failure = { code: resourceExhausted, details };
    callThrough({ interceptors, failure, fails: () => (attempts += 1) < 3 });
    await jest.runAllTimersAsync();
    expect(attempts).toBe(times);
  });

  it('ends a call that waits to be tried again when the connection is closed', async () => {
    const { interceptors, close } = retriesUntilClosed();
    const { statuses, made } = callThrough({ interceptors, fails: () => true });
    close();
    await jest.runAllTimersAsync();
    expect([statuses, made()]).toEqual([[cancelled], 1]);
  });

  it('does not try a call again that was cancelled while it waits to be tried again', async () => {
    const { interceptors } = retriesUntilClosed();
    const given = callThrough({ interceptors, fails: () => true });
    let attempts = 0;
    const other = callThrough({ interceptors, fails: () => (attempts += 1) < 3 });
    given.cancel();
    await jest.runAllTimersAsync();
    expect([given.statuses, given.made()]).toEqual([[cancelled], 1]);
    expect([other.statuses, other.made()]).toEqual([[0], 3]);
  });

  it('does not try a call again that fails because the connection is closed', async () => {
    const { interceptors, close } = retriesUntilClosed();
    const closing = (): boolean => {
      close();
      return true;
    };
    const { statuses, made } = callThrough({ interceptors, fails: closing });
    await jest.runAllTimersAsync();
    expect([statuses, made()]).toEqual([[unavailable], 1]);
  });

  it('ends a call that is made after all', () => {
    const { interceptors, close } = retriesUntilClosed();
    close();
    const { statuses, made } = callThrough({ interceptors, fails: () => false });
    expect([statuses, made()]).toEqual([[cancelled], 0]);
  });
});
