// Pure: no server. The tools of a client, as they leave it.
import { z } from 'zod';
import { type ClientToolOptions, sentTools } from '../../../../src/client/write/client-tools';

const pick: ClientToolOptions = {
  name: 'pick',
  description: 'Picks a seat',
  inputSchema: { type: 'object', properties: { seat: { pattern: '^\\d+[A-F]$' } } },
};

it('are sent as JSON', () => {
  const inputSchema = z.object({ seat: z.string() });
  const given = [
    { ...pick, resultSchema: { type: 'string', title: undefined }, resultTimeout: '2 minutes' },
    { ...pick, name: 'other', inputSchema },
  ];
  expect(sentTools(given)).toEqual([
    { ...pick, resultSchema: { type: 'string' }, resultTimeoutMs: 120_000 },
    {
      ...pick,
      name: 'other',
      inputSchema: {
        type: 'object',
        properties: { seat: { type: 'string' } },
        required: ['seat'],
      },
    },
  ]);
});

it.each<[string, unknown, string, string]>([
  ['no list', {}, 'InvalidInput', 'clientTools must be a list of tools, not an object'],
  ['many', Array(17).fill(pick), 'InvalidInput', 'clientTools must have at most 16 items'],
  ['no tool', [7], 'InvalidInput', 'a client tool takes an object of options, not 7'],
  [
    'one with code',
    [{ ...pick, execute: () => 1 }],
    'InvalidInput',
    "'execute' is not a member of the options of a client tool",
  ],
  [
    'one without a time',
    [{ ...pick, resultTimeout: 'soon' }],
    'SpecError',
    "clientTools[0].resultTimeout must be a duration such as '90s', '15 minutes' or '3 days', or a number of milliseconds, not 'soon'",
  ],
  [
    'one with a schema that is none',
    [{ ...pick, inputSchema: { type: 'object', default: new Date(0) } }],
    'SpecError',
    'clientTools[0].inputSchema.default must be JSON, not a Date',
  ],
  [
    'one with a schema that nobody can check',
    [{ ...pick, resultSchema: { $ref: '#' } }],
    'SpecError',
    'clientTools[0].resultSchema refers to itself without end',
  ],
  [
    'patterns that would take half a minute to compile',
    Array.from({ length: 16 }, (_, at) => ({
      ...pick,
      name: `t${at}`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 512 }, (_none, index) => [
            `p${index}`,
            { pattern: `(?:(?:x${index}){1,31}){1,31}` },
          ]),
        ),
      },
    })),
    'InvalidInput',
    'clientTools has',
  ],
])('refuses %s', (_name, tools, code, message) => {
  const send = (): unknown => sentTools(tools as readonly ClientToolOptions[]);
  expect(send).toThrow(expect.objectContaining({ code }) as Error);
  expect(send).toThrow(message);
});
