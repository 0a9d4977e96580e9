import { ProviderError } from '../../src/protocol/errors';
import type { ContractTest, ProviderDialect } from './provider-dialect';
import { LocalServer, type Answer } from './provider-servers';
import { aRequest, recordedOptions } from './provider-requests';

type ErrorCase = {
  readonly title: string;
  readonly answer: Pick<Answer, 'status' | 'headers'>;
  readonly type: string;
  readonly expected: object;
};

const cases: readonly ErrorCase[] = [
  {
    title: 'a rate limit with Retry-After in seconds',
    answer: { status: 429, headers: { 'retry-after': '7' } },
    type: 'rate_limit_error',
    expected: { kind: 'rate_limited', retryable: true, retryAfterMs: 7000 },
  },
  {
    title: 'a rate limit without Retry-After',
    answer: { status: 429 },
    type: 'rate_limit_error',
    expected: { kind: 'rate_limited', retryable: true },
  },
  {
    title: 'a server error',
    answer: { status: 500 },
    type: 'api_error',
    expected: { kind: 'unavailable', retryable: true },
  },
  {
    title: 'an overloaded server',
    answer: { status: 529 },
    type: 'overloaded_error',
    expected: { kind: 'unavailable', retryable: true },
  },
  {
    title: 'a refused key',
    answer: { status: 401 },
    type: 'authentication_error',
    expected: { kind: 'auth', retryable: false },
  },
  {
    title: 'a refused request',
    answer: { status: 400 },
    type: 'invalid_request_error',
    expected: { kind: 'rejected', retryable: false },
  },
  {
    title: 'an unpaid account',
    answer: { status: 402 },
    type: 'billing_error',
    expected: { kind: 'quota', retryable: false },
  },
];

/** Error answers: classified, redacted, one request each. */
export function errorContract(dialect: ProviderDialect, test: ContractTest): void {
  const json = { 'content-type': 'application/json' };
  let server: LocalServer | undefined;

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  const failureOf = async (answer: Answer): Promise<unknown> => {
    server = await LocalServer.answering(answer);
    const provider = dialect.create(server.url);
    return provider.call(aRequest(dialect), recordedOptions().options).then(
      () => new Error('The call succeeded.'),
      (error: unknown) => error,
    );
  };

  for (const { title, answer, type, expected } of cases) {
    test(`classifies ${title}, after exactly one request`, async () => {
      const body = JSON.stringify(dialect.errorBody({ message: 'the reason', type }));
      const headers = { ...json, ...answer.headers };
      const error = await failureOf({ ...answer, headers, frames: [body] });

      expect(ProviderError.is(error)).toBe(true);
      expect(error).toMatchObject({ status: answer.status, ...expected });
      expect((error as Error).message).toMatch(/the reason/);
      expect((error as Error).message).toContain(dialect.model);
      expect(server?.requests).toHaveLength(1);
    });
  }

  test('keeps secrets out of the message', async () => {
    const message = 'Incorrect key sk-live-1234567890abcdef, sent as Bearer abc.def.ghi';
    const body = JSON.stringify(dialect.errorBody({ message, type: 'authentication_error' }));
    const error = await failureOf({ status: 401, headers: json, frames: [body] });

    expect((error as Error).message).toContain(
      'Incorrect key [redacted], sent as Bearer [redacted]',
    );
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('1234567890');
  });

  test('clips a message as long as a page', async () => {
    const body = `<html>${'x'.repeat(100_000)}</html>`;
    const headers = { 'content-type': 'text/html' };
    const error = await failureOf({ status: 502, headers, frames: [body] });

    expect(error).toMatchObject({ kind: 'unavailable', status: 502 });
    expect(Buffer.byteLength((error as Error).message)).toBeLessThanOrEqual(1024);
  });

  test('classifies a refused connection', async () => {
    const gone = await LocalServer.answering({});
    await gone.stop();

    const call = dialect.create(gone.url).call(aRequest(dialect), recordedOptions().options);

    await expect(call).rejects.toMatchObject({
      code: 'ProviderError',
      kind: 'unavailable',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED') as string,
    });
  });
}
