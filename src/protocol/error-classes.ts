// One class for each code that needs no fields of its own. Those with fields stand in `core/errors.ts` and in `errors.ts`.

import { hasCode, LonghaulError, type ErrorCode, type ErrorOptions } from './errors';

type Plain<Code extends ErrorCode> = LonghaulError & { readonly code: Code };

type ErrorClass<Code extends ErrorCode> = {
  new (message: string, options?: ErrorOptions): Plain<Code>;
  /** Works across realms and package copies, where `instanceof` does not. */
  is(value: unknown): value is Plain<Code>;
};

function errorOf<Code extends ErrorCode>(code: Code): ErrorClass<Code> {
  class PlainError extends LonghaulError {
    declare readonly code: Code;

    constructor(message: string, options?: ErrorOptions) {
      super(code, message, options);
    }

    static override is(value: unknown): value is Plain<Code> {
      return hasCode(value, code);
    }
  }
  return PlainError;
}

/** A message was to be refused while a turn is running, and one is. */
export class ThreadBusy extends errorOf('ThreadBusy') {}

/** No worker knows the runner; the message names the nearest ids. */
export class AgentNotFound extends errorOf('AgentNotFound') {}

/** The input was answered before, with another answer. */
export class AlreadyAnswered extends errorOf('AlreadyAnswered') {}

/** Several inputs are open: name one by `inputId`. */
export class AmbiguousInput extends errorOf('AmbiguousInput') {}

/** The run reached its budget of tokens or cost. */
export class BudgetExceeded extends errorOf('BudgetExceeded') {}

/** An agent was to call one of its own ancestors. */
export class CircularAgentCall extends errorOf('CircularAgentCall') {}

/** Runs are nested too deeply. */
export class DepthExceeded extends errorOf('DepthExceeded') {}

/** A policy forbids the call of this agent. */
export class DisallowedAgentCall extends errorOf('DisallowedAgentCall') {}

/** The client encrypts and the worker does not, or the other way round. */
export class EncryptionMismatch extends errorOf('EncryptionMismatch') {}

/** Nobody answered within `inputTimeout`. */
export class InputTimeout extends errorOf('InputTimeout') {}

/** A run was started with a spec, and the worker takes none, or not this one. */
export class InlineSpecRefused extends errorOf('InlineSpecRefused') {}

/** An error of ours: the run fails visibly instead of retrying for ever. Worth a bug report. */
export class InternalError extends errorOf('InternalError') {}

/** The answer is empty, too large, not JSON, or of the wrong kind. */
export class InvalidAnswer extends errorOf('InvalidAnswer') {}

/** What a run was to be started with is not valid. */
export class InvalidInput extends errorOf('InvalidInput') {}

/** No worker polls the task queue; the run is safe and waits for one. */
export class NoWorker extends errorOf('NoWorker') {}

/** This worker lacks a tool, criterion or provider that another one may have. */
export class NotRegisteredHere extends errorOf('NotRegisteredHere') {}

/** The run has no such open input. */
export class NotWaiting extends errorOf('NotWaiting') {}

/** A call with `effect: 'once'` was cut off: it may or may not have taken effect. */
export class OutcomeUnknown extends errorOf('OutcomeUnknown') {}

/** An optional package that something needs is not installed; the message has the command that installs it. */
export class PackageMissing extends errorOf('PackageMissing') {}

/** The project has two copies of Temporal's SDK, or a version of it that is not tested. */
export class SdkMismatch extends errorOf('SdkMismatch') {}

/** All branches failed, or one whose result is needed. */
export class ParallelFailed extends errorOf('ParallelFailed') {}

/** A value is larger than what may be stored. */
export class PayloadTooLarge extends errorOf('PayloadTooLarge') {}

/** A run of this id is open or has completed. */
export class RunAlreadyExists extends errorOf('RunAlreadyExists') {}

/** The run has ended. */
export class RunClosed extends errorOf('RunClosed') {}

/** The run has taken as many answers as the server lets one execution take. */
export class RunFull extends errorOf('RunFull') {}

/** There is no run of this id. */
export class RunNotFound extends errorOf('RunNotFound') {}

/** Temporal, or what runs it, cannot be reached or found. */
export class ServerUnavailable extends errorOf('ServerUnavailable') {}

/** The session is larger than what may be kept. */
export class SessionTooLarge extends errorOf('SessionTooLarge') {}

/** A definition is not valid; the message says where. */
export class SpecError extends errorOf('SpecError') {}

/** A store failed. */
export class StoreError extends errorOf('StoreError') {}

/** A tool failed, and says that this ends the run. Thrown by a tool, it is not tried again. */
export class ToolError extends errorOf('ToolError') {}

/** The run has grown beyond what it can carry on. */
export class TranscriptTooLarge extends errorOf('TranscriptTooLarge') {}

const plainErrors = {
  AgentNotFound,
  AlreadyAnswered,
  AmbiguousInput,
  BudgetExceeded,
  CircularAgentCall,
  DepthExceeded,
  DisallowedAgentCall,
  EncryptionMismatch,
  InlineSpecRefused,
  InputTimeout,
  InternalError,
  InvalidAnswer,
  InvalidInput,
  NoWorker,
  NotRegisteredHere,
  NotWaiting,
  OutcomeUnknown,
  PackageMissing,
  ParallelFailed,
  PayloadTooLarge,
  RunAlreadyExists,
  RunClosed,
  RunFull,
  RunNotFound,
  SdkMismatch,
  ServerUnavailable,
  SessionTooLarge,
  SpecError,
  StoreError,
  ThreadBusy,
  ToolError,
  TranscriptTooLarge,
};

export type PlainErrorCode = keyof typeof plainErrors;

/** The error of a code that came over the wire, as an instance of its class where that needs no fields. */
export function errorOfCode(
  code: ErrorCode,
  message: string,
  options?: ErrorOptions,
): LonghaulError {
  if (!Object.hasOwn(plainErrors, code)) return new LonghaulError(code, message, options);
  return new plainErrors[code as PlainErrorCode](message, options);
}
