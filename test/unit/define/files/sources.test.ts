// Pure: reads files of its own; no server.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { criteria, loadSpec, type LoadSpecOptions } from '../../../../src';
import type { GraphSpec } from '../../../../src/protocol/spec';
import { aTool, refusalOf as define } from '../../define/builders';
import { refusalOf } from './bad-specs';
import { aFolder, removeFolders } from './spec-folder';

const agent = (id: string) => `agents: [{ id: ${id}, model: openai/x }]\n`;
const graph = (path: string) =>
  `${agent('a')}workflows:\n  - id: g\n    kind: graph\n    tasks: [{ id: t, runner: a, prompt: { path: ${path} } }]\n`;

const messages = (source: string) => refusalOf(source).map(({ message }) => message);

afterAll(removeFolders);

describe('loadSpec', () => {
  it('loads a file by its path', () => {
    expect(loadSpec(join(aFolder({ 'x.yaml': agent('a') }), 'x.yaml')).ids).toEqual(['a']);
  });

  it('loads the files right in a folder, in order of their names, as one spec', () => {
    const folder = aFolder({
      'b.yml': agent('b'),
      'a.yaml': `workflows: [{ id: w, kind: sequential, steps: [b, c] }]\n`,
      'c.json': '{"agents": [{"id": "c", "model": "openai/x"}]}',
      'deeper/d.yaml': agent('d'),
      'notes.md': 'no spec',
      '.hidden.yaml': agent('h'),
    });
    expect(loadSpec(folder).ids).toEqual(['w', 'b', 'c']);
  });

  it('has no runner that stands within another one', () => {
    const text =
      'workflows: [{ id: w, kind: sequential, steps: [{ id: inner, model: openai/x }] }]';
    const { all, get, ids } = loadSpec({ text });
    expect([ids, all.map(({ id }) => id), get('inner'), get('toString')]).toEqual([
      ['w'],
      ['w'],
      undefined,
      undefined,
    ]);
  });

  it('names both places of an id that two files have', () => {
    const folder = aFolder({ 'a.yaml': agent('desk'), 'b.yaml': agent('desk') });
    expect(refusalOf(folder)).toEqual([
      {
        file: join(folder, 'b.yaml'),
        line: 1,
        column: 16,
        path: 'agents[0].id',
        message: `is 'desk', which the runner at ${join(folder, 'a.yaml')}:1:16 has, too: rename one`,
      },
    ]);
  });

  it('lists what is wrong in all files in one error', () => {
    const others = aFolder({
      'a.yaml': 'agents: [{ id: a }]\nworkflows: [{ id: w, kind: sequential, steps: [c] }]\n',
      'b.yaml': 'agent: []',
      'c.yaml': 'agents: [',
    });
    expect(() => loadSpec(others)).toThrow(
      [
        'The specs have 3 problems:',
        `- ${join(others, 'a.yaml')}:1:10: agents[0].model is required: 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}`,
        `- ${join(others, 'b.yaml')}:1:1: agent is not known; did you mean 'agents'?`,
        `- ${join(others, 'c.yaml')}:1:10: is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]`,
      ].join('\n'),
    );
  });

  it('lists all that is wrong in one agent, and in what names it', () => {
    const text = [
      'agents:',
      '  - id: desk',
      '    model: openai/x',
      '    instructions: ${env:NONE}',
      '    colour: red',
      '    tools: [lookup, 5]',
      '    inputTimeout: soon',
      '    output: { schema: { type: objct } }',
      'workflows:',
      '  - { id: w, type: sequence, steps: [desk] }',
      '  - { id: v, kind: sequential, steps: [w, desk, dsk, { ref: 7 }] }',
    ].join('\n');
    expect(
      refusalOf({ text }, { env: {} }).map(({ line, column, path }) => [line, column, path]),
    ).toEqual([
      [4, 19, 'agents[0].instructions'],
      [5, 5, 'agents[0].colour'],
      [6, 13, 'agents[0].tools[0]'],
      [6, 21, 'agents[0].tools[1]'],
      [7, 19, 'agents[0].inputTimeout'],
      [8, 31, 'agents[0].output.schema.type'],
      [10, 20, 'workflows[0].type'],
      [11, 49, 'workflows[1].steps[2]'],
      [11, 61, 'workflows[1].steps[3].ref'],
    ]);
  });

  it.each<[string, () => string, string]>([
    [
      'nothing',
      () => join(aFolder({ 'agents.yaml': '' }), 'agent.yaml'),
      "is no file or folder; did you mean 'agents.yaml'?",
    ],
    [
      'a folder without specs',
      () => aFolder({ 'a.txt': '' }),
      'has no file that ends with .yaml, .yml or .json',
    ],
    [
      'a folder with an empty file',
      () => aFolder({ 'a.yaml': agent('a'), 'b.yaml': '' }),
      'has nothing in it: it needs agents, workflows or tools',
    ],
    ['text in place of a path', () => agent('a'), 'is text: pass it as {text}'],
  ])('refuses %s', (_, source, message) => {
    expect(messages(source())).toEqual([message]);
  });
});

