// Pure: no server. Command lines that end before anything is connected to.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram, runCli } from '../../../src/cli/run-cli';
import { fakeTerminal } from './fake-terminal';

describe('runCli', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-cli-'));
    writeFileSync(join(folder, 'list.json'), '[1]');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    { args: ['nonsense'], message: "unknown command 'nonsense'" },
    { args: ['lst'], message: "unknown command 'lst' (Did you mean list?)" },
    { args: ['run'], message: "missing required argument 'agent'" },
    { args: ['run', 'weather'], message: "missing required argument 'input'" },
    { args: ['run', 'a', 'b', 'c'], message: /too many arguments/ },
    { args: ['run', 'a', 'b', '--nope'], message: "unknown option '--nope'" },
    { args: ['run', 'a', 'b', '--session', '{'], message: /^--session is not JSON: / },
    { args: ['run', 'a', 'b', '--session', '[1]'], message: '--session must be a JSON object' },
    { args: ['run', 'a', 'b', '--session', '@no-such'], message: /cannot read no-such: ENOENT/ },
    { args: ['run', 'a', 'b', '--context', '1'], message: '--context must be a JSON object' },
    { args: ['approve', 'a', 'b', '--args', '[]'], message: '--args must be a JSON object' },
    { args: ['list', '--limit', '0'], message: /is not a number of lines/ },
    { args: ['list', '--status', 'done'], message: /Allowed choices are loading, running/ },
    {
      args: ['inbox', '--kind', 'mail'],
      message: /Allowed choices are question, approval, tool, budget/,
    },
    { args: ['cancel'], message: 'name either a run to cancel or --orphans' },
    { args: ['cancel', 'a', '--orphans'], message: 'name either a run to cancel or --orphans' },
    { args: ['setup', 'default'], message: /too many arguments/ },
    { args: ['dev', '--port', '70000'], message: /'70000' is not a port/ },
    { args: ['run', 'a', 'b', '-f', 'no.yaml'], message: /no file or folder 'no\.yaml'/ },
    {
      args: ['run', 'a', 'b', '-f', '.', '--no-worker'],
      message: /cannot be used with --no-worker/,
    },
    { args: ['run', 'a', 'b', '-f', '.', '--detach'], message: /leave -f out here/ },
    { args: ['worker', '--tools', 'a.js'], message: '--tools needs specs: name them with -f' },
    { args: ['worker', '--health', 'here'], message: /'here' is not an address/ },
    { args: ['worker', '--health', '127.0.0.1:99999'], message: /'99999' is not a port/ },
    {
      args: ['worker', '-f', '.', '--watch', '--health', '1'],
      message: /cannot be used with --watch/,
    },
    { args: ['worker', '-f', 'no.yaml'], message: /no file or folder 'no\.yaml'/ },
    { args: ['dev', '--agents', 'no-such.mjs'], message: /there is no file 'no-such.mjs'/ },
  ])('refuses $args as wrong usage', async ({ args, message }) => {
    const terminal = fakeTerminal();
    expect(await runCli(args, terminal)).toBe(2);
    expect(terminal.noted).toEqual([expect.stringMatching(/^error: /)]);
    const said = terminal.noted[0]?.slice('error: '.length);
    expect(said).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(terminal.printed).toEqual([]);
  });

  it('reads JSON from a file', async () => {
    const terminal = fakeTerminal();
    const file = join(folder, 'list.json');
    expect(await runCli(['run', 'a', 'b', '--session', `@${file}`], terminal)).toBe(2);
    expect(terminal.noted).toEqual(['error: --session must be a JSON object']);
  });

  it('prints errors as JSON with --json, too', async () => {
    const terminal = fakeTerminal();
    expect(await runCli(['run', 'a', '--json'], terminal)).toBe(2);
    const message = "missing required argument 'input'";
    expect(terminal.printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      { error: { code: 'UsageError', message, details: {} } },
    ]);
    expect(terminal.noted).toEqual([`error: ${message}`]);
  });

  it('adds the stack with LONGHAUL_DEBUG=1, without credentials and without commands to the terminal', async () => {
    const terminal = fakeTerminal();
    const cause = new Error('at postgres://app:hunter2@db/x');
    const crashed = Promise.reject<never>(new Error('\u001b[2Jsk-live-0123456789', { cause }));
    process.env['LONGHAUL_DEBUG'] = '1';
    await runCli(['schema'], terminal, crashed).finally(() => delete process.env['LONGHAUL_DEBUG']);
    const stacks = terminal.noted.slice(1).join('\n');
    expect(stacks).toMatch(/^Error: \[redacted\]\n\s+at .*run-cli\.test/);
    expect(stacks).toContain('Error: at postgres://[redacted]@db/x');
    expect(stacks).not.toMatch(/sk-live|hunter2|\u001b/);
  });

  it('says what to write where there are no agents', async () => {
    const terminal = fakeTerminal();
    expect(await runCli(['dev'], terminal)).toBe(2);
    expect(terminal.noted).toEqual([expect.stringContaining('write longhaul.config.mjs: import')]);
  });

  it('has help that fits 80 columns, and breaks no word', () => {
    const program = createProgram({ terminal: fakeTerminal(), finish: () => undefined });
    const wide: string[] = [];
    for (const command of [program, ...program.commands]) {
      const output = (text: string): void =>
        void wide.push(...text.split('\n').filter((line) => line.length > 80));
      command.configureOutput({ getOutHelpWidth: () => 80, writeOut: output });
      command.outputHelp();
    }
    expect(wide).toEqual([]);
  });
});
