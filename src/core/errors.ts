import { LonghaulError, hasCode } from '../protocol/errors';
import { oneLine } from '../base';
import type { FinishReason, Message } from '../protocol/message';

/** The run made `limit` model calls and did not end. `unsent` is the message that it would have sent next. */
export class MaxTurnsExceeded extends LonghaulError {
  readonly limit: number;
  readonly unsent: Message;
  readonly history: readonly Message[];

  constructor(fields: { limit: number; unsent: Message; history: readonly Message[] }) {
    super(
      'MaxTurnsExceeded',
      `The run used its ${fields.limit} model calls without finishing; raise maxTurns or narrow the task.`,
      { details: { limit: fields.limit } },
    );
    this.limit = fields.limit;
    this.unsent = fields.unsent;
    this.history = fields.history;
  }

  static override is(value: unknown): value is MaxTurnsExceeded {
    return hasCode(value, 'MaxTurnsExceeded');
  }
}

/** The model asked for tools again after `limit` rounds of tool calls. */
export class MaxIterationsExceeded extends LonghaulError {
  readonly limit: number;
  readonly history: readonly Message[];

  constructor(fields: { limit: number; history: readonly Message[] }) {
    super(
      'MaxIterationsExceeded',
      `The model asked for tools again after ${fields.limit} rounds of tool calls; raise maxIterations or narrow the task.`,
      { details: { limit: fields.limit } },
    );
    this.limit = fields.limit;
    this.history = fields.history;
  }

  static override is(value: unknown): value is MaxIterationsExceeded {
    return hasCode(value, 'MaxIterationsExceeded');
  }
}

/** The model called a tool that it may not call, and the run could not recover. */
export class InvalidToolCall extends LonghaulError {
  readonly toolName: string;
  readonly executable: readonly string[];
  readonly allowed: readonly string[];
  readonly history: readonly Message[];

  constructor(
    message: string,
    fields: {
      toolName: string;
      executable: readonly string[];
      allowed: readonly string[];
      history: readonly Message[];
    },
  ) {
    const { toolName, executable, allowed } = fields;
    const few = (names: readonly string[]): readonly string[] => names.slice(0, 10);
    super('InvalidToolCall', message, {
      details: {
        toolName: oneLine(toolName, 100),
        executable: few(executable),
        allowed: few(allowed),
      },
    });
    this.toolName = toolName;
    this.executable = executable;
    this.allowed = allowed;
    this.history = fields.history;
  }

  static override is(value: unknown): value is InvalidToolCall {
    return hasCode(value, 'InvalidToolCall');
  }
}

/** The provider cut the turn before the turn had an answer. */
export class TurnCut extends LonghaulError {
  readonly finishReason: FinishReason;
  readonly history: readonly Message[];

  constructor(fields: { finishReason: FinishReason; history: readonly Message[] }) {
    const advice =
      fields.finishReason === 'content_filter'
        ? 'the provider filtered the content: change the prompt or the model'
        : 'the output token limit was reached: raise it or lower the reasoning effort';
    super(
      'TurnCut',
      `The model's turn ended with "${fields.finishReason}" before it held an answer; ${advice}.`,
      { details: { finishReason: fields.finishReason } },
    );
    this.finishReason = fields.finishReason;
    this.history = fields.history;
  }

  static override is(value: unknown): value is TurnCut {
    return hasCode(value, 'TurnCut');
  }
}

/** Somebody cancelled the run. `reason` is their text, unchanged. */
export class RunCancelled extends LonghaulError {
  readonly reason: string;
  readonly history: readonly Message[];

  constructor(fields: { reason: string; history: readonly Message[] }) {
    super('RunCancelled', `The run was cancelled: ${fields.reason}`, {
      details: { reason: fields.reason },
    });
    this.reason = fields.reason;
    this.history = fields.history;
  }

  static override is(value: unknown): value is RunCancelled {
    return hasCode(value, 'RunCancelled');
  }
}

/** A callback aborted the run. `reason` is the callback's text, unchanged. */
export class CallbackAbort extends LonghaulError {
  readonly reason: string;
  readonly history: readonly Message[];

  constructor(fields: { reason: string; history: readonly Message[] }) {
    super('CallbackAbort', `A callback aborted the run: ${fields.reason}`, {
      details: { reason: fields.reason },
    });
    this.reason = fields.reason;
    this.history = fields.history;
  }

  static override is(value: unknown): value is CallbackAbort {
    return hasCode(value, 'CallbackAbort');
  }
}

const classes = {
  MaxTurnsExceeded,
  MaxIterationsExceeded,
  InvalidToolCall,
  TurnCut,
  RunCancelled,
  CallbackAbort,
};

/**
 * Makes an error that came over the wire an instance of its class. The wire carries the details, but not the conversation, so `history`
 * is empty.
 */
export function asMachineError(error: LonghaulError): LonghaulError {
  if (!Object.hasOwn(classes, error.code)) return error;
  const { prototype } = classes[error.code as keyof typeof classes];
  const unsent: Message = { role: 'user', parts: [] };
  const missing = error.code === 'MaxTurnsExceeded' ? { history: [], unsent } : { history: [] };
  Object.setPrototypeOf(error, prototype);
  return Object.assign(error, error.details, missing);
}
