// Pure: no server.
import { toCliError, UsageError } from '../../../src/cli/exit';
import { exitCodeOf } from '../../../src/cli/exit';
import { errorCodes, LonghaulError } from '../../../src/protocol/errors';

const grpcError = (code: number, details: string): Error =>
  new Error('failed', { cause: Object.assign(new Error(`${code} ${details}`), { code, details }) });

describe('toCliError', () => {
  it.each([
    {
      name: 'an error of Longhaul',
      error: new LonghaulError('RunNotFound', "there is no run 'a'", {
        details: { workflowId: 'a' },
      }),
      expected: {
        code: 'RunNotFound',
        message: "there is no run 'a'",
        details: { workflowId: 'a' },
      },
    },
    {
      name: 'several problems in as many lines, without escapes',
      error: new LonghaulError('SpecError', 'two problems:\n\n- one\n  - \u001b[31mtwo'),
      expected: { code: 'SpecError', message: 'two problems:\n- one\n  - two', details: {} },
    },
    {
      name: "the text of somebody else's error on one line",
      error: new LonghaulError('ToolError', 'two\nlines'),
      expected: { code: 'ToolError', message: 'two lines', details: {} },
    },
    {
      name: 'wrong usage',
      error: new UsageError('no'),
      expected: { code: 'UsageError', message: 'no', details: {} },
    },
    {
      name: 'a server that went away',
      error: grpcError(14, 'gone'),
      expected: {
        code: 'ServerUnavailable',
        message: 'the Temporal server does not answer: gone',
        details: {},
      },
    },
    {
      name: 'refused credentials',
      error: grpcError(16, 'bad token'),
      expected: {
        code: 'ServerUnavailable',
        message: 'the Temporal server refuses the credentials: bad token',
        details: {},
      },
    },
    {
      name: 'anything else',
      error: 'text',
      expected: { code: 'InternalError', message: 'text', details: {} },
    },
  ])('reports $name', ({ error, expected }) => {
    expect(toCliError(error)).toEqual(expected);
  });

  it('names a namespace that does not exist', () => {
    const { code, message } = toCliError(grpcError(5, 'Namespace x is not found.'));
    expect([code, message]).toEqual([
      'ServerUnavailable',
      expect.stringMatching(/^Namespace x is not found\. Create it with `temporal operator/),
    ]);
  });

  it('cuts long messages', () => {
    expect(toCliError(new Error('x'.repeat(100_000))).message).toHaveLength(2_001);
  });
});

describe('exitCodeOf', () => {
  it('gives every error its exit code', () => {
    const codes = ['UsageError', ...errorCodes].filter((code) => exitCodeOf(code) !== 1);
    expect(Object.fromEntries(codes.map((code) => [code, exitCodeOf(code)]))).toEqual({
      UsageError: 2,
      InvalidInput: 2,
      RunCancelled: 4,
      ServerUnavailable: 5,
      NoWorker: 5,
    });
  });
});
