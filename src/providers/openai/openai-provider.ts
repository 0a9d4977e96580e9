import { defined } from '../../base';
import type * as OpenAiSdk from 'openai';
import type { OpenAI } from 'openai';
import { loadPeer, LonghaulError } from '../../protocol';
import type {
  CallOptions,
  ModelProvider,
  ModelRequest,
  ModelResponse,
  ProviderConfig,
} from '../provider';
import { chatApi, type Endpoint, resolveEndpoint } from './endpoint';
import { callChat } from './chat/call-chat';
import { callResponses } from './responses/call-responses';
import { reportingFetch } from './call';

/** Temporal's timeouts and the idle timeout limit a call. The SDK's own timeout must never fire first. */
const timeoutMs = 24 * 60 * 60_000;

/** OpenAI with its Responses API, and every server with Chat Completions. */
export function createOpenAiProvider(name: string, config: ProviderConfig): ModelProvider {
  return new OpenAiProvider(name, config);
}

type Connection = { readonly endpoint: Endpoint; readonly client: OpenAI };

class OpenAiProvider implements ModelProvider {
  readonly name: string;
  readonly #config: ProviderConfig;
  #connection: Connection | undefined;

  constructor(name: string, config: ProviderConfig) {
    this.name = name;
    this.#config = config;
  }

  check(): string | undefined {
    try {
      this.#endpoint();
      return undefined;
    } catch (error) {
      if (LonghaulError.is(error)) return error.message;
      throw error;
    }
  }

  async call(request: ModelRequest, options: CallOptions): Promise<ModelResponse> {
    const { endpoint, client } = this.#connect();
    const target = { provider: this.name, model: request.model, secrets: endpoint.secrets };
    const extra = this.#config.extra === undefined ? {} : { extra: this.#config.extra };
    const context = { client, endpoint, target, ...extra };
    return endpoint.api === chatApi
      ? callChat(context, request, options)
      : callResponses(context, request, options);
  }

  #connect(): Connection {
    if (this.#connection === undefined) {
      const endpoint = this.#endpoint();
      this.#connection = { endpoint, client: openAiClient(endpoint, this.#config) };
    }
    return this.#connection;
  }

  #endpoint(): Endpoint {
    return resolveEndpoint(this.name, this.#config);
  }
}

/** Loads the SDK. A worker that never calls OpenAI does not load it. */
function openAiClient(endpoint: Endpoint, config: ProviderConfig): OpenAiSdk.OpenAI {
  const sdk = loadPeer(
    'openai',
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- Jest cannot run a native import() of the built package
    () => require('openai') as typeof OpenAiSdk,
  );
  return new sdk.OpenAI({
    apiKey: endpoint.apiKey ?? 'none',
    baseURL: endpoint.baseURL,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch: reportingFetch,
    ...defined({ defaultHeaders: config.headers }),
  });
}
