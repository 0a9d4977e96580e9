import type * as sdkModule from '@anthropic-ai/sdk';
import type * as schemaModule from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { JsonSchema } from '../../base/json';
import { timeouts } from '../../protocol/limits';
import { loadPeer } from '../../protocol/peers';
import { unredirectedFetch } from '../bounded-body';
import type { ProviderConfig } from '../provider';

/* eslint-disable @typescript-eslint/no-require-imports -- Jest cannot run a native import() of the built package */

/** The SDK is loaded here and not before: a worker that never calls Anthropic does not pay for it. */
export function anthropicClient(
  config: ProviderConfig,
  apiKey: string | undefined,
): sdkModule.Anthropic {
  const sdk = loadPeer('@anthropic-ai/sdk', () => require('@anthropic-ai/sdk') as typeof sdkModule);
  return new sdk.Anthropic({
    maxRetries: 0,
    fetch: unredirectedFetch,
    // Also lifts the SDK's own refusal of calls that may take longer than 10 minutes.
    timeout: timeouts.modelScheduleToClose,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(config.baseURL === undefined ? {} : { baseURL: config.baseURL }),
    ...(config.headers === undefined ? {} : { defaultHeaders: config.headers }),
    // Its warnings quote what the model said; they are for whoever asks for them.
    ...(process.env['ANTHROPIC_LOG'] === undefined ? { logLevel: 'off' } : {}),
  });
}

/** The SDK knows which keywords the API takes, and says the others in descriptions. What it cannot rewrite goes as it is. */
export function supportedSchema(schema: JsonSchema): JsonSchema {
  const path = '@anthropic-ai/sdk/lib/transform-json-schema';
  const { transformJSONSchema } = require(path) as typeof schemaModule;
  try {
    return transformJSONSchema(schema);
  } catch {
    return schema;
  }
}
