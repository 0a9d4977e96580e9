import type * as OpenAiSdk from 'openai';
import { loadPeer } from '../../protocol/peers';
import type { ProviderConfig } from '../provider';
import type { Endpoint } from './endpoint';
import { reportingFetch } from './wire-activity';

/** Temporal's timeouts and the idle timeout bound a call; the SDK's own must never fire first. */
const timeoutMs = 24 * 60 * 60_000;

/** The SDK is loaded here and not before: a worker that never calls OpenAI does not pay for it. */
export function openAiClient(endpoint: Endpoint, config: ProviderConfig): OpenAiSdk.OpenAI {
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
    ...(config.headers === undefined ? {} : { defaultHeaders: config.headers }),
  });
}
