// Pure: no server.
import type { AgentSpec, Json } from '../../../src';
import { parseRunnerSpec, tryParseRunnerSpec } from '../../../src/define/parse-spec';

import { refusalOf } from './builders';

const minimal = {
  kind: 'agent',
  id: 'weather',
  model: { provider: 'openai', model: 'gpt-5-mini' },
} as const;

const complete = {
  ...minimal,
  description: 'Tells the weather',
  instructions: '',
  tools: ['search', 'fetch'],
  toolConcurrency: 2,
  inlineReads: true,
  inlineTimeout: 5000,
  maxIterations: 0,
  maxTurns: 9,
  criteria: [
    { kind: 'keyword', keyword: 'DONE' },
    { kind: 'structured-output', schema: { type: 'object' } },
    { kind: 'custom', name: 'short', session: ['limit'] },
  ],
  toolChoice: { only: ['fetch'] },
  output: { schema: { type: 'object' } },
  settings: { temperature: 1, stop: ['END'], reasoning: { effort: 'none' }, extra: { a: [1] } },
  askUser: 'marker',
  inputTimeoutMs: 1000,
  onInputTimeout: 'fail',
  onInvalidToolCall: 'ignore',
  maxInvalidToolCalls: 0,
  sessionPrecedence: 'caller',
  budget: { maxCostUsd: 1 },
  memory: {
    kind: 'windowed',
    turns: 0,
    store: 'main',
  },
  context: {
    window: 1000,
    compactAt: 1,
    keepTurns: 1,
    clearResults: { olderThan: 0, over: 256 },
    model: { provider: 'a', model: 'b' },
  },
};

describe('parseRunnerSpec', () => {
  it.each([
    ['minimal', minimal],
    ['complete', complete],
  ])('takes a %s spec as it is', (_name, spec) => {
    expect(parseRunnerSpec(spec)).toStrictEqual(spec);
  });

  it('takes how long inline calls may take as text', () => {
    const spec = { ...minimal, inlineTimeout: '5s' };
    expect(parseRunnerSpec(spec)).toMatchObject({ inlineTimeout: 5000 });
  });

  it('takes the model as text', () => {
    const spec = { ...minimal, model: 'openrouter/meta/llama' };
    expect(parseRunnerSpec(spec)).toMatchObject({
      model: { provider: 'openrouter', model: 'meta/llama' },
    });
    expect(spec.model).toBe('openrouter/meta/llama');
  });

  it('gives a frozen copy', () => {
    const spec = { ...minimal, settings: { extra: {} } };
    const { settings } = parseRunnerSpec(spec) as AgentSpec;
    expect(() => Object.assign(settings?.extra ?? {}, { a: 1 })).toThrow(TypeError);
    expect(Object.isFrozen(spec.settings.extra)).toBe(false);
  });

  it.each<[string, Json, string, string]>([
    ['text', 'weather', '', "must be an object, not 'weather'"],
    ['an array', [minimal], '', 'must be an object, not an array'],
    ['null', null, '', 'must be an object, not null'],
    [
      'another kind',
      { ...minimal, kind: 'agnet' },
      'kind',
      "must be one of 'agent', 'sequential', 'parallel', 'graph', not 'agnet'; did you mean 'agent'?",
    ],
    [
      'a model without provider',
      { ...minimal, model: 'gpt' },
      'model',
      "must be 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}, not 'gpt'",
    ],
    ['an unknown key', { ...minimal, systemPrompt: 'x' }, 'systemPrompt', 'is not known'],
    [
      'an option of code',
      { ...minimal, inputTimeout: '3 days' },
      'inputTimeout',
      "is not known; did you mean 'inputTimeoutMs' or 'onInputTimeout' or 'inlineTimeout'?",
    ],
    [
      'a bad id',
      { ...minimal, id: '../x' },
      'id',
      "must be 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit, not '../x'",
    ],
    [
      'tools that are objects',
      { ...minimal, tools: [{ name: 'a' }] },
      'tools[0]',
      "must be 1 to 64 letters, digits, '_' or '-', not an object",
    ],
    ['a tool twice', { ...minimal, tools: ['a', 'a'] }, 'tools[1]', "lists 'a' a second time"],
    [
      'the prototype as a tool',
      { ...minimal, tools: ['__proto__'] },
      'tools[0]',
      "must be 1 to 64 letters, digits, '_' or '-', not '__proto__'",
    ],
    [
      'rounds as text',
      { ...minimal, maxIterations: '5' },
      'maxIterations',
      "must be a whole number of at least 0, not '5'",
    ],
    [
      'rounds beyond counting',
      { ...minimal, maxIterations: 2 ** 60 },
      'maxIterations',
      'must be a whole number of at least 0, not 1152921504606847000',
    ],
    [
      'a criterion of another kind',
      { ...minimal, criteria: [{ kind: 'max-iterations', limit: 3 }] },
      'criteria[0].kind',
      "must be one of 'keyword', 'structured-output', 'custom', not 'max-iterations'",
    ],
    [
      'a pattern with look-ahead',
      {
        ...minimal,
        output: { schema: { type: 'object', properties: { a: { pattern: '(?=a)' } } } },
      },
      'output.schema.properties.a.pattern',
      "uses look-ahead or look-behind; write it without, or check it in code: '(?=a)'",
    ],
    [
      'a schema of another draft',
      { ...minimal, output: { schema: { $schema: 'http://json-schema.org/draft-03/schema#' } } },
      'output.schema.$schema',
      "must name draft 2020-12, 2019-09 or draft-07, not 'http://json-schema.org/draft-03/schema#'",
    ],
    [
      'a timeout of nothing',
      { ...minimal, inputTimeoutMs: 0 },
      'inputTimeoutMs',
      'must be a whole number of at least 1, not 0',
    ],
    [
      'an empty answer',
      { ...minimal, inputTimeoutMs: 1, onInputTimeout: { answer: '' } },
      'onInputTimeout.answer',
      'must be a text that is not empty, not an empty string',
    ],
    [
      'ask_user among its tools',
      { ...minimal, askUser: 'tool', tools: ['ask_user'] },
      'tools[0]',
      "must not be 'ask_user': that name is taken while askUser is 'tool'; rename the tool",
    ],
    [
      'a tool with the name of one of ours',
      { ...minimal, tools: ['search', 'read_result'] },
      'tools[1]',
      "must not be 'read_result': that name is taken for reading stored results; rename the tool",
    ],
    [
      'a session key of ours',
      { ...minimal, criteria: [{ kind: 'custom', name: 'c', session: ['__proto__'] }] },
      'criteria[0].session[0]',
      "must not be '__proto__': that key is reserved",
    ],
    [
      'the prototype as a key',
      JSON.parse('{"kind":"agent","__proto__":{}}') as Json,
      '',
      "must not have the key '__proto__'",
    ],
    ['an inherited name as a key', { ...minimal, toString: 1 }, 'toString', 'is not known'],
  ])('refuses %s', (_name, spec, path, message) => {
    expect(tryParseRunnerSpec(spec)).toEqual({ ok: false, problems: [{ path, message }] });
  });

  it('throws one error for all that is wrong', () => {
    expect(refusalOf(() => parseRunnerSpec({ kind: 'agent', id: 'x', maxTurns: 0 }))).toBe(
      [
        "SpecError: Agent 'x' has 2 problems:",
        "- model is required: 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}",
        '- maxTurns must be a whole number of at least 1, not 0',
      ].join('\n'),
    );
  });
});
