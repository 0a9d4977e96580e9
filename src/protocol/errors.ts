/**
 * Every error of Longhaul has a `code` that survives workflow failures: it is the `type` of the ApplicationFailure, and what the
 * client catches has the same `code` as what was thrown three children deep.
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
  'ThreadBusy',
  'TurnCut',
  'ProtocolError',
  'StateError',
  'InternalError',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export type ProviderErrorKind =
  | 'rate_limited'
  | 'unavailable'
  | 'rejected'
  | 'auth'
  | 'quota'
  | 'context_length'
  | 'bad_response';

/** What an error carries besides its message: plain JSON, at most 2 KiB, no secrets. */
export type ErrorDetails = { readonly [key: string]: unknown };

export type ErrorOptions = {
  readonly cause?: unknown;
  readonly retryable?: boolean;
  readonly details?: ErrorDetails;
};

const marker = Symbol.for('longhaul.error');

/** The root of Longhaul's errors. `instanceof` fails across the workflow sandbox and Jest realms: use `LonghaulError.is` and `code`. */
export class LonghaulError extends Error {
  readonly code: ErrorCode;
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

/** True for a Longhaul error of this code, whichever realm or package copy made it. */
export function hasCode<Code extends ErrorCode>(
  value: unknown,
  code: Code,
): value is LonghaulError & { readonly code: Code } {
  return LonghaulError.is(value) && value.code === code;
}

/** An error of a model provider, classified. `retryAfterMs` is the provider's own word and is obeyed. */
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
      /** Of a run that failed with it: what that run adds. */
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
