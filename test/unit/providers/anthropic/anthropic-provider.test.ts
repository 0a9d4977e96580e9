// Pure: no server.
import { anthropicCredentials } from '../../../../src/providers/anthropic/anthropic-provider';

describe('anthropicCredentials', () => {
  it.each([
    { name: 'anthropic', config: {}, env: {}, missing: /Set ANTHROPIC_API_KEY in/ },
    {
      name: 'anthropic',
      config: {},
      env: { ANTHROPIC_API_KEY: ' ' },
      missing: /ANTHROPIC_API_KEY/,
    },
    { name: 'mine', config: {}, env: {}, missing: /Set MINE_API_KEY or ANTHROPIC_API_KEY in/ },
  ])('names what is missing for $name with $env', ({ name, config, env, missing }) => {
    const found = anthropicCredentials(name, config, env);

    expect(found.missing).toMatch(missing);
    expect(found.apiKey).toBeUndefined();
  });

  it.each([
    { name: 'anthropic', config: { apiKey: 'k1' }, env: {}, apiKey: 'k1', secrets: ['k1'] },
    // The SDK reads these itself.
    {
      name: 'anthropic',
      config: {},
      env: { ANTHROPIC_API_KEY: 'k2' },
      apiKey: undefined,
      secrets: ['k2'],
    },
    {
      name: 'anthropic',
      config: {},
      env: { ANTHROPIC_PROFILE: 'p' },
      apiKey: undefined,
      secrets: [],
    },
    {
      name: 'anthropic',
      config: { headers: { 'X-Api-Key': 'k3' } },
      env: {},
      apiKey: undefined,
      secrets: ['k3'],
    },
    { name: 'mine', config: {}, env: { MINE_API_KEY: 'k4' }, apiKey: 'k4', secrets: ['k4'] },
    {
      name: 'local',
      config: { baseURL: 'http://127.0.0.1:1' },
      env: {},
      apiKey: 'none',
      secrets: [],
    },
    {
      name: 'local',
      config: { baseURL: 'http://127.0.0.1:1' },
      env: { ANTHROPIC_API_KEY: 'k5' },
      apiKey: 'none',
      secrets: ['k5'],
    },
  ])('finds what $name needs in $config and $env', ({ name, config, env, apiKey, secrets }) => {
    expect(anthropicCredentials(name, config, env)).toEqual({
      apiKey,
      secrets,
      missing: undefined,
    });
  });
});
