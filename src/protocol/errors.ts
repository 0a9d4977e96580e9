/**
 * Every error of Longhaul has a `code`. It is the `type` of the ApplicationFailure. So the client catches an error with its original
 * code, even from deep in the tree of runs.
 */
export const errorCodes = [
  'MaxIterationsExceeded',
  'MaxTurnsExceeded',
  'CallbackAbort',
  'CircularAgentCall',
  'DisallowedAgentCall',
  'ProviderError',
  'ToolError',
  'InvalidToolCall',
  'StoreError',
  'SpecError',
  'BudgetExceeded',
  'InputTimeout',
  'RunCancelled',
  'AgentNotFound',
  'NotRegisteredHere',
  'RunNotFound',
  'RunAlreadyExists',
  'RunClosed',
  'RunFull',
  'NotWaiting',
  'AlreadyAnswered',
  'AmbiguousInput',
  'InvalidAnswer',
  'NotPermitted',
  'InputChanged',
  'TokenInvalid',
  'InvalidInput',
  'InlineSpecRefused',
  'ServerUnavailable',
  'NoWorker',
  'EncryptionMismatch',
  'PackageMissing',
  'SdkMismatch',
  'PayloadTooLarge',
  'SessionTooLarge',
  'TranscriptTooLarge',
  'DepthExceeded',
  'OutcomeUnknown',
  'ParallelFailed',
  'StreamCut',
  'ThreadBusy',
  'TurnCut',
  'MigrationRefused',
  'ProtocolError',
  'StateError',
  'InternalError',
] as const;

/** The codes of errors. `docs/errors.md` explains them. */
export type ErrorCode = (typeof errorCodes)[number];

export type ProviderErrorKind =
  | 'rate_limited'
  | 'unavailable'
  | 'rejected'
  | 'auth'
  | 'quota'
  | 'context_length'
  | 'bad_response';

/** Facts about an error: plain JSON of at most 2 KiB, without secrets. */
export type ErrorDetails = { readonly [key: string]: unknown };

export type ErrorOptions = {
  readonly cause?: unknown;
  readonly retryable?: boolean;
  readonly details?: ErrorDetails;
};

const marker = Symbol.for('longhaul.error');

/** Every error of Longhaul. Use `LonghaulError.is` and `hasCode`: `instanceof` fails across the sandbox, Jest and copies of the package. */
export class LonghaulError extends Error {
  readonly code: ErrorCode;
  /** True if the same call may succeed later. */
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = code;
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
    Object.defineProperty(this, marker, { value: true });
  }

  static is(value: unknown): value is LonghaulError {
    return (
      typeof value === 'object' &&
      value !== null &&
      (value as Record<symbol, unknown>)[marker] === true
    );
  }
}

/** True for an error of Longhaul with this code, from any realm and any copy of the package. */
export function hasCode<Code extends ErrorCode>(
  value: unknown,
  code: Code,
): value is LonghaulError & { readonly code: Code } {
  return LonghaulError.is(value) && value.code === code;
}

/** A failed model call. `kind` is the kind of failure. Longhaul waits for `retryAfterMs`, if the provider named a time. */
export class ProviderError extends LonghaulError {
  readonly kind: ProviderErrorKind;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(
    kind: ProviderErrorKind,
    message: string,
    options: {
      cause?: unknown;
      retryAfterMs?: number;
      status?: number;
      provider?: string;
      retryable?: boolean;
      /** Facts that a failed run adds. */
      details?: ErrorDetails;
    } = {},
  ) {
    const details = {
      ...options.details,
      kind,
      status: options.status,
      provider: options.provider,
    };
    super('ProviderError', message, {
      cause: options.cause,
      retryable:
        options.retryable ??
        (kind === 'rate_limited' || kind === 'unavailable' || kind === 'bad_response'),
      details,
    });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }

  static override is(value: unknown): value is ProviderError {
    return hasCode(value, 'ProviderError');
  }
}
