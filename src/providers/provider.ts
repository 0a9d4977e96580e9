import type {
  AssistantPart,
  FinishReason,
  Message,
  ModelDelta,
  ModelSettings,
  Origin,
  ResponseIds,
  Usage,
} from '../protocol';
import type { JsonObject, JsonSchema } from '../base';

/** A tool as the model sees it. The schema goes to the provider verbatim. */
export type { ModelDelta } from '../protocol';

export type ToolDeclaration = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
};

export type RequestToolChoice = 'auto' | 'none' | 'required' | { readonly only: readonly string[] };

/** One model call, in terms of no provider. Equal inputs must give byte-equal requests, because providers cache by prefix. */
export type ModelRequest = {
  readonly model: string;
  readonly instructions?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDeclaration[];
  readonly toolChoice: RequestToolChoice;
  /** The JSON Schema for the provider's native structured output. */
  readonly output?: { readonly name: string; readonly schema: JsonSchema };
  readonly settings: ModelSettings;
  /** The same in all turns of a run, such as OpenAI's `prompt_cache_key`. */
  readonly cacheKey: string;
};

/** The whole response of one model call, without raw bodies. `sealed` holds what must go back to the provider. */
export type ModelResponse = {
  readonly content: readonly AssistantPart[];
  readonly usage: Usage;
  readonly finishReason: FinishReason;
  readonly origin: Origin;
  readonly ids?: ResponseIds;
};

export type CallOptions = {
  /** Ends the HTTP call: when the run is cancelled, the worker shuts down, nothing arrives for too long, or by a `StreamCut`. */
  readonly signal: AbortSignal;
  /** Called for every delta, in order. A throw aborts the call and is rethrown. */
  readonly onDelta: (delta: ModelDelta) => void;
  /** Called for every chunk of the response. It resets the idle timeout. */
  readonly onActivity: () => void;
};

/**
 * A model provider. One `call` is one streamed HTTP attempt without retries. It rejects with a `ProviderError`, or with the reason of
 * `signal`. After a `StreamCut` it may resolve with what has arrived: the content, the last call with the arguments so far, and the usage.
 */
export interface ModelProvider {
  readonly name: string;
  call(request: ModelRequest, options: CallOptions): Promise<ModelResponse>;
  /** Returns what is missing for a call, such as the name of a key. Undefined if nothing is missing. */
  check?(): string | undefined;
}

/** Settings of a provider. `apiKey` and `baseURL` default to the environment variables of the provider's SDK. */
export type ProviderConfig = {
  readonly api?:
    'openai-responses' | 'openai-chat' | 'anthropic-messages' | 'google-generate-content';
  readonly apiKey?: string;
  readonly baseURL?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For Vertex: a project and a location instead of a key. */
  readonly vertex?: { readonly project: string; readonly location: string };
  /** The field that limits the output. Local servers differ. Default: `max_completion_tokens` for OpenAI itself, else `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  readonly extra?: JsonObject;
};
