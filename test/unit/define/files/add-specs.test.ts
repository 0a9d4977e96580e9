// Pure: reads files of its own; no server.
import { join } from 'node:path';
import {
  criteria,
  defineAgent,
  defineCallbacks,
  LonghaulError,
  sequential,
  type Agent,
} from '../../../../src';
import { createRegistry } from '../../../../src/define/registry';
import { addSpecs } from '../../../../src/define/files/load';
import { LonghaulPlugin } from '../../../../src/worker';
import { aTool } from '../../define/builders';
import { aFolder, removeFolders } from './spec-folder';

const agent = (id: string, fields = '') => `agents:\n  - id: ${id}\n    model: openai/x\n${fields}`;
const lookup = aTool('lookup');

const refusalOf = (options: Parameters<typeof addSpecs>[0]): string => {
  try {
    addSpecs(options);
    return 'accepted';
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
};

afterAll(removeFolders);

describe('addSpecs', () => {
  it('leaves options without specs as they are', () => {
    const options = { tools: [lookup], taskQueue: 'mine' };
    expect(addSpecs(options)).toEqual({ options, files: [], missing: [] });
  });

  it('puts the runners of a folder beside those in code, and tells what it read', () => {
    const folder = aFolder({
      'a.yaml': agent('a', '    instructions: { path: prompts/a.md }\n'),
      'a.prod.yaml': 'agents: [{ id: a, model: openai/y }]\n',
      'prompts/a.md': 'Be brief.',
    });
    const coded = defineAgent({ id: 'coded', model: 'openai/x' });
    const specs = { specs: folder, overlays: ['prod'] };
    const { options, files } = addSpecs({ runners: [coded], ...specs, taskQueue: 'mine' });
    expect(files).toEqual(
      ['a.yaml', 'a.prod.yaml', 'prompts/a.md'].map((name) => join(folder, name)),
    );
    expect(options).toEqual({ runners: [coded, expect.anything()], taskQueue: 'mine' });
    expect(createRegistry(options).runners.get('a')?.spec).toMatchObject({
      model: { provider: 'openai', model: 'y' },
      instructions: 'Be brief.',
    });
  });

  it('reads several files as one spec, each once', () => {
    const folder = aFolder({
      'a.yaml': agent('a'),
      'w.yaml': 'workflows: [{ id: w, kind: sequential, steps: [a] }]\n',
    });
    const specs = [join(folder, 'w.yaml'), join(folder, 'a.yaml'), folder];
    const { options, files } = addSpecs({ specs });
    expect(createRegistry(options).runners.names()).toEqual(['w', 'a']);
    expect(files).toHaveLength(2);
  });

  it('lets specs name the code of agents in code', () => {
    const audit = defineCallbacks({ name: 'audit', beforeModelCall: () => undefined });
    const polite = criteria.custom('polite', () => true, { session: ['tone'] });
    const code = { tools: [lookup], callbacks: [audit], criteria: [polite] };
    const coded = defineAgent({ id: 'coded', model: 'openai/x', ...code });
    const fields =
      '    tools: [lookup]\n    callbacks: [audit]\n    criteria: [{ kind: custom, name: polite }]\n';
    const { options } = addSpecs({ runners: [coded], specs: { text: agent('a', fields) } });
    const { runners } = createRegistry(options).definition('a');
    expect(runners.a).toEqual({ ...coded.spec, id: 'a' });
  });

  it('asks for the approval of a tool that only specs use', () => {
    const text = agent('a', '    tools: [{ name: lookup, needsApproval: true }]\n');
    const { options } = addSpecs({ tools: [lookup], specs: { text } });
    expect(createRegistry(options).tools.get('lookup')?.spec.needsApproval).toBe(true);
  });

  it('takes the rules of approvals that need no code', () => {
    const rules =
      '{ by: { roles: [finance], approvals: 2 }, remind: [1 day], escalate: { after: 2 days, to: { ids: [eve] } } }';
    const text = agent('a', `    tools: [{ name: lookup, needs_approval: ${rules} }]\n`);
    const { options } = addSpecs({ tools: [lookup], specs: { text } });
    expect(createRegistry(options).tools.get('lookup')?.spec).toMatchObject({
      needsApproval: true,
      approval: {
        by: { roles: ['finance'], approvals: 2 },
        remindMs: [86_400_000],
        escalate: { afterMs: 172_800_000, to: { ids: ['eve'] } },
      },
    });
  });

  const coded = (id: string): Agent => defineAgent({ id, model: 'openai/x', tools: [lookup] });
  const text = `${agent('a')}workflows:\n  - id: w\n    kind: sequential\n    steps: [{ id: deep, model: openai/x }]\n`;
  it.each([
    {
      name: 'an id that code has, too',
      options: { runners: [coded('a')], specs: { text } },
      message: "spec.yaml:2:9: agents[0].id is 'a', which runners[0] in code has, too: rename one",
    },
    {
      name: 'ids within others on both sides',
      options: {
        runners: [sequential({ id: 'line', steps: [coded('deep')] })],
        specs: { text, name: 'specs/w.yaml' },
      },
      message:
        "specs/w.yaml:7:19: workflows[0].steps[0].id is 'deep', which sequential 'line' (which calls 'deep') in code has, too: rename one",
    },
    {
      name: 'an approval that would change an agent in code',
      options: {
        runners: [coded('coded')],
        specs: { text: agent('a', '    tools: [{ name: lookup, needsApproval: true }]\n') },
      },
      message:
        "spec.yaml:2:9: agents[0].id asks for the approval of 'lookup', which agent 'coded' in code calls without: a tool has one rule for all agents",
    },
    {
      name: 'tools that are not there',
      options: { specs: { text: agent('a', '    tools: [lookup]\n') } },
      message:
        "spec.yaml:4:13: agents[0].tools[0] is 'lookup', which is not among the registered tools. No tools are registered",
    },
    {
      name: 'overlays of nothing',
      options: { overlays: ['prod'] },
      message: 'overlays are given, but no specs that they could change',
    },
  ])('refuses $name', ({ options, message }) => {
    expect(refusalOf(options)).toBe(`SpecError: ${message}`);
  });

  it('takes specs without their code, where they are only looked at', () => {
    const fields =
      '    tools: [lookup, { name: other, needsApproval: true }]\n    callbacks: [audit]\n    criteria: [{ kind: custom, name: polite }]\n';
    const specs = { tools: [lookup], specs: { text: agent('a', fields) } };
    const { options, missing } = addSpecs(specs, { stubs: true });
    expect(missing).toEqual(['other', 'audit', 'polite']);
    expect(createRegistry(options).definition('a').runners.a).toMatchObject({
      tools: ['lookup', 'other'],
      callbacks: ['audit'],
    });
  });

  it('is what a worker does with its specs before it connects', () => {
    expect(() => new LonghaulPlugin({ specs: { text: 'agents: [{ id: a }]' } })).toThrow(
      /^spec\.yaml:1:\d+: agents\[0\]/,
    );
  });
});
