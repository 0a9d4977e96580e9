// Pure: no server. Files are written to a folder of their own; ES modules as .mjs are loaded in test/e2e.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAgents, type LoadedAgents } from '../../../../src/cli/session/agents';
import {
  findAgentsFile,
  findAgentsSource,
  requireAgentsSource,
  sourceFiles,
  sourceName,
} from '../../../../src/cli/session/agents';

const agent = (id: string): string => `defineAgent({ id: '${id}', model: 'openai/gpt-5-mini' })`;

const loadModule = (file: string): Promise<LoadedAgents> => loadAgents({ kind: 'module', file });

describe('agents file', () => {
  let folder: string;
  const write = (name: string, source: string): string => {
    writeFileSync(join(folder, name), source);
    return join(folder, name);
  };
  const writeAgents = (name: string, value: string): string => {
    const source = JSON.stringify(join(__dirname, '../../../../src/index.ts'));
    return write(name, `import { defineAgent } from ${source};\nexport default ${value};\n`);
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-agents-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    { name: 'an agent', value: agent('a'), ids: ['a'] },
    { name: 'an array of agents', value: `[${agent('a')}, ${agent('b')}]`, ids: ['a', 'b'] },
    {
      name: "a worker's options",
      value: `{ runners: [${agent('a')}], taskQueue: 'mine' }`,
      ids: ['a'],
      taskQueue: 'mine',
    },
  ])('takes $name', async ({ value, ids, taskQueue }) => {
    const { registry, options } = await loadModule(writeAgents('agents.ts', value));
    expect([registry.runners.names(), options.taskQueue]).toEqual([ids, taskQueue]);
  });

  it('takes the default export of a compiled module', async () => {
    const source = 'exports.__esModule = true; exports.default = { runners: [], taskQueue: "q" };';
    const { options } = await loadModule(write('agents.js', source));
    expect(options).toEqual({ runners: [], taskQueue: 'q' });
  });

  it.each([
    { name: 'no default export', source: 'export const a = 1;', message: /has no default export/ },
    { name: 'a number', source: 'export default 1;', message: /must export an object by default/ },
    {
      name: 'an unknown option',
      source: 'export default { runner: [] };',
      message: /has the unknown option 'runner'; did you mean 'runners'\?/,
    },
    {
      name: 'agents under another name',
      source: 'export default { agents: [] };',
      message: /has the unknown option 'agents'; did you mean 'runners'\?/,
    },
    {
      name: 'what is no agent',
      source: 'export default [{ id: "a" }];',
      message: /runners\[0\] must come from defineAgent/,
    },
    {
      name: 'code that throws',
      source: '\nthrow new Error("no\\nway");',
      message: /^cannot load agents\.ts(:\d+)?: no\nway$/,
    },
  ])('refuses $name', async ({ source, message }) => {
    await expect(loadModule(write('agents.ts', source))).rejects.toMatchObject({
      code: 'SpecError',
      message: expect.stringMatching(message),
    });
  });

  it('prefers the named file, then the configuration of the folder', () => {
    expect(findAgentsFile(folder)).toBeUndefined();
    const module = write('longhaul.config.mjs', '');
    expect(findAgentsFile(folder)).toBe(module);
    const typescript = write('longhaul.config.ts', '');
    expect(findAgentsFile(folder)).toBe(typescript);
    expect(findAgentsFile(folder, write('other.ts', ''))).toBe(join(folder, 'other.ts'));
  });

  it('says what to write when there is none', () => {
    expect(() => requireAgentsSource(folder, {})).toThrow(/there is no longhaul\.config.*write/);
    expect(() => findAgentsFile(folder, 'no.mjs')).toThrow("--agents: there is no file 'no.mjs'");
  });

  describe('of specs', () => {
    const spec = 'agents: [{ id: a, model: openai/x, tools: [lookup] }]\n';
    const writeTools = (value: string): string => {
      const source = JSON.stringify(join(__dirname, '../../../../src/index.ts'));
      const tool =
        "defineTool({ name: 'lookup', description: 'Looks up', inputSchema: { type: 'object' }, execute: () => '' })";
      const code = `import { defineAgent, defineTool } from ${source};\nconst lookup = ${tool};\nexport default ${value};\n`;
      return write('tools.ts', code);
    };
    const load = async (tools: string, ...paths: string[]): Promise<LoadedAgents> => {
      const source = findAgentsSource(folder, { file: paths, tools });
      if (source === undefined) throw new Error('no source');
      return await loadAgents(source);
    };

    it.each([
      { name: 'an array of tools', value: '[lookup]', ids: ['a'] },
      {
        name: "a worker's options, agents and specs of its own among them",
        value: `{ tools: [lookup], runners: [${agent('b')}], specs: { text: 'agents: [{ id: c, model: openai/x }]' }, taskQueue: 'mine' }`,
        ids: ['b', 'c', 'a'],
        taskQueue: 'mine',
      },
    ])('takes $name as their code', async ({ value, ids, taskQueue }) => {
      const file = write('a.yaml', spec);
      const { registry, options, files } = await load(writeTools(value), file);
      expect([registry.runners.names(), options.taskQueue]).toEqual([ids, taskQueue]);
      expect(files).toContain(file);
    });

    it('tells where they come from', () => {
      const [file, tools] = [write('a.yaml', spec), write('tools.ts', '')];
      const source = findAgentsSource(folder, { file: [file], tools, overlay: ['prod'] });
      expect(source).toEqual({ kind: 'specs', paths: [file], overlays: ['prod'], tools });
      if (source === undefined) throw new Error('no source');
      expect([sourceName(source), sourceFiles(source)]).toEqual([file, [file, tools]]);
    });

    it.each([
      {
        name: 'a file that is not there',
        flags: { file: ['no.yaml'] },
        message: "-f: there is no file or folder 'no.yaml'",
      },
      {
        name: 'code that is not there',
        flags: { file: ['.'], tools: 'no.js' },
        message: "--tools: there is no file 'no.js'",
      },
      {
        name: 'agents of two kinds',
        flags: { file: ['.'], agents: 'a.mjs' },
        message: 'give either --agents or -f, not both',
      },
      {
        name: 'code of no specs',
        flags: { tools: 'tools.js' },
        message: '--tools needs specs: name them with -f',
      },
      {
        name: 'overlays of no specs',
        flags: { overlay: ['prod'] },
        message: '--overlay needs specs: name them with -f',
      },
    ])('refuses $name', ({ flags, message }) => {
      expect(() => findAgentsSource(folder, flags)).toThrow(message);
    });

    it('says what is wrong with their code', async () => {
      const tools = write('tools.ts', 'export default { tool: [] };');
      await expect(load(tools, write('a.yaml', spec))).rejects.toThrow(
        /^tools\.ts has the unknown option 'tool'; did you mean 'tools'\?: its default export is an array of tools/,
      );
    });
  });
});
