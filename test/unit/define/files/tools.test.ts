// Pure: reads files of its own; no server.
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadSpec, specFileSchema, toSpecText, type LoadSpecOptions } from '../../../../src';
import type { Json } from '../../../../src/base/json';
import { checkAgainst, forTools } from '../../../../src/core/schema/check-schema';
import { hashDefinition } from '../../../../src/define/definition';
import { diffDefinitions } from '../../../../src/define/diff';
import { addSpecs, checkSpec } from '../../../../src/define/files/load';
import { createRegistry } from '../../../../src/define/registry';
import { aTool, refusalOf } from '../../define/builders';
import { refusals } from './bad-specs';
import { aFolder, removeFolders } from './spec-folder';

const seat = `tools:
  - name: pick_seat
    description: Lets the passenger pick a seat
    input_schema: { type: object, properties: { type: { type: string } }, required: [type] }
    result: client
    resultSchema: { type: object, properties: { max: { type: string } } }
    result_timeout: 2 days
    needsApproval: { by: { roles: [desk] }, remind: [1 hour] }
`;
const agent = (tools: string, id = 'travel') =>
  `agents:\n  - { id: ${id}, model: openai/x, tools: [${tools}] }\n`;

const pinned = (text: string, options: LoadSpecOptions = {}) =>
  createRegistry({ runners: loadSpec({ text }, options).all }).definition('travel');

/** The first lines of a tool, and what follows from line 5. */
const tool = (fields: string) =>
  `tools:\n  - name: pick_seat\n    description: Picks\n    result: client\n${fields}`;
const input = '    inputSchema: { type: object }\n';

afterAll(removeFolders);

