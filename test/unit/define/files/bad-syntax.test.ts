// Pure: no server.
import { desk, refusals } from './bad-specs';

describe('loadSpec', () => {
  it.each<[string, string, string[]]>([
    [
      'a tab as indentation',
      'agents:\n\t- id: desk\n',
      ['2:1 has a tab as indentation: YAML takes spaces only'],
    ],
    [
      'an open quote',
      'agents:\n  - id: "desk\n',
      ['2:14 is not valid YAML: Missing closing "quote'],
    ],
    [
      'an open list',
      'agents: [{ id: desk }\n',
      [
        '1:22 is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
      ],
    ],
    [
      'a colon in a plain value',
      'agents:\n  - id: desk\n    model: openai/x: y\n',
      ['3:12 is not valid YAML: Nested mappings are not allowed in compact mappings'],
    ],
    [
      'a reserved character',
      'agents:\n  - id: @desk\n',
      ['2:9 is not valid YAML: Plain value cannot start with reserved character @'],
    ],
    [
      'a reference to the environment without quotes in a flow map',
      'agents:\n  - { id: a, model: ${env:MODEL} }\n',
      [
        '2:22 is not valid YAML: Unexpected flow-map-start at node end; a value with ${…} within {} or [] must stand in quotes',
      ],
    ],
    [
      'a tag of JavaScript',
      desk('    instructions: !!js/function "() => 1"\n'),
      [
        "4:19 has the tag 'tag:yaml.org,2002:js/function', which is not allowed: write plain values",
      ],
    ],
    [
      'a tag of YAML 1.1',
      desk('    instructions: !!binary aGk=\n'),
      [
        "4:28 agents[0].instructions has the tag 'tag:yaml.org,2002:binary', which is not allowed: write plain values",
      ],
    ],
    [
      'a duplicate key',
      desk('    maxTurns: 1\n    maxTurns: 2\n'),
      ['5:5 agents[0].maxTurns stands here a second time: first at line 4, column 5'],
    ],
    [
      'a duplicate key, quoted once',
      desk('    maxTurns: 1\n    "maxTurns": 2\n'),
      ['5:5 agents[0].maxTurns stands here a second time: first at line 4, column 5'],
    ],
    [
      'a key that is no text',
      desk('    settings: { extra: { 1: one } }\n'),
      ['4:26 agents[0].settings.extra must have keys that are text, not 1: put it in quotes'],
    ],
    [
      'a map as a key',
      desk('    settings: { extra: { ? [a] : one } }\n'),
      ['4:28 agents[0].settings.extra must have keys that are text'],
    ],
    [
      'a merge key',
      'agents:\n  - &base { id: a, model: openai/x }\n  - { <<: *base, id: b }\n',
      ['3:7 agents[1]["<<"] is a merge key: YAML 1.2 has none, write the fields out'],
    ],
    [
      'a key that would be lost',
      desk('    __proto__: { id: x }\n'),
      ['4:5 agents[0].__proto__ is not allowed as a key'],
    ],
    [
      'a key that would be lost, in a schema',
      desk('    output: { schema: { type: object, __proto__: {} } }\n'),
      ['4:39 agents[0].output.schema.__proto__ is not allowed as a key'],
    ],
    [
      'an alias of nothing',
      'agents:\n  - *base\n',
      ["2:5 agents[0] refers to 'base', which no anchor before it has"],
    ],
    [
      'an alias of what it stands in',
      'agents: &all\n  - *all\n',
      ['2:5 agents[0] refers to what it stands in itself'],
    ],
    [
      'a number that is none',
      desk('    maxIterations: .nan\n'),
      ['4:20 agents[0].maxIterations must be a finite number, not .nan'],
    ],
    [
      'an endless number',
      desk('    budget: { maxCostUsd: .inf }\n'),
      ['4:27 agents[0].budget.maxCostUsd must be a finite number, not .inf'],
    ],
    ['an empty file', '', ['1:1 has nothing in it: it needs agents, workflows or tools']],
    [
      'nothing but comments',
      '# agents\n',
      ['1:1 has nothing in it: it needs agents, workflows or tools'],
    ],
    ['an empty object', '{}', ['1:1 needs agents, workflows or tools']],
    ['empty lists', 'agents: []\nworkflows:\n', ['1:1 needs agents, workflows or tools']],
    ['a text', 'agents', ["1:1 must be an object with agents, workflows or tools, not 'agents'"]],
    [
      'a list',
      '- id: desk\n',
      ['1:1 must be an object with agents, workflows or tools, not an array'],
    ],
    ['a NUL', 'agents:\u0000\n', ['1:1 holds NUL characters: it is no text, or not in UTF-8']],
  ])('refuses %s', (_, text, expected) => {
    expect(refusals(text)).toEqual(expected);
  });
});
