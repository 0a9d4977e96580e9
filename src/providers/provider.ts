import type { JsonObject, JsonSchema } from '../base/json';
import type {
  AssistantPart,
  FinishReason,
  Message,
  Origin,
  ResponseIds,
  Usage,
} from '../protocol/message';
import type { ModelSettings } from '../protocol/spec';

/** A tool as the model sees it. The schema goes to the provider verbatim. */
export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

export type RequestToolChoice = 'auto' | 'none' | 'required' | { readonly only: readonly string[] };

/** One model call, in neutral terms. Equal inputs give byte-equal wire requests: providers cache by prefix. */
export type ModelRequest = {
  readonly model: string;
  readonly instructions?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  readonly toolChoice: RequestToolChoice;
  /** JSON-schema output: the provider's native structured output. */
  readonly output?: { readonly name: string; readonly schema: JsonSchema };
  readonly settings: ModelSettings;
  /** Stable over the turns of a run: OpenAI's `prompt_cache_key`. */
  readonly cacheKey: string;
};

/** Whole response of one model call. Raw bodies stay behind: parts carry what must be echoed in `sealed`. */
export type ModelResponse = {
  readonly content: readonly AssistantPart[];
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly origin: Origin;
  readonly ids?: ResponseIds;
};

/** What arrives while the response streams. */
export type ModelDelta =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** `index` counts the calls of the turn; `name` comes with the first delta of a call, `args` as it streams. */
  | {
      readonly kind: 'tool-call';
      readonly index: number;
      readonly callId?: string;
      readonly name?: string;
      readonly args?: string;
    };

export type CallOptions = {
  /** Aborts the HTTP call: cancellation of the run, heartbeat loss, worker shutdown, the idle timeout, a `StreamCut`. */
  readonly signal: AbortSignal;
  /** Called for every delta, in order. A throw aborts the call and is rethrown. */
  readonly onDelta: (delta: ModelDelta) => void;
  /** Called for every chunk off the wire, deltas or not: feeds the idle timeout. */
  readonly onActivity: () => void;
};

/**
 * A model provider: one `call` is one HTTP attempt, streamed, retries off. Errors are `ProviderError`s; an abort by `signal` rejects
 * with the signal's reason, unless that is a `StreamCut` and the provider can say what has come until then: the content, its
 * last call with as much of its arguments, and the usage already told.
 */
export interface ModelProvider {
  readonly name: string;
  call(request: ModelRequest, options: CallOptions): Promise<ModelResponse>;
  /** Says what is missing (a key, by name) before the first call; undefined when ready. */
  check?(): string | undefined;
}

/** How the worker is told about a provider; `apiKey` and `baseURL` default to the SDK's own environment variables. */
export type ProviderConfig = {
  readonly api?:
    'openai-responses' | 'openai-chat' | 'anthropic-messages' | 'google-generate-content';
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Vertex: project and location instead of a key. */
  readonly vertex?: { readonly project: string; readonly location: string };
  /** Local servers differ: which field limits the output, and whether usage is streamed. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  readonly extra?: JsonObject;
};
