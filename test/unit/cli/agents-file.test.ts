// Pure: no server. Files are written to a folder of their own; ES modules as .mjs are loaded in test/e2e.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findAgentsFile, loadAgents, requireAgentsFile } from '../../../src/cli/agents-file';

const agent = (id: string): string => `defineAgent({ id: '${id}', model: 'openai/gpt-5-mini' })`;

describe('agents file', () => {
  let folder: string;
  const write = (name: string, source: string): string => {
    writeFileSync(join(folder, name), source);
    return join(folder, name);
  };
  const writeAgents = (name: string, value: string): string => {
    const source = JSON.stringify(join(__dirname, '../../../src/index.ts'));
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
    const { registry, options } = await loadAgents(writeAgents('agents.ts', value));
    expect([registry.runnerIds(), options.taskQueue]).toEqual([ids, taskQueue]);
  });

  it('takes the default export of a compiled module', async () => {
    const source = 'exports.__esModule = true; exports.default = { runners: [], taskQueue: "q" };';
    const { options } = await loadAgents(write('agents.js', source));
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
    await expect(loadAgents(write('agents.ts', source))).rejects.toMatchObject({
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
    expect(() => requireAgentsFile(folder)).toThrow(/there is no longhaul\.config.*write/);
    expect(() => findAgentsFile(folder, 'no.mjs')).toThrow("--agents: there is no file 'no.mjs'");
  });
});
