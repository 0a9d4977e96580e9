// Pure: no server.
import type { ModelProvider, ProviderConfig } from '../../../src/providers/provider';
import { requireProviderPackages, resolveProviders } from '../../../src/providers/registry';

const variables = [
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
];
const own: ModelProvider = { name: 'own', call: () => Promise.reject(new Error('not called')) };

describe('resolveProviders', () => {
  const before = { ...process.env };
  beforeEach(() => variables.forEach((variable) => delete process.env[variable]));
  afterAll(() => {
    process.env = before;
  });

  it('knows the built-in providers without any configuration', () => {
    const providers = resolveProviders();

    expect([...providers].map(([name, provider]) => [name, provider.name])).toEqual(
      ['openai', 'openai-chat', 'anthropic', 'google', 'gemini', 'vertex'].map((name) => [
        name,
        name,
      ]),
    );
  });

  it.each([
    ['openai', 'OPENAI_API_KEY'],
    ['openai-chat', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GEMINI_API_KEY'],
    ['gemini', 'GEMINI_API_KEY'],
  ])('says which variable %s misses, until it is there', (name, variable) => {
    const provider = resolveProviders().get(name);

    expect(provider?.check?.()).toContain(variable);
    process.env[variable] = 'a-key';
    expect(provider?.check?.()).toBeUndefined();
  });

  it('takes providers made elsewhere, also under a built-in name', () => {
    const providers = resolveProviders({ mine: own, google: own, openai: own });

    expect(providers.get('mine')).toBe(own);
    expect(providers.get('google')).toBe(own);
    expect(providers.get('gemini')).toBe(own);
    expect(providers.get('openai-chat')).not.toBe(own);
  });

  it('makes an OpenAI-compatible provider of a base URL, which needs no key', () => {
    const provider = resolveProviders({ ollama: { baseURL: 'http://localhost:11434/v1' } }).get(
      'ollama',
    );

    expect(provider?.name).toBe('ollama');
    expect(provider?.check?.()).toBeUndefined();
  });

  it('makes an alias of a configured provider ready with it', () => {
    const providers = resolveProviders({
      openai: { apiKey: 'a-key' },
      google: { apiKey: 'b-key' },
    });

    expect(providers.get('openai-chat')?.check?.()).toBeUndefined();
    expect(providers.get('gemini')?.check?.()).toBeUndefined();
    expect(providers.get('anthropic')?.check?.()).toContain('ANTHROPIC_API_KEY');
  });

  it.each([
    ['no api', {}, 'Provider "house" has no api.'],
    ['an unknown api', { api: 'telepathy' }, 'Provider "house" has the unknown api "telepathy".'],
    ['an inherited key as api', { api: 'toString' }, 'has the unknown api "toString"'],
  ])('refuses a provider with %s', (_name, config, message) => {
    expect(() => resolveProviders({ house: config as ProviderConfig })).toThrow(message);
  });

  it('is not fooled by names of object members', () => {
    expect(resolveProviders().get('constructor')).toBeUndefined();
  });
});

describe('requireProviderPackages', () => {
  const nothingInstalled = (name: string): never => {
    throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
  };

  it.each<[string, string, Record<string, ProviderConfig | ModelProvider>]>([
    ['openai', 'openai', {}],
    ['anthropic', '@anthropic-ai/sdk', {}],
    ['gemini', '@google/genai', {}],
    ['vertex', '@google/genai', {}],
    ['ollama', 'openai', { ollama: { baseURL: 'http://127.0.0.1:11434/v1' } }],
    ['claude', '@anthropic-ai/sdk', { claude: { api: 'anthropic-messages' } }],
    ['openai-chat', 'openai', { openai: own }],
  ])('refuses %s without %s', (provider, name, configs) => {
    expect(() => requireProviderPackages([provider], configs, nothingInstalled)).toThrow(
      expect.objectContaining({ code: 'PackageMissing', details: { package: name } }) as Error,
    );
  });

  it.each<[string, Record<string, ProviderConfig | ModelProvider>]>([
    ['openai', { openai: own }],
    ['gemini', { google: own }],
    ['unknown', {}],
  ])('lets %s be when it is %j', (provider, configs) => {
    expect(() => requireProviderPackages([provider], configs, nothingInstalled)).not.toThrow();
  });

  it('finds all of them here', () => {
    expect(() => requireProviderPackages(['openai', 'anthropic', 'google'])).not.toThrow();
  });
});