describe('a tool of a spec', () => {
  it('is pinned whole in the definition of runs', () => {
    expect(pinned(agent('pick_seat') + seat).tools).toEqual({
      pick_seat: {
        name: 'pick_seat',
        description: 'Lets the passenger pick a seat',
        inputSchema: {
          type: 'object',
          properties: { type: { type: 'string' } },
          required: ['type'],
        },
        result: 'client',
        resultSchema: { type: 'object', properties: { max: { type: 'string' } } },
        resultTimeoutMs: 172_800_000,
        needsApproval: true,
        approval: { by: { roles: ['desk'] }, remindMs: [3_600_000] },
      },
    });
  });

  it('checks the arguments of calls by its schema', async () => {
    const travel = loadSpec({ text: agent('pick_seat') + seat }).get('travel');
    const [own] = travel?.kind === 'agent' ? travel.tools : [];
    expect(await own?.validateArguments({ type: 'window' })).toMatchObject({ ok: true });
    expect(await own?.validateArguments({})).toMatchObject({
      ok: false,
      problems: [{ path: 'type' }],
    });
  });

  it('may stand in a file of its own, and serves all agents of the spec', () => {
    const folder = aFolder({
      'a.yaml': agent('pick_seat') + agent('pick_seat, lookup', 'other').replace('agents:\n', ''),
      'tools.yaml': seat,
    });
    const { options } = addSpecs({ specs: folder, tools: [aTool('lookup')] });
    const registry = createRegistry(options);
    expect(registry.tools.names()).toEqual(['pick_seat', 'lookup']);
    expect(Object.keys(registry.definition('other').tools)).toEqual(['pick_seat', 'lookup']);
  });

  it('is known to specs of callers, even if no agent of the files names it', () => {
    const { options } = addSpecs({ specs: { text: seat } });
    const model = { provider: 'openai', model: 'x' };
    const sent = { kind: 'agent' as const, id: 'sent', model, tools: ['pick_seat'] };
    expect(createRegistry(options).definition(sent).tools).toHaveProperty('pick_seat');
  });

  it('takes the rules of an agent, if it has none', () => {
    const text = agent('{ name: pick_seat, needsApproval: { remember: run } }') + tool(input);
    expect(pinned(text).tools.pick_seat).toMatchObject({
      needsApproval: true,
      approval: { remember: 'run' },
    });
  });

  it('changes with an overlay, by its name', () => {
    const overlay = `tools:
  - name: pick_seat
    resultTimeout: null
    needs_approval: { by: { roles: [boss] } }
    inputSchema: { properties: { steps: { type: integer } } }
`;
    const changed = pinned(agent('pick_seat') + seat, { overlays: [{ text: overlay }] });
    const { resultTimeoutMs: _, ...before } = pinned(agent('pick_seat') + seat).tools
      .pick_seat as object & { resultTimeoutMs: number };
    expect(changed.tools.pick_seat).toEqual({
      ...before,
      inputSchema: {
        type: 'object',
        properties: { type: { type: 'string' }, steps: { type: 'integer' } },
        required: ['type'],
      },
      approval: { by: { roles: ['boss'] }, remindMs: [3_600_000] },
    });
  });

  it('is written with the agents that name it, and the text loads as it was', () => {
    const first = loadSpec(
      { text: agent('lookup, pick_seat') + seat },
      { tools: [aTool('lookup')] },
    );
    const text = toSpecText(first.all);
    expect(parse(text)).toMatchObject({
      agents: [{ tools: ['lookup', 'pick_seat'] }],
      tools: [
        {
          name: 'pick_seat',
          resultTimeout: '2 days',
          needsApproval: { by: { roles: ['desk'] }, remind: ['1 hours'] },
        },
      ],
    });
    const options = { tools: [aTool('lookup')] };
    const before = pinned(agent('lookup, pick_seat') + seat, options);
    expect(hashDefinition(pinned(text, options))).toBe(hashDefinition(before));
  });

  it('is not written beside another one of its name', () => {
    const one = loadSpec({ text: agent('pick_seat') + seat });
    const other = loadSpec({ text: agent('pick_seat', 'other') + tool(input) });
    expect(refusalOf(() => toSpecText([...one.all, ...other.all]))).toBe(
      "SpecError: A tool: of a spec has the name 'pick_seat', which another one has, too",
    );
  });

  it('shows in a comparison of specs', () => {
    const before = new Map([['travel', pinned(agent('pick_seat') + seat)]]);
    const other = seat.replace('2 days', '3 days').replace('[desk]', '[desk, boss]');
    const after = new Map([['travel', pinned(agent('pick_seat') + other)]]);
    expect(diffDefinitions(before, after)).toEqual([
      {
        runner: 'travel',
        kind: 'agent',
        change: 'changed',
        fields: [
          { path: 'tools.pick_seat.approval.by.roles', old: ['desk'], new: ['desk', 'boss'] },
          { path: 'tools.pick_seat.resultTimeoutMs', old: 172_800_000, new: 259_200_000 },
        ],
        through: [],
      },
    ]);
  });

  it('matches the schema for editors, and a tool that needs code does not', () => {
    const validate = (value: unknown): boolean =>
      checkAgainst(specFileSchema(), value as Json, forTools).length === 0;
    expect(validate(parse(seat))).toBe(true);
    expect(validate(parse(seat.replace('client', 'later')))).toBe(false);
    expect(validate(parse(seat.replace('result: client', 'execute: x')))).toBe(false);
  });

  it('counts as known where a file could not be read', () => {
    const folder = aFolder({ 'a.yaml': agent('pick_seat'), 'b.yaml': 'tools: [' });
    const { problems } = checkSpec(folder, { code: {} });
    expect(problems.map(({ file }) => file)).toEqual([join(folder, 'b.yaml')]);
  });

  const noCode = "'client' (any other tool has code: write it with defineTool)";
  it.each<[string, string, string[]]>([
    [
      "the result 'later'",
      tool(input).replace('client', 'later'),
      [`4:13 tools[0].result must be ${noCode}, not 'later'`],
    ],
    [
      'no result',
      tool(input).replace('    result: client\n', ''),
      [`2:5 tools[0].result is required: ${noCode}`],
    ],
    [
      'no description, of a tool that an agent names',
      tool(input).replace('    description: Picks\n', '') + agent('pick_seat'),
      ['2:5 tools[0].description is required: a text that tells the model what the tool does'],
    ],
    [
      'no schema of the arguments',
      tool(''),
      ['2:5 tools[0].inputSchema is required: a JSON Schema object'],
    ],
    [
      'arguments that are no object',
      tool('    inputSchema: { type: string }\n'),
      [
        "5:18 tools[0].inputSchema must describe an object: its top level needs type 'object', not 'string'; put other values into a property",
      ],
    ],
    [
      'a result schema that is none',
      tool(`${input}    resultSchema: text\n`),
      ["6:19 tools[0].resultSchema must be a JSON Schema object, not 'text'"],
    ],
    [
      'a result schema that no run can check',
      tool(`${input}    resultSchema: { properties: { a: { type: txt } } }\n`),
      [expect.stringMatching(/^6:\d+ tools\[0\]\.resultSchema\.properties\.a\.type must be /)],
    ],
    [
      'fields that only code has',
      tool(`${input}    execute: pick.js\n    timeout: 2 minutes\n    resultTimout: 1 day\n`),
      [
        '6:5 tools[0].execute is not known',
        '7:5 tools[0].timeout is not known',
        "8:5 tools[0].resultTimout is not known; did you mean 'resultTimeout'?",
      ],
    ],
    [
      'an approval that is dropped',
      tool(`${input}    needsApproval: false\n`),
      [
        '6:20 tools[0].needsApproval must be true or an object of rules (a spec may ask for approval, never drop it), not false',
      ],
    ],
    [
      'two of one name',
      `${tool(input)}${tool(input).replace('tools:\n', '')}`,
      ["6:11 tools[1].name is 'pick_seat', which the tool at spec.yaml:2:11 has, too: rename one"],
    ],
    [
      'the name of a tool in code',
      tool(input).replace('pick_seat', 'lookup'),
      [
        "2:11 tools[0].name is 'lookup', which a tool in code has, too: rename one, or define it in one place only",
      ],
    ],
    [
      'a reserved name in an agent',
      tool(input).replace('pick_seat', 'read_result') + agent('read_result'),
      [
        "7:44 agents[0].tools[0] must not be 'read_result': that name is taken for reading stored results; rename the tool",
      ],
    ],
    [
      'other rules than its own in an agent',
      seat + agent('{ name: pick_seat, needsApproval: { remember: run } }'),
      [
        "10:52 agents[0].tools[0].name gives 'pick_seat' other rules than the tool has itself: write needsApproval: true",
      ],
    ],
    [
      'tools that are no list',
      'tools: { name: a }\n',
      ['1:8 tools must be an array, not an object'],
    ],
    [
      'a tool that is none',
      'tools: [pick_seat]\n',
      [
        "1:9 tools[0] must be a tool: {name, description, inputSchema, result: client}, not 'pick_seat'",
      ],
    ],
    [
      'too many tools',
      `tools:\n${Array.from({ length: 501 }, (_, at) =>
        tool(input).replace('tools:\n', '').replace('pick_seat', `t${at}`),
      ).join('')}`,
      ['2:3 tools must have at most 500 items'],
    ],
  ])('is refused with %s', (_, text, expected) => {
    expect(refusals(text)).toEqual(expected);
  });
});
