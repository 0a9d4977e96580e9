// Pure: no server.
import { z } from 'zod';
import { criteria, defineAgent } from '../../../src';
import { anAgent, aTool } from './builders';

describe('defineAgent', () => {
  it('keeps only what was given in the data', () => {
    const agent = defineAgent({
      id: 'weather',
      model: 'openai/gpt-5-mini',
      tools: [],
    });
    expect(agent).toEqual({
      kind: 'agent',
      id: 'weather',
      spec: { kind: 'agent', id: 'weather', model: { provider: 'openai', model: 'gpt-5-mini' } },
      tools: [],
      subAgents: [],
      mcpServers: [],
      callbacks: [],
      criteria: new Map(),
    });
  });

  it('writes every option into the data', () => {
    const decide = () => true;
    const tools = [aTool('search'), aTool('fetch')];
    const agent = defineAgent({
      id: 'research.v2',
      description: 'Finds things',
      model: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
      instructions: 'Be brief.',
      tools,
      toolConcurrency: 4,
      inlineReads: true,
      inlineTimeout: '1 minute',
      maxIterations: 7,
      maxTurns: 30,
      criteria: [
        criteria.keyword('DONE'),
        criteria.structuredOutput(),
        criteria.structuredOutput(z.object({ answer: z.string() })),
        criteria.custom('short', decide, { session: ['limit'] }),
      ],
      toolChoice: { only: ['search', 'ask_user'] },
      output: { schema: { type: 'array', items: { type: 'string' } } },
      settings: {
        temperature: 0,
        maxOutputTokens: 1000,
        stop: ['END'],
        reasoning: { effort: 'low', budgetTokens: 512 },
        extra: { service_tier: 'flex' },
      },
      askUser: 'tool',
      inputTimeout: '3 days',
      onInputTimeout: { answer: 'go on' },
      onInvalidToolCall: 'retry',
      maxInvalidToolCalls: 2,
      sessionPrecedence: 'store',
      budget: { maxTokens: 100_000, maxCostUsd: 0.5, onExceeded: 'fail' },
    });
    expect(agent.spec).toEqual({
      kind: 'agent',
      id: 'research.v2',
      description: 'Finds things',
      model: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
      instructions: 'Be brief.',
      tools: ['search', 'fetch'],
      toolConcurrency: 4,
      inlineReads: true,
      inlineTimeout: 60_000,
      maxIterations: 7,
      maxTurns: 30,
      criteria: [
        { kind: 'keyword', keyword: 'DONE' },
        { kind: 'structured-output' },
        {
          kind: 'structured-output',
          schema: {
            type: 'object',
            properties: { answer: { type: 'string' } },
            required: ['answer'],
          },
        },
        { kind: 'custom', name: 'short', session: ['limit'] },
      ],
      toolChoice: { only: ['search', 'ask_user'] },
      output: { schema: { type: 'array', items: { type: 'string' } } },
      settings: {
        temperature: 0,
        maxOutputTokens: 1000,
        stop: ['END'],
        reasoning: { effort: 'low', budgetTokens: 512 },
        extra: { service_tier: 'flex' },
      },
      askUser: 'tool',
      inputTimeoutMs: 259_200_000,
      onInputTimeout: { answer: 'go on' },
      onInvalidToolCall: 'retry',
      maxInvalidToolCalls: 2,
      sessionPrecedence: 'store',
      budget: { maxTokens: 100_000, maxCostUsd: 0.5, onExceeded: 'fail' },
    });
    expect(agent.tools).toEqual(tools);
    expect(agent.criteria.get('short')).toBe(decide);
    expect(JSON.parse(JSON.stringify(agent.spec))).toStrictEqual(agent.spec);
  });

  it.each([
    ['openai/gpt-5-mini', 'openai', 'gpt-5-mini'],
    ['ollama/llama3.1:8b', 'ollama', 'llama3.1:8b'],
    ['openrouter/meta/llama', 'openrouter', 'meta/llama'],
  ])('reads the model %s', (text, provider, model) => {
    expect(anAgent({ model: text }).spec.model).toEqual({ provider, model });
  });

  it.each([
    ['askUser: false', { askUser: false }],
    ['no rounds of tools', { maxIterations: 0 }],
    ["toolChoice 'none'", { toolChoice: 'none' }],
  ] as const)('takes %s', (_name, options) => {
    expect(anAgent(options).spec).toMatchObject(options);
  });

  it('takes the limit of criteria.maxIterations, the last one, over the option', () => {
    const limits = [criteria.maxIterations(3), criteria.maxIterations(0)];
    expect(anAgent({ maxIterations: 7, criteria: limits }).spec).toEqual({
      kind: 'agent',
      id: 'weather',
      model: { provider: 'openai', model: 'gpt-5-mini' },
      maxIterations: 0,
    });
  });

  it('leaves options that are undefined out', () => {
    const options = { description: undefined, tools: undefined, criteria: undefined };
    expect(anAgent(options as never).spec).toStrictEqual(anAgent().spec);
  });

  it('lets a tool be called ask_user while nobody is asked by tool', () => {
    expect(anAgent({ tools: [aTool('ask_user')], askUser: 'marker' }).spec.tools).toEqual([
      'ask_user',
    ]);
  });

  it('cannot be changed, and does not freeze what it was given', () => {
    const settings = { extra: { a: { b: 1 } } };
    const agent = anAgent({
      settings,
      tools: [aTool()],
      criteria: [criteria.custom('c', () => true)],
    });
    const change = (target: unknown) => () => Object.assign(target as object, { id: 'x' });
    expect(change(agent)).toThrow(TypeError);
    expect(change(agent.spec.model)).toThrow(TypeError);
    expect(change(agent.spec.settings?.extra?.a)).toThrow(TypeError);
    expect(change(agent.tools)).toThrow(TypeError);
    expect(() => (agent.criteria as Map<string, unknown>).clear()).toThrow(
      'A definition is immutable',
    );
    expect(Object.isFrozen(settings.extra)).toBe(false);
  });

  it('writes its memory into the data', () => {
    const memory = { kind: 'windowed', turns: 8, store: 'main' } as const;
    expect(anAgent({ memory }).spec.memory).toEqual(memory);
    expect(anAgent({ memory: { kind: 'full' } }).spec.memory).toEqual({ kind: 'full' });
  });

  it('writes its context into the data: the model that summarises and the sizes as text or not', () => {
    const rest = { window: 128_000, compactAt: 0.5, keepTurns: 2 };
    const written = {
      ...rest,
      clearResults: { olderThan: 3, over: '4 KiB' },
      model: 'google/gemini-2.5-flash',
    };
    const expected = {
      ...rest,
      clearResults: { olderThan: 3, over: 4096 },
      model: { provider: 'google', model: 'gemini-2.5-flash' },
    };
    expect(anAgent({ context: written }).spec.context).toEqual(expected);
    expect(anAgent({ context: expected }).spec.context).toEqual(expected);
    expect(anAgent({ context: { clearResults: false } }).spec.context).toEqual({
      clearResults: false,
    });
    expect(anAgent({ context: {} }).spec.context).toEqual({});
  });
});
