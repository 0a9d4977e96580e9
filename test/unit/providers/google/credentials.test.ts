// Pure: no server.
import { googleCredentials } from '../../../../src/providers/google/credentials';
import type { ProviderConfig } from '../../../../src/providers/provider';

const vertex = { project: 'p', location: 'europe-west1' };

type Environment = Record<string, string>;

describe('googleCredentials', () => {
  it.each<[string, ProviderConfig, Environment, RegExp]>([
    ['google', {}, {}, /^google: .*Set GEMINI_API_KEY or GOOGLE_API_KEY in/],
    ['google', {}, { GEMINI_API_KEY: ' ' }, /GEMINI_API_KEY or GOOGLE_API_KEY/],
    ['mine', {}, {}, /Set MINE_API_KEY or GEMINI_API_KEY or GOOGLE_API_KEY in/],
    ['vertex', {}, {}, /Set GOOGLE_CLOUD_PROJECT or GOOGLE_API_KEY in/],
    ['google', {}, { GOOGLE_GENAI_USE_VERTEXAI: 'true' }, /Set GOOGLE_CLOUD_PROJECT or/],
  ])('names what is missing for %s with %j and %j', (name, config, environment, missing) => {
    expect(googleCredentials(name, config, environment).missing).toMatchObject({
      kind: 'auth',
      message: expect.stringMatching(missing) as string,
    });
  });

  it.each<[string, ProviderConfig, Environment, { vertex: boolean; apiKey: string | undefined }]>([
    ['google', { apiKey: 'k1' }, { GOOGLE_API_KEY: 'k2' }, { vertex: false, apiKey: 'k1' }],
    ['google', {}, { GEMINI_API_KEY: 'k3' }, { vertex: false, apiKey: 'k3' }],
    ['google', {}, { GEMINI_API_KEY: 'k3', GOOGLE_API_KEY: 'k2' }, { vertex: false, apiKey: 'k2' }],
    ['mine', {}, { MINE_API_KEY: 'k4', GOOGLE_API_KEY: 'k2' }, { vertex: false, apiKey: 'k4' }],
    [
      'local',
      { baseURL: 'http://127.0.0.1:1' },
      { GOOGLE_API_KEY: 'k2' },
      { vertex: false, apiKey: 'none' },
    ],
    ['google', { headers: { 'x-goog-api-key': 'k5' } }, {}, { vertex: false, apiKey: 'none' }],
    ['google', { vertex }, { GOOGLE_API_KEY: 'k2' }, { vertex: true, apiKey: undefined }],
    ['google', { vertex, apiKey: 'k1' }, {}, { vertex: true, apiKey: 'k1' }],
    ['vertex', {}, { GOOGLE_CLOUD_PROJECT: 'p' }, { vertex: true, apiKey: undefined }],
    ['vertex', {}, { GOOGLE_API_KEY: 'k2' }, { vertex: true, apiKey: 'k2' }],
    [
      'google',
      {},
      { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_CLOUD_PROJECT: 'p' },
      { vertex: true, apiKey: undefined },
    ],
    [
      'google',
      { apiKey: 'k1' },
      { GOOGLE_GENAI_USE_VERTEXAI: 'true', GOOGLE_GENAI_USE_ENTERPRISE: 'false' },
      { vertex: false, apiKey: 'k1' },
    ],
  ])('finds what %s needs in %j and %j', (name, config, environment, expected) => {
    expect(googleCredentials(name, config, environment)).toMatchObject({
      ...expected,
      missing: undefined,
    });
  });
});
