// Pure: no server.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { specFileSchema } from '../../../../src';
import { runCli } from '../../../../src/cli/run-cli';
import { fakeTerminal } from '../fake-terminal';

async function cli(...args: string[]) {
  const terminal = fakeTerminal();
  return { code: await runCli(args, terminal), ...terminal };
}

describe('longhaul spec check', () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-validate-'));
    file = join(folder, 'desk.yaml');
    writeFileSync(file, 'agents:\n  - id: desk\n    modle: x\n    tools: [lookup]\n');
    writeFileSync(
      join(folder, 'agents.cjs'),
      `const tool = { kind: 'tool', name: 'find', spec: { name: 'find' }, override: false };\nmodule.exports = { tools: [tool] };\n`,
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    ['examples/specs/triage.yaml', 'ok: triage'],
    ['examples/specs/environments', 'ok: clerk'],
    ['examples/specs/potato', 'ok: w, invoice_check, security, cost, board, draft, desk'],
  ])('accepts %s', async (path, expected) => {
    const { code, printed, noted } = await cli('spec', 'check', path);
    expect([code, printed]).toEqual([0, [expected]]);
    expect(noted).toEqual(['tools and other code were not checked: pass their file with --tools']);
  });

  it('takes overlays', async () => {
    const path = 'examples/specs/environments';
    expect((await cli('spec', 'check', path, '--overlay', 'test', '--overlay', 'prod')).code).toBe(
      0,
    );
    expect((await cli('spec', 'check', path, '--overlay', 'stage')).printed).toEqual([
      expect.stringContaining('stage:1:1: is an environment without overlays'),
    ]);
  });

  it('prints all problems with their places, and exits with 1', async () => {
    const { code, printed } = await cli('spec', 'check', file);
    expect(code).toBe(1);
    expect(printed).toEqual([`${file}:3:5: agents[0].modle is not known; did you mean 'model'?`]);
  });

  it('checks the names of code against a file of agents, and prints JSON', async () => {
    const agents = join(folder, 'agents.cjs');
    const { code, printed, noted } = await cli('spec', 'check', file, '--agents', agents, '--json');
    expect([code, noted]).toEqual([1, []]);
    const message = "is 'lookup', which is not among the registered tools. Registered tools: find";
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        ok: false,
        runners: ['desk'],
        problems: [
          {
            file,
            line: 3,
            column: 5,
            path: 'agents[0].modle',
            message: "is not known; did you mean 'model'?",
          },
          { file, line: 4, column: 13, path: 'agents[0].tools[0]', message },
        ],
      },
    ]);
  });

  it('accepts tools of a spec that the worker has read already, and refuses those of code', async () => {
    const tools = join(folder, 'tools.yaml');
    writeFileSync(
      tools,
      'tools: [{ name: seat, description: Picks, inputSchema: { type: object }, result: client }]\nagents: [{ id: a, model: openai/x, tools: [seat] }]\n',
    );
    const agents = join(folder, 'served.cjs');
    writeFileSync(agents, `module.exports = { specs: ${JSON.stringify(tools)} };\n`);
    const accepted = await cli('spec', 'check', tools, '--agents', agents);
    expect([accepted.code, accepted.printed]).toEqual([0, ['ok: a']]);
    writeFileSync(tools, readFileSync(tools, 'utf8').replaceAll('seat', 'find'));
    const { code, printed } = await cli(
      'spec',
      'check',
      tools,
      '--agents',
      join(folder, 'agents.cjs'),
    );
    const message =
      "tools[0].name is 'find', which a tool in code has, too: rename one, or define it in one place only";
    expect([code, printed]).toEqual([1, [`${tools}:1:17: ${message}`]]);
  });

  it('tells that there is no such file', async () => {
    const { code, printed } = await cli('spec', 'check', join(folder, 'dsk.yaml'), '--json');
    expect([code, JSON.parse(printed.join(''))]).toMatchObject([
      1,
      { ok: false, problems: [{ message: "is no file or folder; did you mean 'desk.yaml'?" }] },
    ]);
  });
});

describe('longhaul spec schema', () => {
  it('prints the JSON Schema of specs', async () => {
    const { code, printed } = await cli('spec', 'schema');
    expect([code, JSON.parse(printed.join('\n'))]).toEqual([0, specFileSchema()]);
  });
});
