import type { InvalidToolCallContext } from '../core/machine/steps';
import type {
  AssistantPart,
  CallbacksSpec,
  FinishReason,
  InvalidToolCallAction,
  Message,
  ToolCallPart,
  ToolContent,
  Usage,
} from '../protocol';
import { deepFreeze, defined, describeValue, isJsonObject, type JsonObject } from '../base';
import { z } from 'zod';
import { parseOptions, refuseProblems, saidBy } from './options';
import { aFunction, runnerId, sessionKeys } from './schema/parts';
import type { ToolLog } from './tool';

/** A hook's answer that fails the run with `CallbackAbort`. Made by `abort`. */
export type Abort = { readonly kind: 'abort'; readonly reason: string };

/** A hook's answer that takes the place of a response or of a tool's result. Made by `overrideResponse`. */
export type OverrideResponse = { readonly kind: 'override'; readonly text: string };

export type CallbackAnswer = Abort | OverrideResponse;

/** What every hook gets. */
export type CallbackContext = {
  readonly workflowId: string;
  readonly agentId: string;
  /** The way from the root run to this agent, such as `pipeline/research/branch-2`. */
  readonly path: string;
  /** The number of the model call, from 1. */
  readonly turn: number;
  /** Rounds of tool calls so far. */
  readonly iteration: number;
  readonly maxIterations: number;
  /** The session keys that the callbacks declare. Change them in place. */
  readonly session: JsonObject;
  /** The `context` of the run's start, by default `{}`. The model never sees it. */
  readonly context: JsonObject;
  /** Aborted when the run is cancelled, the call times out or the worker shuts down. */
  readonly signal: AbortSignal;
  readonly log: ToolLog;
};

export type BeforeModelCallContext = CallbackContext & {
  /** The conversation that the model is about to get. */
  readonly messages: readonly Message[];
};

export type AfterModelCallContext = CallbackContext & {
  /** The conversation with the response. */
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

/** A call of a tool that is not allowed in this turn. */
export type OnInvalidToolCallContext = CallbackContext &
  Pick<InvalidToolCallContext, 'executable' | 'allowed' | 'toolChoice' | 'reason'> & {
    readonly call: ToolCallPart;
    /** The conversation with the turn that made the call. */
    readonly messages: readonly Message[];
  };

type HookAnswer<Value> = Value | null | undefined | void;

/** A hook returns nothing to go on, or an answer. It may be asynchronous. */
export type CallbackHook<Context, Value = CallbackAnswer> = (
  context: Context,
) => HookAnswer<Value> | Promise<HookAnswer<Value>>;

/** The five hooks. `CallbackHooks['beforeToolCall']` is the type of one. */
export type CallbackHooks = {
  readonly beforeModelCall?: CallbackHook<BeforeModelCallContext>;
  readonly afterModelCall?: CallbackHook<AfterModelCallContext>;
  readonly beforeToolCall?: CallbackHook<BeforeToolCallContext>;
  readonly afterToolCall?: CallbackHook<AfterToolCallContext>;
  readonly onInvalidToolCall?: CallbackHook<OnInvalidToolCallContext, InvalidToolCallAction>;
};

/** The options of `defineCallbacks`: a name, and at least one hook. */
export type CallbacksDefinition = CallbackHooks & {
  readonly name: string;
  /** The session keys that the hooks read and change. */
  readonly session?: readonly string[];
};

/** Callbacks. Runs pin the data; the code stays on the worker. Made by `defineCallbacks`. */
export type Callbacks = {
  readonly kind: 'callbacks';
  readonly name: string;
  readonly spec: CallbacksSpec;
  readonly hooks: CallbackHooks;
};

/** A hook returns this to end the run. The run fails with `CallbackAbort` and this reason. */
export function abort(reason: string): Abort {
  return Object.freeze({ kind: 'abort', reason: textOf('abort', reason) });
}

/** A hook returns this to set the text: of the run's answer, or of the tool's result. */
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
 * Defines callbacks: your code around the model calls and tool calls of the agents that list it. It runs on the worker. Throws a
 * `SpecError` for wrong options.
 *
 * @example
 * const guard = defineCallbacks({
 *   name: 'guard',
 *   beforeToolCall: ({ call }) => (call.name === 'delete_all' ? abort('nobody deletes everything') : undefined),
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
    ...defined({ session }),
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
