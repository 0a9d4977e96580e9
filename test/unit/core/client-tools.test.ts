// Pure: no server.
import { broughtToolsProblem, clientToolsProblem } from '../../../src/core/client-tools';
import { checkRunInput } from '../../../src/core/run-input';
import { withClientTools } from '../../../src/define/client-tools';
import type { ClientTool } from '../../../src/protocol/run';
import type { Definition } from '../../../src/protocol/spec';
import { newMessage, sendInput } from '../../../src/workflows/thread/thread-input';

const tool = (name: string, more: object = {}): object => ({
  name,
  description: 'Picks a seat',
  inputSchema: { type: 'object' },
  ...more,
});

it('takes sixteen tools', () => {
  const tools = Array.from({ length: 16 }, (_, index) => tool(`tool_${index}`));
  expect(clientToolsProblem(tools)).toBeUndefined();
});

it.each<[string, unknown, string]>([
  ['no list', {}, 'clientTools must be an array, not an object'],
  [
    'seventeen',
    Array.from({ length: 17 }, (_, at) => tool(`t${at}`)),
    'clientTools must have at most 16 items',
  ],
  ['no tool', [7], 'clientTools[0] must be an object, not 7'],
  [
    'a name that no provider takes',
    [tool('a b')],
    "clientTools[0].name must be a string, not 'a b'",
  ],
  [
    'no description',
    [{ name: 'a', inputSchema: { type: 'object' } }],
    'clientTools[0].description is required: a string',
  ],
  [
    'one name twice',
    [tool('a'), tool('a')],
    "clientTools[1].name must not be 'a': a tool before it has that name",
  ],
  ['an unknown member', [tool('a', { execute: 'rm' })], 'clientTools[0].execute is not known'],
  [
    'arguments that are no object',
    [tool('a', { inputSchema: { type: 'string' } })],
    "clientTools[0].inputSchema must describe an object: its top level needs type 'object'",
  ],
  [
    'a result that refers to itself',
    [tool('a', { resultSchema: { $ref: '#' } })],
    'clientTools[0].resultSchema refers to itself without end',
  ],
  [
    'a result with a huge schema',
    [tool('a', { resultSchema: { title: 'x'.repeat(20_000) } })],
    'clientTools[0].resultSchema has 20012 bytes of JSON; at most 16384 are taken',
  ],
  [
    'no time',
    [tool('a', { resultTimeoutMs: 0 })],
    'clientTools[0].resultTimeoutMs must be a whole number of at least 1, not 0',
  ],
  [
    'more than a definition may have',
    [tool('a', { description: 'x'.repeat(600_000) })],
    'clientTools has 600063 bytes of JSON; the limit is 524288',
  ],
])('refuses %s', (_name, tools, problem) => {
  expect(clientToolsProblem(tools)).toBe(problem);
  const start = { runner: 'agent', input: 'Go.', clientTools: tools };
  expect(() => checkRunInput(start)).toThrow(problem);
});

it('refuses tools for a runner that is no agent, and for a run that another run starts', () => {
  const clientTools = [tool('a')];
  const pipeline = { kind: 'sequential', id: 'p', steps: ['a'] };
  expect(() => checkRunInput({ runner: pipeline, input: 'Go.', clientTools })).toThrow(
    'clientTools are for agents',
  );
  const lineage = { root: 'r', path: 'r/a', ancestors: ['r'], depth: 1 };
  expect(() =>
    checkRunInput({ runner: 'a', input: 'Go.', clientTools, lineage }, { workflowId: 'r' }),
  ).toThrow('clientTools are for the run that a client starts');
});

describe('tools that arrive', () => {
  const many = (schema: object): object[] =>
    Array.from({ length: 16 }, (_, at) => tool(`t${at}`, { inputSchema: schema }));
  const patterns = Array.from({ length: 100 }, (_, at) => [`p${at}`, { pattern: `a{${at}}` }]);
  const object = { type: 'object' };

  it.each<[string, unknown, string | undefined]>([
    ['few', [tool('a')], undefined],
    ['with patterns', [tool('a', { inputSchema: { ...object, pattern: '^a{1,9}$' } })], undefined],
    [
      'that are large together',
      many({ ...object, title: 'x'.repeat(5_000) }),
      'clientTools has more than 65536 bytes: bring fewer tools, or smaller schemas',
    ],
    [
      'of many values together',
      many({ ...object, enum: Array(400).fill(0) }),
      'clientTools has more than 5000 values: bring fewer tools, or smaller schemas',
    ],
    [
      'of many patterns together',
      many({ ...object, properties: Object.fromEntries(patterns) }),
      'clientTools has patterns of more than 10000 steps, with their repetitions written out: bring fewer tools, or smaller schemas',
    ],
    [
      'with arguments that nobody can check',
      [tool('a'), tool('b', { inputSchema: { ...object, $dynamicRef: '#' } })],
      'clientTools[1].inputSchema.$dynamicRef is not checked here: use $ref',
    ],
    [
      'with arguments that refer to themselves',
      [tool('a', { inputSchema: { ...object, $ref: '#' } })],
      'clientTools[0].inputSchema refers to itself without end',
    ],
    ['of the wrong shape', [7], 'clientTools[0] must be an object, not 7'],
  ])('%s', (_name, tools, problem) => {
    expect(broughtToolsProblem(tools)).toBe(problem);
  });

  it('are refused by a thread where they arrive, and a replay takes what it took', () => {
    const message = {
      messageId: 'm',
      input: 'x',
      clientTools: many({ ...object, $comment: 'x'.repeat(5_000) }),
    };
    expect(() => newMessage(message)).toThrow('more than 65536 bytes');
    expect(sendInput(message)).toEqual(message);
  });

  it('become part of a definition only if they are within the budget', () => {
    const definition = {
      runner: 'a',
      runners: { a: { kind: 'agent', id: 'a', model: 'x/y' } },
      tools: {},
    } as unknown as Definition;
    const bring = (tools: unknown) => withClientTools(definition, tools as readonly ClientTool[]);
    expect(bring([tool('pick')]).tools).toMatchObject({ pick: { result: 'client' } });
    expect(() => bring(many({ ...object, properties: Object.fromEntries(patterns) }))).toThrow(
      'patterns of more than 10000 steps',
    );
  });
});
