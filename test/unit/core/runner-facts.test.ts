// Pure: no server.
import {
  defineAgent,
  defineCallbacks,
  defineTool,
  graph,
  parallel,
  sequential,
  subAgent,
  type Runner,
} from '../../../src';
import { agentOf, criteriaOf, toolSpecOf } from '../../../src/core/loop-config';
import { runnerConfig } from '../../../src/core/runner-config';
import { createRegistry } from '../../../src/define/registry';
import { thrown } from './builders';

const search = defineTool({
  name: 'search',
  description: 'Searches',
  effect: 'read',
  inputSchema: { type: 'object', properties: {} },
  execute: () => 'found',
});
const remember = defineCallbacks({
  name: 'remember',
  session: ['seen'],
  beforeModelCall: () => undefined,
});
const writer = defineAgent({ id: 'writer', model: 'acme/one' });
const editor = defineAgent({
  id: 'editor',
  description: 'Edits',
  model: 'acme/one',
  instructions: 'Edit.',
  settings: { temperature: 0 },
  tools: [search, subAgent(writer, { name: 'write', description: 'Writes' })],
  callbacks: [remember],
  output: { schema: { type: 'object', properties: {} } },
});
const both = parallel({ id: 'both', branches: [writer, editor] });
const press = sequential({
  id: 'press',
  description: 'Prints',
  steps: [both, writer],
  passOutput: true,
});
const plan = graph({
  id: 'plan',
  tasks: [
    { id: 'draft', runner: writer },
    { id: 'check', runner: both, dependencies: ['draft'] },
  ],
});

const definitionOf = (runner: Runner) =>
  createRegistry({ runners: [runner] }).definition(runner.id);

describe('runnerConfig', () => {
  it('has of an agent everything but prompts, settings and schemas of tools', () => {
    const config = runnerConfig(definitionOf(editor), 'editor');
    expect(config).toMatchObject({
      kind: 'agent',
      id: 'editor',
      model: { provider: 'acme', model: 'one' },
      tools: [{ name: 'search', effect: 'read' }],
      subAgents: [{ name: 'write', runner: 'writer' }],
      callbackSession: ['seen'],
    });
    for (const left of ['instructions', 'description', 'settings', 'callbacks']) {
      expect(config).not.toHaveProperty(left);
    }
    expect(JSON.stringify(config)).not.toMatch(/Searches|Writes|inputSchema/);
  });

  it('has of an orchestration the places of its runners, with their kinds', () => {
    expect(runnerConfig(definitionOf(press), 'press')).toEqual({
      kind: 'sequential',
      id: 'press',
      steps: [{ runner: 'both', kind: 'parallel' }, { runner: 'writer' }],
      passOutput: true,
    });
    expect(runnerConfig(definitionOf(press), 'both')).toMatchObject({
      kind: 'parallel',
      branches: [{ runner: 'writer' }, { runner: 'editor' }],
    });
    expect(runnerConfig(definitionOf(plan), 'plan')).toMatchObject({
      kind: 'graph',
      tasks: [
        { id: 'draft', runner: 'writer' },
        { id: 'check', runner: 'both', kind: 'parallel', dependencies: ['draft'] },
      ],
    });
  });

  it('takes a definition that lacks what it names for a bug', () => {
    const definition = definitionOf(press);
    expect(thrown(() => runnerConfig(definition, 'nobody'))).toEqual(
      new TypeError("definition has no runner 'nobody'"),
    );
    expect(thrown(() => agentOf(definition, 'press'))).toEqual(
      new TypeError("runner 'press' is no agent"),
    );
    expect(thrown(() => toolSpecOf(definition, 'fetch'))).toEqual(
      new TypeError("definition has no tool 'fetch'"),
    );
  });
});

describe('criteriaOf', () => {
  it('has the output schema as its last one', () => {
    const schema = { type: 'object', properties: {} };
    const keyword = { kind: 'keyword', keyword: 'DONE' } as const;
    expect(criteriaOf({})).toEqual([]);
    expect(criteriaOf({ criteria: [keyword], output: { schema } })).toEqual([
      keyword,
      { kind: 'structured-output', schema },
    ]);
  });
});
