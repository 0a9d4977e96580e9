// Pure: no server.
import { desk, refusals, twoAgents } from './bad-specs';

describe('loadSpec', () => {
  it.each<[string, string, string[]]>([
    [
      'an unknown section',
      'agent:\n  - id: desk\n',
      ["1:1 agent is not known; did you mean 'agents'?"],
    ],
    [
      'an unknown field',
      desk('    maxIteration: 3\n'),
      ["4:5 agents[0].maxIteration is not known; did you mean 'maxIterations'?"],
    ],
    [
      'an unknown field in snake case',
      desk('    max_iteration: 3\n'),
      ["4:5 agents[0].max_iteration is not known; did you mean 'maxIterations'?"],
    ],
    [
      'an unknown field like nothing',
      desk('    colour: red\n'),
      ['4:5 agents[0].colour is not known'],
    ],
    [
      'a field in both spellings',
      desk('    maxIterations: 3\n    max_iterations: 4\n'),
      ["5:5 agents[0].max_iterations is the same field as 'maxIterations': keep one of them"],
    ],
    [
      'a field by our name and the other one',
      desk('    instructions: a\n    system_prompt: b\n'),
      ["5:5 agents[0].system_prompt is the same field as 'instructions': keep one of them"],
    ],
    [
      'agents that are no list',
      'agents:\n  id: desk\n',
      ['2:3 agents must be an array, not an object'],
    ],
    [
      'an agent that is none',
      'agents:\n  - desk\n',
      ["2:5 agents[0] must be an agent: {id, model, …}, not 'desk'"],
    ],
    [
      'no id',
      'agents:\n  - model: openai/x\n',
      [
        "2:5 agents[0].id is required: 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit",
      ],
    ],
    [
      'an id without value',
      'agents:\n  - id:\n    model: openai/x\n',
      [
        "2:5 agents[0].id is required: 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit",
      ],
    ],
    [
      'an id with a space',
      'agents:\n  - { id: my desk, model: openai/x }\n',
      [
        "2:11 agents[0].id must be 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit, not 'my desk'",
      ],
    ],
    [
      'an id that is a number',
      'agents:\n  - { id: 5, model: openai/x }\n',
      [
        "2:11 agents[0].id must be 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit, not 5",
      ],
    ],
    [
      'a wrong field beside a missing one',
      'agents:\n  - id: desk\n    inputTimeout: soon\n',
      [
        "2:5 agents[0].model is required: 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}",
        "3:19 agents[0].inputTimeout must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not 'soon'",
      ],
    ],
    [
      'a wrong field beside a broken rule across others',
      desk('    inputTimeout: soon\n    toolChoice: required\n'),
      [
        "4:19 agents[0].inputTimeout must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not 'soon'",
        "5:17 agents[0].toolChoice must not be 'required' for an agent without tools",
      ],
    ],
    [
      'a wrong field that a rule looks at',
      desk('    inputTimeout: soon\n    onInputTimeout: fail\n'),
      [
        "4:19 agents[0].inputTimeout must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not 'soon'",
      ],
    ],
    [
      'a misspelt field that a rule misses',
      desk('    inputTimeuot: 1h\n    onInputTimeout: fail\n'),
      ["4:5 agents[0].inputTimeuot is not known; did you mean 'inputTimeout' or 'onInputTimeout'?"],
    ],
    [
      'no model',
      'agents:\n  - id: desk\n    instructions: Answer.\n',
      [
        "2:5 agents[0].model is required: 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}",
      ],
    ],
    [
      'a model without provider',
      'agents:\n  - { id: desk, model: gpt-5-mini }\n',
      [
        "2:24 agents[0].model must be 'provider/model', such as 'openai/gpt-6.1-terra', {provider, model}, or a model beside 'provider' or with POTATO_HEAD_DEFAULT_PROVIDER set, not 'gpt-5-mini'",
      ],
    ],
    [
      'a model with two providers',
      'agents:\n  - id: desk\n    provider: openai\n    model: { provider: openai, model: x }\n',
      ['3:15 agents[0].provider stands in the model, too: keep one of them'],
    ],
    [
      'a provider that runs no agents',
      'agents:\n  - { id: desk, provider: google_adk, model: x }\n',
      ["2:27 agents[0].provider is 'google_adk', which runs no agents"],
    ],
    [
      'a model with an unknown field',
      'agents:\n  - id: desk\n    model: { provider: openai, name: x }\n',
      [
        '3:12 agents[0].model.model is required: a model name without spaces',
        '3:32 agents[0].model.name is not known',
      ],
    ],
    [
      'a negative limit',
      desk('    max_iterations: -1\n'),
      ['4:21 agents[0].max_iterations must be a whole number of at least 0, not -1'],
    ],
    [
      'a limit that is no whole number',
      desk('    maxTurns: 1.5\n'),
      ['4:15 agents[0].maxTurns must be a whole number of at least 1, not 1.5'],
    ],
    [
      'a limit that is text',
      desk('    maxTurns: "3"\n'),
      ["4:15 agents[0].maxTurns must be a whole number of at least 1, not '3'"],
    ],
    [
      'instructions in a list',
      desk('    instructions: [a, b]\n'),
      ['4:19 agents[0].instructions must be a text, or {path} of a file, not an array'],
    ],
    [
      'a choice that is none',
      desk('    askUser: tools\n'),
      [
        "4:14 agents[0].askUser must be one of 'tool', 'marker', false, 'never', not 'tools'; did you mean 'tool'?",
      ],
    ],
    [
      'a duration without unit',
      desk('    inputTimeout: soon\n'),
      [
        "4:19 agents[0].inputTimeout must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not 'soon'",
      ],
    ],
    [
      'a timeout that never happens',
      desk('    onInputTimeout: fail\n'),
      ['4:21 agents[0].onInputTimeout has no effect unless inputTimeout is set'],
    ],
    [
      'a temperature out of range',
      desk('    settings: { temperature: 3 }\n'),
      ['4:30 agents[0].settings.temperature must be a number from 0 to 2, not 3'],
    ],
    [
      'an unknown setting',
      desk('    settings: { temprature: 1 }\n'),
      ["4:17 agents[0].settings.temprature is not known; did you mean 'temperature'?"],
    ],
    [
      'a budget of nothing',
      desk('    budget: { onExceeded: fail }\n'),
      ['4:13 agents[0].budget must have maxTokens, maxCostUsd or both'],
    ],
    [
      'a tool choice that is no tool',
      desk('    toolChoice: { only: [refund] }\n'),
      ["4:26 agents[0].toolChoice.only[0] must be a tool of the agent, not 'refund'"],
    ],
    [
      'a bad schema',
      desk(
        '    output:\n      schema:\n        type: object\n        properties:\n          a: { type: strng }\n',
      ),
      [
        "8:22 agents[0].output.schema.properties.a.type must be one of string, number, integer, boolean, array, object, null, or a list of them, not 'strng'",
      ],
    ],
    [
      'a schema of a text',
      desk('    output: { schema: { type: string } }\n'),
      ["4:23 agents[0].output.schema must describe an object or an array, not 'string'"],
    ],
    [
      'a schema that is text',
      desk('    output: { schema: object }\n'),
      ["4:23 agents[0].output.schema must be a JSON Schema object, not 'object'"],
    ],
    [
      'an unknown kind of memory',
      desk('    memory: { kind: window, turns: 3 }\n'),
      [
        "4:21 agents[0].memory.kind must be one of 'full', 'windowed', not 'window'; did you mean 'windowed'?",
      ],
    ],
    [
      'a windowed memory without turns',
      desk('    memory: { type: windowed }\n'),
      ['4:13 agents[0].memory.turns is required: a whole number of turns, 0 or more'],
    ],
    [
      'turns of a full memory',
      desk('    memory: { type: in_memory, window_size: 3 }\n'),
      [
        "4:45 agents[0].memory.window_size is only for kind 'windowed': kind 'full' gives all turns; leave it out or change the kind",
      ],
    ],
    [
      'an unknown kind of criterion',
      desk('    criteria:\n      - { type: keywords, keyword: x }\n'),
      [
        "5:17 agents[0].criteria[0].type must be one of 'keyword', 'structured-output', 'custom', 'max-iterations', not 'keywords'; did you mean 'keyword'?",
      ],
    ],
    [
      'a criterion without kind',
      desk('    criteria:\n      - { keyword: x }\n'),
      [
        "5:9 agents[0].criteria[0].kind is required: one of 'keyword', 'structured-output', 'custom', 'max-iterations'",
      ],
    ],
    [
      'a keyword without keyword',
      desk('    criteria: [{ kind: keyword }]\n'),
      ['4:16 agents[0].criteria[0].keyword is required: a string'],
    ],
    [
      'a bad schema of a criterion, behind a limit',
      desk(
        '    criteria:\n      - { type: max_iterations, max: 3 }\n      - type: structured_output\n        schema: { type: object, required: name }\n',
      ),
      ["7:43 agents[0].criteria[1].schema.required must be a list of texts, not 'name'"],
    ],
    [
      'callbacks of no name',
      desk('    callbacks: [{}]\n'),
      ['4:17 agents[0].callbacks[0] must have the name of callbacks, or the type of built-in ones'],
    ],
    [
      'callbacks of an unknown type',
      desk('    callbacks: [{ type: audit }]\n'),
      ["4:25 agents[0].callbacks[0].type must be 'logging', not 'audit'"],
    ],
    [
      'approvals by code',
      desk("    tools: [{ name: lookup, needsApproval: { show: 'rm' } }]\n"),
      ['4:46 agents[0].tools[0].needsApproval.show is not known'],
    ],
    [
      'a tool that no longer needs approval',
      desk('    tools: [{ name: lookup, needsApproval: false }]\n'),
      [
        '4:44 agents[0].tools[0].needsApproval must be true or an object of rules (a spec may ask for approval, never drop it), not false',
      ],
    ],
    [
      'a tool twice',
      desk('    tools: [lookup, lookup]\n'),
      ["4:21 agents[0].tools[1] lists 'lookup' a second time"],
    ],
    [
      'a sub-agent without description',
      twoAgents('  - { id: c, model: openai/x, subAgents: [{ name: a, runner: a }] }\n'),
      ['4:43 agents[2].subAgents[0].description is required: a string'],
    ],
  ])('refuses %s', (_, text, expected) => {
    expect(refusals(text)).toEqual(expected);
  });
});
