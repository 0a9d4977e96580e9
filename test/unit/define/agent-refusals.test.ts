// Pure: no server.
import { z } from 'zod';
import { criteria, defineAgent, type AgentOptions } from '../../../src';
import { anAgent, aTool, refusalOf } from './builders';

describe('defineAgent', () => {
  it('lists all that is wrong', () => {
    const options = { maxIteration: 3, maxTurns: 0, tools: [aTool('a b'.replace(' ', '_')), {}] };
    expect(refusalOf(() => anAgent(options as never))).toBe(
      [
        "SpecError: Agent 'weather' has 3 problems:",
        '- maxTurns must be a whole number of at least 1, not 0',
        '- tools[1] must be what defineTool, activityTool, subAgent or mcpTools returns, not an object',
        "- maxIteration is not known; did you mean 'maxIterations'?",
      ].join('\n'),
    );
  });

  it('lists at most 20 problems', () => {
    const options = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`zz${index}`, 1]));
    const message = refusalOf(() => anAgent(options));
    expect(message.split('\n')).toHaveLength(22);
    expect(message).toMatch(/^SpecError: Agent 'weather' has 25 problems:\n[^]*\n- … and 5 more$/);
  });

  const toolRule =
    'must be what criteria.keyword, structuredOutput, maxIterations or custom returns, not';
  const idRule = "1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit";
  const effects = "must be one of 'none', 'minimal', 'low', 'medium', 'high', not 'max'";
  const schemaRule = 'must be a Standard Schema (zod, valibot, …) or a JSON Schema object';

  it.each<[string, Partial<Record<keyof AgentOptions, unknown>>, string]>([
    [
      'a memory of another kind',
      { memory: { kind: 'in_memory' } },
      "memory.kind must be one of 'full', 'windowed', not 'in_memory'",
    ],
    [
      'a windowed memory without turns',
      { memory: { kind: 'windowed' } },
      'memory.turns is required: a whole number of turns, 0 or more',
    ],
    [
      'a summary by no model',
      { context: { model: 'gpt' } },
      "context.model must be 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}, not 'gpt'",
    ],
    ['a description that is no text', { description: 5 }, 'description must be a string, not 5'],
    [
      'instructions in parts',
      { instructions: ['a'] },
      'instructions must be a string, not an array',
    ],
    [
      'no model',
      { model: undefined },
      "model is required: 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}",
    ],
    [
      'a model without provider',
      { model: 'gpt-5-mini' },
      "model must be 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}, not 'gpt-5-mini'",
    ],
    [
      'a provider without model',
      { model: 'openai/' },
      "model must be 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}, not 'openai/'",
    ],
    [
      'a model without a provider name',
      { model: '/gpt' },
      "model must be 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}, not '/gpt'",
    ],
    [
      'a model that is a number',
      { model: 5 },
      "model must be 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}, not 5",
    ],
    [
      'a provider with a space',
      { model: 'open ai/gpt' },
      `model.provider must be ${idRule}, not 'open ai'`,
    ],
    [
      'a model with a space',
      { model: { provider: 'openai', model: 'gpt 5' } },
      "model.model must be a model name without spaces, not 'gpt 5'",
    ],
    [
      'half a model',
      { model: { provider: 'openai' } },
      'model.model is required: a model name without spaces',
    ],
    [
      'more than a model',
      { model: { provider: 'openai', model: 'x', temperature: 1 } },
      'model.temperature is not known',
    ],
    ['tools that are no array', { tools: { a: 1 } }, 'tools must be an array, not an object'],
    [
      'a tool by name',
      { tools: ['search'] },
      "tools[0] must be what defineTool, activityTool, subAgent or mcpTools returns, not 'search'",
    ],
    [
      'no concurrency',
      { toolConcurrency: 0 },
      'toolConcurrency must be a whole number from 1 to 32, not 0',
    ],
    [
      'more calls at a time than one message carries',
      { toolConcurrency: 33 },
      'toolConcurrency must be a whole number from 1 to 32, not 33',
    ],
    ['no time for inline calls', { inlineTimeout: 0 }, 'inlineTimeout must be more than 0, not 0'],
    [
      'inline calls that take more than a minute',
      { inlineTimeout: '61s' },
      'inlineTimeout must be at most 60 seconds',
    ],
    [
      'inline reads by name',
      { inlineReads: ['search'] },
      'inlineReads must be true or false, not an array',
    ],
    [
      'negative rounds',
      { maxIterations: -1 },
      'maxIterations must be a whole number of at least 0, not -1',
    ],
    [
      'half a round',
      { maxIterations: 1.5 },
      'maxIterations must be a whole number of at least 0, not 1.5',
    ],
    ['endless rounds', { maxIterations: Infinity }, 'maxIterations must be JSON, not Infinity'],
    [
      'rounds in words',
      { maxIterations: '3' },
      "maxIterations must be a whole number of at least 0, not '3'",
    ],
    ['no model call', { maxTurns: 0 }, 'maxTurns must be a whole number of at least 1, not 0'],
    ['criteria that are no array', { criteria: 'DONE' }, "criteria must be an array, not 'DONE'"],
    ['a criterion that is none', { criteria: ['DONE'] }, `criteria[0] ${toolRule} 'DONE'`],
    [
      'a criterion of another kind',
      { criteria: [{ kind: 'regex' }] },
      `criteria[0] ${toolRule} an object`,
    ],
    [
      'an empty keyword',
      { criteria: [criteria.keyword('')] },
      'criteria[0].keyword must be a text that is not empty, not an empty string',
    ],
    [
      'a negative limit',
      { criteria: [criteria.maxIterations(-1)] },
      'criteria[0].limit must be a whole number of at least 0, not -1',
    ],
    [
      'a criterion without code',
      { criteria: [{ kind: 'custom', name: 'short' }] },
      'criteria[0].evaluate is required: a function',
    ],
    [
      'a criterion without name',
      { criteria: [criteria.custom(undefined as never, () => true)] },
      "criteria[0].name is required: 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit",
    ],
    [
      'a criterion with a bad name',
      { criteria: [criteria.custom('a b', () => true)] },
      "criteria[0].name must be 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit, not 'a b'",
    ],
    [
      'a criterion with a reserved session key',
      { criteria: [criteria.custom('c', () => true, { session: ['__a'] })] },
      "criteria[0].session[0] must not be '__a': that key is reserved",
    ],
    [
      'two criteria of one name',
      { criteria: [criteria.custom('c', () => true), criteria.custom('c', () => false)] },
      "criteria[1] has the name 'c', which criteria[0] already has",
    ],
    [
      'a wrong schema of a criterion',
      { criteria: [criteria.structuredOutput({ type: 'object', required: 1 })] },
      'criteria[0].schema.required must be a list of texts, not 1',
    ],
    [
      'a schema of text for a criterion',
      { criteria: [criteria.structuredOutput(z.string())] },
      "criteria[0].schema must describe an object or an array, not 'string'",
    ],
    [
      'a schema of a criterion that is none',
      { criteria: [criteria.structuredOutput('x' as never)] },
      `criteria[0].schema ${schemaRule}, not 'x'`,
    ],
    [
      'a pattern with look-ahead',
      { criteria: [criteria.structuredOutput({ items: { pattern: '(?=a)' } })] },
      "criteria[0].schema.items.pattern uses look-ahead or look-behind; write it without, or check it in code: '(?=a)'",
    ],
    [
      'an unknown tool choice',
      { toolChoice: 'any' },
      "toolChoice must be 'auto', 'none', 'required' or {only: [tool names]}, not 'any'",
    ],
    ['a choice of no tools', { toolChoice: { only: [] } }, 'toolChoice.only must not be empty'],
    [
      'a choice of another tool',
      { tools: [aTool('search')], toolChoice: { only: ['serch'] } },
      "toolChoice.only[0] must be a tool of the agent, not 'serch'; did you mean 'search'?",
    ],
    [
      'required tools without tools',
      { toolChoice: 'required' },
      "toolChoice must not be 'required' for an agent without tools",
    ],
    [
      'an output that is no object',
      { output: z.object({}) },
      'output must be {schema: …}, not the schema itself',
    ],
    ['an output without schema', { output: {} }, `output.schema ${schemaRule}, not undefined`],
    [
      'a wrong schema of the output',
      { output: { schema: { type: 'thing' } } },
      "output.schema.type must be one of string, number, integer, boolean, array, object, null, or a list of them, not 'thing'",
    ],
    [
      'an output of text',
      { output: { schema: { type: 'string' } } },
      "output.schema must describe an object or an array, not 'string'",
    ],
    [
      'an unknown setting',
      { settings: { temprature: 1 } },
      "settings.temprature is not known; did you mean 'temperature'?",
    ],
    [
      'a hot temperature',
      { settings: { temperature: 3 } },
      'settings.temperature must be a number from 0 to 2, not 3',
    ],
    [
      'a temperature that is none',
      { settings: { temperature: NaN } },
      'settings.temperature must be JSON, not NaN',
    ],
    [
      'no output',
      { settings: { maxOutputTokens: 0 } },
      'settings.maxOutputTokens must be a whole number of at least 1, not 0',
    ],
    [
      'an empty stop',
      { settings: { stop: [''] } },
      'settings.stop[0] must be a text that is not empty, not an empty string',
    ],
    [
      'an unknown effort',
      { settings: { reasoning: { effort: 'max' } } },
      `settings.reasoning.effort ${effects}`,
    ],
    [
      'extra settings that are no JSON',
      { settings: { extra: { at: new Date(0) } } },
      'settings.extra.at must be JSON, not a Date',
    ],
    [
      'an unknown way to ask',
      { askUser: true },
      "askUser must be one of 'tool', 'marker', false, 'never', not true",
    ],
    [
      'a tool named like ours',
      { askUser: 'tool', tools: [aTool('ask_user')] },
      "tools[0] must not be 'ask_user': that name is taken while askUser is 'tool'; rename the tool",
    ],
    [
      'a timeout without unit',
      { inputTimeout: '3' },
      "inputTimeout must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not '3'",
    ],
    [
      'an unknown end of a wait',
      { inputTimeout: 1, onInputTimeout: 'stop' },
      "onInputTimeout must be 'fail' or {answer: 'text'}, not 'stop'",
    ],
    [
      'an answer in place of a person that nobody could give',
      { inputTimeout: 1, onInputTimeout: { answer: ' \n' } },
      'onInputTimeout.answer must say something',
    ],
    [
      'an answer in place of a person that is too long',
      { inputTimeout: 1, onInputTimeout: { answer: '€'.repeat(22_000) } },
      'onInputTimeout.answer has 66000 bytes; at most 65536 are taken',
    ],
    [
      'an end without a timeout',
      { onInputTimeout: 'fail' },
      'onInputTimeout has no effect unless inputTimeout is set',
    ],
    [
      'an unknown way to recover',
      { onInvalidToolCall: 'skip' },
      "onInvalidToolCall must be one of 'retry', 'fail', 'ignore', not 'skip'",
    ],
    [
      'negative recoveries',
      { maxInvalidToolCalls: -1 },
      'maxInvalidToolCalls must be a whole number of at least 0, not -1',
    ],
    [
      'an unknown precedence',
      { sessionPrecedence: 'both' },
      "sessionPrecedence must be one of 'caller', 'store', not 'both'",
    ],
    ['an empty budget', { budget: {} }, 'budget must have maxTokens, maxCostUsd or both'],
    [
      'a budget of nothing',
      { budget: { maxCostUsd: 0 } },
      'budget.maxCostUsd must be a number of more than 0, not 0',
    ],
    [
      'a budget in text',
      { budget: { maxTokens: '1k' } },
      "budget.maxTokens must be a whole number of at least 1, not '1k'",
    ],
    ['an option of later', { retries: 3 } as object, 'retries is not known'],
    [
      'a mistyped option',
      { instruction: 'x' } as object,
      "instruction is not known; did you mean 'instructions'?",
    ],
  ])('refuses %s', (_name, options, message) => {
    const refusal = refusalOf(() => anAgent(options as never));
    expect(refusal).toBe(`SpecError: Agent 'weather': ${message}`);
  });

  it('refuses two tools of one name, naming both', () => {
    const tools = [aTool('search'), aTool('fetch'), aTool('search')];
    expect(refusalOf(() => anAgent({ tools }))).toBe(
      "SpecError: Agent 'weather': tools holds tool 'search' twice: at tools[0] ('Runs search') and tools[2] ('Runs search')",
    );
  });

  it.each([
    ['with a space', 'my agent', "SpecError: Agent 'my agent': id must be"],
    ['starting with a dot', '.hidden', "SpecError: Agent '.hidden': id must be"],
    ['too long', 'x'.repeat(101), `SpecError: Agent '${'x'.repeat(80)}…': id must be`],
    ['empty', '', 'SpecError: Agent an empty string: id must be'],
    ['that is a number', 5, 'SpecError: An agent: id must be'],
  ])('refuses an id %s', (_name, id, message) => {
    expect(refusalOf(() => anAgent({ id: id as never }))).toContain(`${message} ${idRule}, not `);
  });

  it('refuses what is no definition', () => {
    expect(refusalOf(() => defineAgent('weather' as never))).toBe(
      "SpecError: An agent: must be a plain object of options, not 'weather'",
    );
  });
});
