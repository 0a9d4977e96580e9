// Pure: no server.
import { join } from 'node:path';
import { loadSpec, type AgentSpec } from '../../../../src';
import { loadExamples } from './example-code';
import { refusalOf } from './bad-specs';
import { aFolder, removeFolders } from './spec-folder';

const base = `
agents:
  - id: desk
    model: openai/gpt-5-nano
    system_prompt: Answer.
    settings: { temperature: 0.2, stop: [END], extra: { a: { b: 1, c: 2 } } }
    max_iterations: 3
    criteria: [{ kind: keyword, keyword: A }, { kind: keyword, keyword: B }]
`;

function merged(...overlays: string[]): object | undefined {
  const texts = overlays.map((text) => ({ text, name: 'prod.yaml' }));
  return loadSpec({ text: base }, { overlays: texts }).get('desk')?.spec;
}

const plain = merged() as AgentSpec;

afterAll(removeFolders);

describe('overlays', () => {
  it.each<[string, string, object]>([
    [
      'replaces a value',
      '{ id: desk, model: openai/gpt-5 }',
      { model: { provider: 'openai', model: 'gpt-5' } },
    ],
    ['adds a field', '{ id: desk, askUser: tool }', { askUser: 'tool' }],
    [
      'merges a map',
      '{ id: desk, settings: { temperature: 1 } }',
      { settings: { ...plain.settings, temperature: 1 } },
    ],
    [
      'merges a map at any depth',
      '{ id: desk, settings: { extra: { a: { c: 3 } } } }',
      { settings: { ...plain.settings, extra: { a: { b: 1, c: 3 } } } },
    ],
    [
      'replaces a list',
      '{ id: desk, criteria: [{ kind: keyword, keyword: C }] }',
      { criteria: [{ kind: 'keyword', keyword: 'C' }] },
    ],
    [
      'replaces a field in another spelling',
      '{ id: desk, instructions: Be brief., maxIterations: 5 }',
      { instructions: 'Be brief.', maxIterations: 5 },
    ],
  ])('%s', (_, change, expected) => {
    expect(merged(`agents: [${change}]`)).toEqual({ ...plain, ...expected });
  });

  it('takes a field away with null, in any spelling', () => {
    const { instructions: _i, maxIterations: _m, settings, ...rest } = plain;
    const { temperature: _t, ...others } = settings ?? {};
    const change =
      '{ id: desk, instructions: null, maxIterations: ~, settings: { temperature: null } }';
    expect(merged(`agents: [${change}]`)).toEqual({ ...rest, settings: others });
  });

  it('applies several in order', () => {
    const first = 'agents: [{ id: desk, maxTurns: 3, askUser: tool }]';
    const second = 'agents: [{ id: desk, maxTurns: 4 }]';
    expect(merged(first, second)).toEqual({ ...plain, maxTurns: 4, askUser: 'tool' });
  });

  it('tells what is wrong in an overlay with its place there', () => {
    const text = 'agents:\n  - id: desk\n    maxTurns: none\n    colour: red\n';
    const overlays = [{ text, name: 'agents.prod.yaml' }];
    expect(refusalOf({ text: base }, { overlays })).toEqual([
      {
        file: 'agents.prod.yaml',
        line: 3,
        column: 15,
        path: 'agents[0].maxTurns',
        message: "must be a whole number of at least 1, not 'none'",
      },
      {
        file: 'agents.prod.yaml',
        line: 4,
        column: 5,
        path: 'agents[0].colour',
        message: 'is not known',
      },
    ]);
  });

  it.each<[string, string, string]>([
    [
      'a runner that is not there',
      'agents:\n  - id: dsk\n',
      "2:5 agents[0].id is no runner of the specs; did you mean 'desk'? An overlay changes runners; new ones belong in the specs",
    ],
    [
      'a runner that is like none',
      'agents:\n  - id: editor\n',
      '2:5 agents[0].id is no runner of the specs. An overlay changes runners; new ones belong in the specs',
    ],
    [
      'a change without id',
      'agents:\n  - model: openai/x\n',
      '2:5 agents[0] must have the id of the runner it changes',
    ],
    [
      'two changes of one runner',
      'agents:\n  - id: desk\n  - id: desk\n',
      "3:5 agents[1] changes 'desk', which this overlay does before",
    ],
    [
      'a tool that the specs do not define',
      'tools:\n  - name: desk\n',
      '2:5 tools[0].name is no tool of the specs. An overlay changes tools; new ones belong in the specs',
    ],
    [
      'a change without the name of a tool',
      'tools:\n  - id: desk\n',
      '2:5 tools[0] must have the name of the tool it changes',
    ],
    [
      'tools that are no list',
      'tools: desk\n',
      '1:8 tools must be a list of tools, each with its name',
    ],
    ['an unknown section', 'agent: []\n', "1:1 agent is not known; did you mean 'agents'?"],
    [
      'a section that is no list',
      'agents: { id: desk }\n',
      '1:9 agents must be a list of runners, each with its id',
    ],
    ['a text', 'agents\n', '1:1  must have agents, workflows or tools'],
  ])('refuses %s', (_, text, expected) => {
    const found = refusalOf({ text: base }, { overlays: [{ text }] });
    expect(found.map((it) => `${it.line}:${it.column} ${it.path} ${it.message}`)).toEqual([
      expected,
    ]);
  });

  it('are found by the name of an environment, and are no specs by themselves', () => {
    const model = (environment: string[]) =>
      loadExamples('environments', { overlays: environment }).get('clerk')?.spec;
    expect(model([])).toMatchObject({ settings: { temperature: 0.2 } });
    expect(model(['test'])).toMatchObject({ settings: { temperature: 0 } });
    expect(model(['prod'])).toMatchObject({
      model: { model: 'gpt-6.1-sol' },
      budget: { maxTokens: 20_000 },
    });
  });

  it('are found by path, from the folder of the spec', () => {
    const folder = aFolder({
      'a.yaml': base,
      'other/x.yaml': 'agents: [{ id: desk, maxTurns: 9 }]',
    });
    const load = (overlay: string) =>
      loadSpec(join(folder, 'a.yaml'), { overlays: [overlay] }).get('desk')?.spec;
    expect(load('other/x.yaml')).toEqual({ ...plain, maxTurns: 9 });
    expect(load(join(folder, 'other/x.yaml'))).toEqual({ ...plain, maxTurns: 9 });
  });

  it.each([
    [
      'an environment of which there is nothing',
      'prod',
      "is an environment without overlays: there is no file such as 'a.prod.yaml' in",
    ],
    ['a file that is not there', 'b.yaml', "is no file or folder; did you mean 'a.yaml'?"],
  ])('refuses %s', (_, overlay, message) => {
    const folder = aFolder({ 'a.yaml': base });
    expect(refusalOf(folder, { overlays: [overlay] })[0]?.message).toContain(message);
  });
});
