// Pure: no server.
import type { ProviderConfig } from '../../../../src/providers/provider';
import { resolveEndpoint } from '../../../../src/providers/openai/endpoint';

const key = { OPENAI_API_KEY: 'sk-env' };

describe('resolveEndpoint', () => {
  it.each<[string, string, ProviderConfig, Record<string, string>, object]>([
    [
      'OpenAI by default',
      'openai',
      {},
      key,
      {
        api: 'openai-responses',
        baseURL: 'https://api.openai.com/v1',
        apiKey: 'sk-env',
        ownHost: true,
        maxTokensField: 'max_completion_tokens',
      },
    ],
    [
      'chat completions at OpenAI',
      'openai-chat',
      { api: 'openai-chat' },
      key,
      { api: 'openai-chat', ownHost: true },
    ],
    [
      'chat completions at another base URL',
      'openai',
      { baseURL: 'http://localhost:8000/v1' },
      key,
      { api: 'openai-chat', apiKey: 'sk-env', ownHost: false, maxTokensField: 'max_tokens' },
    ],
    [
      'chat completions where the environment points elsewhere',
      'openai',
      {},
      { ...key, OPENAI_BASE_URL: 'http://localhost:8000/v1' },
      { api: 'openai-chat', baseURL: 'http://localhost:8000/v1', apiKey: 'sk-env' },
    ],
    [
      'responses where the environment points to OpenAI',
      'openai',
      {},
      { ...key, OPENAI_BASE_URL: 'https://eu.api.openai.com/v1' },
      { api: 'openai-responses', ownHost: true },
    ],
    [
      'OpenAI where the base URL is blank',
      'openai',
      {},
      { ...key, OPENAI_BASE_URL: ' ' },
      { baseURL: 'https://api.openai.com/v1' },
    ],
    [
      'the api that is configured, wherever it is',
      'openai',
      { baseURL: 'http://localhost:8000/v1', api: 'openai-responses' },
      key,
      { api: 'openai-responses' },
    ],
    [
      'the api that the environment chooses',
      'openai',
      { baseURL: 'http://localhost:8000/v1' },
      { ...key, LONGHAUL_OPENAI_API: 'responses' },
      { api: 'openai-responses' },
    ],
    [
      'the configuration over the environment',
      'openai',
      { api: 'openai-responses', apiKey: 'sk-own', baseURL: 'https://gate/v1' },
      { ...key, LONGHAUL_OPENAI_API: 'openai-chat', OPENAI_BASE_URL: 'http://x/v1' },
      { api: 'openai-responses', apiKey: 'sk-own', baseURL: 'https://gate/v1' },
    ],
    [
      'no key of OpenAI for a server of another name',
      'ollama',
      { baseURL: 'http://localhost:11434/v1' },
      { ...key, LONGHAUL_OPENAI_API: 'responses' },
      { api: 'openai-chat', apiKey: undefined },
    ],
    [
      'a key of its own for a server of another name',
      'my-gate',
      { baseURL: 'https://gate/v1' },
      { ...key, MY_GATE_API_KEY: 'gate-key' },
      { apiKey: 'gate-key', secrets: ['gate-key'] },
    ],
    [
      'the field that limits the output',
      'vllm',
      { baseURL: 'http://localhost:8000/v1', maxTokensField: 'max_completion_tokens' },
      {},
      { maxTokensField: 'max_completion_tokens' },
    ],
    [
      'credentials in headers',
      'openai',
      { headers: { Authorization: 'Bearer abc', 'X-Title': 'app' } },
      {},
      { apiKey: undefined, secrets: ['Bearer abc'] },
    ],
  ])('finds %s', (_title, name, config, environment, expected) => {
    expect(resolveEndpoint(name, config, environment)).toMatchObject(expected);
  });

  it.each([
    ['a missing key', 'openai', {}, { OPENAI_API_KEY: ' ' }, 'Set OPENAI_API_KEY in'],
    [
      'a missing key of another name',
      'eu',
      { baseURL: 'https://eu.api.openai.com/v1' },
      {},
      'Set EU_API_KEY or OPENAI_API_KEY in',
    ],
    [
      'a URL that is none',
      'openai',
      { baseURL: 'localhost' },
      key,
      'the base URL localhost is not a URL',
    ],
    [
      'an api it does not speak',
      'openai',
      {},
      { ...key, LONGHAUL_OPENAI_API: 'grpc' },
      'grpc is not an API',
    ],
  ])('refuses %s', (_title, name, config, environment, message) => {
    expect(() => resolveEndpoint(name, config, environment)).toThrow(message);
  });
});
