import type { InvalidToolCallContext } from '../core/machine/steps';
import type { InvalidToolCallAction } from '../protocol/agent-run';
import { deepFreeze, isJsonObject, type JsonObject } from '../base/json';
import type {
  AssistantPart,
  FinishReason,
  Message,
  ToolCallPart,
  ToolContent,
  Usage,
} from '../protocol/message';
import type { CallbacksSpec } from '../protocol/spec';
import { z } from 'zod';
import { describeValue } from '../base/problem';
import { parseOptions, refuseProblems, saidBy } from './options';
import { aFunction, runnerId, sessionKeys } from './schema/parts';
import type { ToolLog } from './tool';

/** Ends the run as `CallbackAbort`. Made by `abort`. */
export type Abort = { readonly kind: 'abort'; readonly reason: string };

/** Stands in for a response or a tool's result. Made by `overrideResponse`. */
export type OverrideResponse = { readonly kind: 'override'; readonly text: string };

export type CallbackAnswer = Abort | OverrideResponse;

/** What every hook is given. */
export type CallbackContext = {
  readonly workflowId: string;
  readonly agentId: string;
  /** The way from the root run to this agent, such as `pipeline/research/branch-2`. */
  readonly path: string;
  /** 1-based: the model call this belongs to. */
  readonly turn: number;
  /** Tool rounds so far. */
  readonly iteration: number;
  readonly maxIterations: number;
  /** The session keys the callbacks declare; change them in place. */
  readonly session: JsonObject;
  /** Given when the run was started, empty if nothing was; the model never sees it. */
  readonly context: JsonObject;
  /** Aborted when the run is cancelled, the call times out or the worker shuts down. */
  readonly signal: AbortSignal;
  readonly log: ToolLog;
};

export type BeforeModelCallContext = CallbackContext & {
  /** The conversation as the model is about to be sent it. */
  readonly messages: readonly Message[];
};

export type AfterModelCallContext = CallbackContext & {
  /** The conversation, the response included. */
  readonly messages: readonly Message[];
  readonly response: {
    readonly text: string;
    readonly content: readonly AssistantPart[];
    readonly usage: Usage;
    readonly finishReason: FinishReason;
  };
};

export type CallbackToolCall = {
  readonly callId: string;
  readonly name: string;
  readonly args: JsonObject;
};

export type BeforeToolCallContext = CallbackContext & { readonly call: CallbackToolCall };

export type AfterToolCallContext = BeforeToolCallContext & {
  readonly result: { readonly isError: boolean; readonly content: readonly ToolContent[] };
};

/** A call whose name is not allowed in this turn. */
export type OnInvalidToolCallContext = CallbackContext &
  Pick<InvalidToolCallContext, 'executable' | 'allowed' | 'toolChoice' | 'reason'> & {
    readonly call: ToolCallPart;
    /** The conversation, the turn with the call included. */
    readonly messages: readonly Message[];
  };

type Answer<Value> = Value | null | undefined | void;

/** Answers nothing to go on. */
export type CallbackHook<Context, Value = CallbackAnswer> = (
  context: Context,
) => Answer<Value> | Promise<Answer<Value>>;

/** The five hooks, each with its context. */
export type CallbackHooks = {
  readonly beforeModelCall?: CallbackHook<BeforeModelCallContext>;
  readonly afterModelCall?: CallbackHook<AfterModelCallContext>;
  readonly beforeToolCall?: CallbackHook<BeforeToolCallContext>;
  readonly afterToolCall?: CallbackHook<AfterToolCallContext>;
  readonly onInvalidToolCall?: CallbackHook<OnInvalidToolCallContext, InvalidToolCallAction>;
};

export type CallbacksDefinition = CallbackHooks & {
  readonly name: string;
  /** Session keys the hooks read and change. */
  readonly session?: readonly string[];
};

/** Callbacks: their data, which runs pin, and their code, which stays on the worker. Made by `defineCallbacks`. */
export type Callbacks = {
  readonly kind: 'callbacks';
  readonly name: string;
  readonly spec: CallbacksSpec;
  readonly hooks: CallbackHooks;
};

/** Answer of a hook that ends the run: it fails with `CallbackAbort` and this reason. */
export function abort(reason: string): Abort {
  return Object.freeze({ kind: 'abort', reason: textOf('abort', reason) });
}

/** Answer of a hook that gives the text itself: as the run's answer, or as a tool's result. */
export function overrideResponse(text: string): OverrideResponse {
  return Object.freeze({ kind: 'override', text: textOf('overrideResponse', text) });
}

function textOf(maker: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${maker} takes a text, not ${typeof value}`);
}

const hook = aFunction<CallbackHook<never, never>>().exactOptional();

const hooks = {
  beforeModelCall: hook,
  afterModelCall: hook,
  beforeToolCall: hook,
  afterToolCall: hook,
  onInvalidToolCall: hook,
} satisfies Record<keyof CallbackHooks, unknown>;

const hookNames = Object.keys(hooks) as (keyof CallbackHooks)[];

const callbacksOptions = z.strictObject({
  name: runnerId,
  session: sessionKeys.exactOptional(),
  ...hooks,
});

/**
 * Defines callbacks: code of yours that runs on the worker around the model and tool calls of the agents that list it.
 *
 * @example
 * const guard = defineCallbacks({
 *   name: 'guard',
 *   beforeToolCall: ({ call }) => (call.name === 'delete_all' ? abort('not on my watch') : undefined),
 * });
 */
export function defineCallbacks(definition: CallbacksDefinition): Callbacks {
  const named = saidBy(definition, 'name');
  const subject = typeof named === 'string' ? `Callbacks ${describeValue(named)}` : 'Callbacks';
  const parsed = parseOptions(callbacksOptions, definition, { subject, code: hookNames });
  const { name, session, ...given } = parsed;
  const message = `must have at least one of ${hookNames.join(', ')}`;
  refuseProblems(subject, Object.keys(given).length === 0 ? [{ path: '', message }] : []);
  const toolHooks = (['beforeToolCall', 'afterToolCall'] as const).filter((one) => one in given);
  const spec = {
    name,
    ...(session !== undefined && { session }),
    ...(toolHooks.length > 0 && { toolHooks }),
  };
  return Object.freeze({
    kind: 'callbacks',
    name,
    spec: deepFreeze(spec),
    hooks: Object.freeze(given as unknown as CallbackHooks),
  });
}

export function isCallbacks(value: unknown): value is Callbacks {
  return isJsonObject(value) && (value as { kind?: unknown }).kind === 'callbacks';
}
