// Pure: no server.
import type { LonghaulError } from '../../../src';
import { createWorker, LonghaulPlugin } from '../../../src/worker';
import { anAgent, aTool, refusalOf } from '../define/builders';

const call = () => Promise.reject(new Error('not called'));

describe('createWorker', () => {
  it.each([{ connection: { address: '127.0.0.1:7233' } }, { connection: null }])(
    'says what a connection is, before anything starts: $connection',
    async ({ connection }) => {
      await expect(createWorker({ connection: connection as never })).rejects.toMatchObject({
        code: 'InvalidInput',
        message: expect.stringContaining('createWorker({ address })') as string,
      });
    },
  );

  it('names a profile that is not there', async () => {
    await expect(createWorker({ profile: 'nowhere' })).rejects.toMatchObject({
      code: 'InvalidInput',
      message: expect.stringContaining("Profile 'nowhere' not found") as string,
    });
  });

  it.each([
    { options: null, message: 'createWorker: must be a plain object of options, not null' },
    {
      options: { runner: [anAgent()] },
      message: "createWorker: runner is not known; did you mean 'runners'?",
    },
    {
      options: { provider: {} },
      message: "createWorker: provider is not known; did you mean 'providers'?",
    },
    { options: { taskQueue: 7 }, message: 'createWorker: taskQueue must be a text, not 7' },
    {
      options: { workerOptions: 'x' },
      message:
        "createWorker: workerOptions must be an object of options of Temporal's worker, not 'x'",
    },
    { options: { onDelta: true }, message: 'createWorker: onDelta must be a function, not true' },
  ])('refuses options that are none: $message', async ({ options, message }) => {
    await expect(createWorker(options as never)).rejects.toMatchObject({
      code: 'SpecError',
      message,
    });
  });
});

const refusals = [
  {
    options: { runners: anAgent() },
    message: 'The registry: runners must be a list, not an object',
  },
  { options: { runners: null }, message: 'The registry: runners must be a list, not null' },
  {
    options: { tools: aTool('a') },
    message: 'The registry: tools must be a list, not an object',
  },
  { options: { callbacks: 'x' }, message: "The registry: callbacks must be a list, not 'x'" },
  { options: { criteria: {} }, message: 'The registry: criteria must be a list, not an object' },
  { options: { mcpServers: 1 }, message: 'The registry: mcpServers must be a list, not 1' },
  {
    options: { specs: 'agents: []', tools: {} },
    message: 'The registry: tools must be a list, not an object',
  },
  {
    options: { criteria: [null] },
    message: 'The registry: criteria[0] must come from criteria.custom, not be null',
  },
  {
    options: { connection: {} },
    message: 'LonghaulPlugin: connection is not known',
  },
  {
    options: { logCacheBytes: '64' },
    message: "LonghaulPlugin: logCacheBytes must be a whole number of at least 1, not '64'",
  },
  {
    options: { providers: [] },
    message: 'providers must be an object of providers by name, as in {openai: {…}}',
  },
  {
    options: { providers: { openai: null } },
    message:
      'Provider "openai" must be a provider with call(), or a configuration such as {apiKey, baseURL}, not null.',
  },
  {
    options: { providers: { openai: { name: 'mine', cal: call } } },
    message:
      'Provider "openai" has no call() and the unknown option "name"; a provider has call().',
  },
  {
    options: { providers: { openai: { apikey: 'x' } } },
    message:
      'Provider "openai" has no call() and the unknown option "apikey"; did you mean apiKey?',
  },
  { options: { prices: null }, message: "prices must be an object of prices by 'provider/model'" },
  { options: { stores: null }, message: 'stores must be an object of stores by name' },
  {
    options: { stores: { sessions: {} } },
    message: 'stores.sessions is unknown. Known stores: app, user, session, memory',
  },
];

describe('LonghaulPlugin', () => {
  it.each(refusals)('refuses options that are none: $message', ({ options, message }) => {
    let refusal: LonghaulError | undefined;
    try {
      new LonghaulPlugin(options as never);
    } catch (error) {
      refusal = error as LonghaulError;
    }
    expect(refusal).toMatchObject({ code: 'SpecError', message });
  });

  it('names all model providers that it does not have, also of summaries and in specs', () => {
    const runners = [
      anAgent({ id: 'editor', model: 'opnai/gpt-6.1-terra' }),
      anAgent({ id: 'writer', context: { model: 'mine/small', window: 100_000 } }),
    ];
    const specs = { text: 'agents: [{ id: reader, model: antropic/claude }]' };
    const providers = { ours: { baseURL: 'http://127.0.0.1:1' } };
    const has = 'Its providers: anthropic, gemini, google, openai, openai-chat, ours, vertex';
    expect(refusalOf(() => new LonghaulPlugin({ runners, specs, providers }))).toBe(
      [
        'SpecError: The worker has 3 problems:',
        `- agent 'editor' names the model provider 'opnai', which this worker does not have; did you mean 'openai'? ${has}`,
        `- agent 'writer' names the model provider 'mine', which this worker does not have. ${has}`,
        `- agent 'reader' names the model provider 'antropic', which this worker does not have; did you mean 'anthropic'? ${has}`,
      ].join('\n'),
    );
  });

  it('looks at a definition before a server is looked for', async () => {
    const runners = [anAgent({ id: 'one' }), anAgent({ id: 'one', instructions: 'other' })];
    const worker = createWorker({ runners, address: '127.0.0.1:1' });
    await expect(worker).rejects.toMatchObject({ code: 'SpecError' });
  });
});
