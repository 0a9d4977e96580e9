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
    { args: ['answer', 'a'], message: 'the answer is missing: give it after the id of the run' },
    {
      args: ['answer', 'a', '--reject', 'a1.0'],
      message: 'the reason is missing: give it after the id of the run',
    },
    { args: ['answer', 'a', '--approve'], message: /'--approve <inputId>' argument missing/ },
    {
      args: ['answer', 'a', 'yes', '--approve', 'a1.0'],
      message: '--approve takes no value: --args changes the arguments of the call',
    },
    { args: ['answer', 'a', 'yes', '--args', '{}'], message: '--args needs --approve' },
    {
      args: ['answer', 'a', '--approve', 'a1.0', '--args', '[]'],
      message: '--args must be a JSON object',
    },
    { args: ['list', '--limit', '0'], message: /is not a number of lines/ },
    { args: ['list', '--status', 'done'], message: /Allowed choices are loading, running/ },
    {
      args: ['list', '--inbox', '--kind', 'mail'],
      message: /Allowed choices are question, approval, tool, budget/,
    },
    { args: ['list', '--kind', 'tool'], message: '--kind needs --inbox' },
    { args: ['list', '--threads', '--whole'], message: '--whole needs --inbox' },
    { args: ['cancel'], message: 'name either a run to cancel or --orphans' },
    { args: ['cancel', 'a', '--orphans'], message: 'name either a run to cancel or --orphans' },
    { args: ['doctor', 'default'], message: /too many arguments/ },
    { args: ['spec', 'chek'], message: "unknown command 'chek' (Did you mean check?)" },
    { args: ['spec', 'check', 'a', 'b'], message: /too many arguments/ },
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
    { args: ['dev', 'no-such.mts'], message: /there is no file 'no-such.mts'/ },
    { args: ['dev', 'no.yaml'], message: /no file or folder 'no\.yaml'/ },
  ])('refuses $args as wrong usage', async ({ args, message }) => {
    const terminal = fakeTerminal();
    expect(await runCli(args, terminal)).toBe(2);
    expect(terminal.noted).toEqual([expect.stringMatching(/^error: /)]);
    const said = terminal.noted[0]?.slice('error: '.length);
    expect(said).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(terminal.printed).toEqual([]);
  });

  it.each([
    {
      args: ['answer', 'a', 'b'],
      choices: ['--input-id', '--approve', '--reject', '--complete', '--fail'],
    },
    { args: ['show', 'a'], choices: ['--why', '--audit', '--trace', '--tree'] },
    { args: ['list'], choices: ['--inbox', '--threads'] },
    { args: ['list'], choices: ['--inbox', '--children'] },
    { args: ['list'], choices: ['--threads', '--children'] },
  ])('takes one of $choices at most', async ({ args, choices }) => {
    for (const one of choices)
      for (const other of choices.filter((choice) => choice !== one)) {
        const terminal = fakeTerminal();
        const words = [one, other].flatMap((flag) => (args[0] === 'answer' ? [flag, 'x'] : [flag]));
        expect(await runCli([...args, ...words], terminal)).toBe(2);
        expect(terminal.noted).toEqual([expect.stringMatching(/ cannot be used with option /)]);
      }
  });

  it.each([
    ['resume', 'answer <id> <text>'],
    ['approve', 'answer <id> --approve <inputId>'],
    ['reject', 'answer <id> --reject <inputId> <reason>'],
    ['complete', 'answer <id> --complete <inputId> <json>'],
    ['fail', 'answer <id> --fail <inputId> <reason>'],
    ['why', 'show <id> --why'],
    ['audit', 'show <id> --audit'],
    ['inbox', 'list --inbox'],
    ['threads', 'list --threads'],
    ['validate', 'spec check <path>'],
    ['diff', 'spec diff <old> <new>'],
    ['schema', 'spec schema'],
    ['setup', 'doctor --fix'],
  ])('says that %s is now %s', async (former, now) => {
    const terminal = fakeTerminal();
    expect(await runCli([former, 'a', '--json'], terminal)).toBe(2);
    expect(terminal.noted).toEqual([`error: '${former}' is now '${now}'`]);
    expect(terminal.printed).toEqual([expect.stringContaining('"code":"UsageError"')]);
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
    await runCli(['spec', 'schema'], terminal, crashed).finally(
      () => delete process.env['LONGHAUL_DEBUG'],
    );
    const stacks = terminal.noted.slice(1).join('\n');
    expect(stacks).toMatch(/^Error: \[redacted\]\n\s+at .*run-cli\.test/);
    expect(stacks).toContain('Error: at postgres://[redacted]@db/x');
    expect(stacks).not.toMatch(/sk-live|hunter2|\u001b/);
  });

  it('says what to write where there are no agents', async () => {
    const terminal = fakeTerminal();
    expect(await runCli(['worker'], terminal)).toBe(2);
    expect(terminal.noted).toEqual([expect.stringContaining('write longhaul.config.mjs: import')]);
  });

  it('has help that fits 80 columns, and breaks no word', () => {
    const program = createProgram({ terminal: fakeTerminal(), finish: () => undefined });
    const wide: string[] = [];
    const nested = program.commands.flatMap(({ commands }) => commands);
    for (const command of [program, ...program.commands, ...nested]) {
      const output = (text: string): void =>
        void wide.push(...text.split('\n').filter((line) => line.length > 80));
      command.configureOutput({ getOutHelpWidth: () => 80, writeOut: output });
      command.outputHelp();
    }
    expect(wide).toEqual([]);
  });
});