describe('the code of specs', () => {
  it.each<[string, LoadSpecOptions, string]>([
    [
      'two tools of one name',
      { tools: [aTool('a'), aTool('a')] },
      "tools[1] has another tool 'a' than tools[0]: rename one, or set override: true on the one that shall replace the other",
    ],
    [
      'two criteria of one name',
      { criteria: [criteria.custom('c', () => true), criteria.custom('c', () => true)] },
      "criteria[1] has another criterion 'c' than criteria[0]: rename one",
    ],
  ])('is refused with %s', (_, options, message) => {
    expect(define(() => loadSpec({ text: agent('a') }, options))).toBe(
      `SpecError: The registry: ${message}`,
    );
  });

  it('keeps what a criterion declares', () => {
    const text = 'agents: [{ id: a, model: openai/x, criteria: [{ kind: custom, name: c }] }]';
    const custom = criteria.custom('c', () => true, { session: ['cart'] });
    expect(loadSpec({ text }, { criteria: [custom] }).get('a')?.spec).toMatchObject({
      criteria: [{ kind: 'custom', name: 'c', session: ['cart'] }],
    });
  });
});

describe('prompt files', () => {
  const promptOf = (folder: string) =>
    (loadSpec(join(folder, 'a.yaml'), { env: { WHO: 'Ada' } }).get('g')?.spec as GraphSpec).tasks[0]
      ?.prompt;

  it.each([
    ['text', 'p.md', 'For ${env:WHO}: ${input}\r\n\r\n'],
    ['YAML', 'p.yaml', 'messages: "For ${env:WHO}: ${input}"\n'],
    ['JSON', 'p.json', '{"messages": ["For ${env:WHO}: ${input}"]}'],
  ])('may be %s', (_, name, content) => {
    const folder = aFolder({ 'a.yaml': graph(`prompts/${name}`), [`prompts/${name}`]: content });
    expect(promptOf(folder)).toBe('For Ada: ${input}');
  });

  it('may be named without ending', () => {
    expect(promptOf(aFolder({ 'a.yaml': graph('p'), 'p.yml': 'messages: [a, b]\n' }))).toBe(
      'a\n\nb',
    );
  });

  it.each<[string, string, Record<string, string>, string]>([
    ['is not there', 'p.md', {}, 'is no file in '],
    ['may be two', 'p', { 'p.yaml': 'messages: a', 'p.json': '{}' }, 'say which'],
    [
      'is named from above',
      '../p.md',
      {},
      "must stay within the folder of the spec: '..' is not allowed",
    ],
    ['is named from above, further in', 'prompts/../../p.md', {}, "'..' is not allowed"],
    ['has an absolute path', '/etc/passwd', {}, 'must be a path from the folder of the spec'],
    ['has a path of Windows', "'..\\p.md'", {}, 'must be a path from the folder of the spec'],
    ['is empty', 'p.md', { 'p.md': '\n' }, 'has nothing in it'],
    ['is no prompt', 'p.yaml', { 'p.yaml': 'message: a' }, "did you mean 'messages'?"],
    [
      'has two documents',
      'p.yaml',
      { 'p.yaml': 'messages: a\n---\nmessages: b' },
      'must have one document with a prompt',
    ],
    [
      'refers to a variable that is not set',
      'p.md',
      { 'p.md': '${env:NONE}' },
      'needs the environment variable NONE',
    ],
    [
      'refers to a secret',
      'p.yaml',
      { 'p.yaml': 'messages: ${env:API_KEY}' },
      'must not use the variable API_KEY',
    ],
  ])('is refused when it %s', (_, path, files, message) => {
    const folder = aFolder({ 'a.yaml': graph(path), ...files });
    expect(messages(join(folder, 'a.yaml')).join('\n')).toContain(message);
  });

  it('is refused when a link leads out of the folder, and read when one does not', () => {
    const outside = aFolder({ 'p.md': 'secret' });
    const folder = aFolder({ 'a.yaml': graph('link/p.md'), 'real/p.md': 'text' });
    symlinkSync(outside, join(folder, 'link'));
    expect(messages(folder)).toEqual([
      "leads out of the folder of the spec, by a link: 'link/p.md'",
    ]);
    const inside = aFolder({ 'a.yaml': graph('link.md'), 'real/p.md': 'text' });
    symlinkSync(join(inside, 'real/p.md'), join(inside, 'link.md'));
    expect(promptOf(inside)).toBe('text');
  });

  it('give a task an agent of its own, and need no model of the agent that only stands for it', () => {
    const folder = aFolder({
      'a.yaml':
        'agents: [{ id: w, provider: OpenAI }]\nworkflows:\n  - { id: g, type: workflow, tasks: [{ id: t, agent: w, prompt: { path: p.yaml } }] }\n',
      'p.yaml':
        'model: gpt-4o\nprovider: openai\nmessages: Hi\nsystem_instructions: Be brief.\nsettings: { temperature: 0 }\n',
    });
    const { ids, get } = loadSpec(join(folder, 'a.yaml'));
    expect(ids).toEqual(['g']);
    expect((get('g')?.spec as GraphSpec).tasks[0]?.runner).toEqual({
      kind: 'agent',
      id: 'g.t',
      model: { provider: 'openai', model: 'gpt-4o' },
      instructions: 'Be brief.',
      settings: { extra: { temperature: 0 } },
    });
  });
});
