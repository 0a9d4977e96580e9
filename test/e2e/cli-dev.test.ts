// `longhaul dev` as a process of its own, with dev servers of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/server/dev/dev-server';
import { devServerAddress } from '../servers';
import { builtCli, until, type BuiltCli, type RunningCli } from './built-cli';
import { runInProcess } from './in-process-cli';
import { cliAgents } from './cli-agents';

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('longhaul dev', () => {
  let cli: BuiltCli;
  let project: string;

  beforeAll(async () => {
    cli = await builtCli();
    project = await cli.project({ 'longhaul.config.mjs': cliAgents });
  });
  afterEach(() => cli.killAll());

  type Dev = { running: RunningCli; address: string; uiUrl: string; folder: string };

  /** The agents' file writes the process ids of the workers that load it. */
  const witness = `
    import { appendFileSync } from 'node:fs';
    if (process.argv.includes('dev-worker')) appendFileSync('workers.txt', process.pid + '\\n');
  `;
  const hello = `
    import { defineAgent } from 'longhaul';
    export default defineAgent({ id: 'hello', model: 'openai/small' });
  `;
  const workersOf = (folder: string): number[] =>
    readFileSync(join(folder, 'workers.txt'), 'utf8').trim().split('\n').map(Number);
  const lastWorkerOf = (folder: string): number => workersOf(folder).at(-1) ?? -1;

  const startDev = (...args: string[]): Promise<Dev> => startBy(cli.start, ...args);
  const startBy = async (start: BuiltCli['start'], ...args: string[]): Promise<Dev> => {
    const folder = await cli.project({
      'longhaul.config.mjs': cliAgents + witness,
      'hello.mts': hello + witness,
    });
    const ports = ['--port', String(await freePort()), '--ui-port', String(await freePort())];
    const running = start(['dev', ...ports, ...args], { cwd: folder });
    await running.shows(/^Temporal {2}\S+/m);
    const find = (pattern: RegExp): string => pattern.exec(running.stdout())?.[1] ?? '';
    const [address, uiUrl] = [find(/^Temporal\s+(\S+)/m), find(/^Web UI\s+(\S+)/m)];
    return { running, address, uiUrl, folder };
  };
  const answerOf = async ({ address }: Dev): Promise<string> =>
    (await runInProcess('run', 'helper', 'hi', '--address', address, '--no-worker')).stdout;
  const isGone = async ({ uiUrl, folder }: Dev): Promise<boolean> => {
    const isServing = await fetch(uiUrl).then(
      () => true,
      () => false,
    );
    return !isServing && !workersOf(folder).some(isRunning);
  };

  it('serves agents, reloads them, keeps the old ones when the new do not load, starts another worker when one dies, and goes without a trace', async () => {
    const dev = await startDev();
    const { running, folder } = dev;
    const file = join(folder, 'longhaul.config.mjs');
    await running.shows(
      /^Agents {4}helper, .* {2}\(longhaul\.config\.mjs, task queue longhaul\)$/m,
    );
    expect((await fetch(dev.uiUrl)).status).toBe(200);
    expect(await answerOf(dev)).toBe('Hello.\n');

    writeFileSync(file, (cliAgents + witness).replaceAll('Hello.', 'Good evening.'));
    await running.shows(/^reloaded: helper\b/m);
    expect(await answerOf(dev)).toBe('Good evening.\n');

    writeFileSync(file, 'this is no code');
    await running.shows(/^error: cannot load longhaul\.config\.mjs:1: .*keep running\)$/m);
    expect(await answerOf(dev)).toBe('Good evening.\n');

    writeFileSync(file, (cliAgents + witness).replaceAll('Hello.', 'Good night.'));
    await running.shows(/^reloaded: [^]*^reloaded: helper\b/m);
    const worker = lastWorkerOf(folder);
    process.kill(worker, 'SIGKILL');
    await running.shows(/^warning: the worker ended \(SIGKILL\)[^]*^reloaded: helper\b/m);
    expect(lastWorkerOf(folder)).not.toBe(worker);
    expect(await answerOf(dev)).toBe('Good night.\n');

    running.kill('SIGINT');
    expect((await running.finished).code).toBe(0);
    await until(() => isGone(dev));
  });

  it('serves one file, and takes everything down with it when it is killed', async () => {
    const dev = await startDev('hello.mts');
    await dev.running.shows(/^Agents {4}hello {2}\(hello\.mts, /m);
    dev.running.kill('SIGKILL');
    await until(() => isGone(dev));
  });

  it('goes with the process that started it', async () => {
    const dev = await startBy(cli.startBelow);
    dev.running.kill('SIGKILL');
    await until(() => isGone(dev));
  });

  it('keeps runs for the next time', async () => {
    const first = await startDev('--no-worker');
    const args = ['run', 'helper', 'hi', '--detach', '--address', first.address];
    const { stdout } = await runInProcess(...args);
    first.running.kill('SIGTERM');
    expect((await first.running.finished).code).toBe(0);
    const db = join(first.folder, '.longhaul', 'temporal.db');
    const second = await startDev('--no-worker', '--db', db);
    const shown = ['show', stdout.trim(), '--address', second.address];
    expect((await runInProcess(...shown)).stdout).toMatch(/^helper-\S+ {2}running$/m);

    const third = await cli.run(['dev', '--no-worker', '--db', db], { cwd: second.folder });
    expect(third.code).toBe(5);
    expect(third.stderr).toMatch(/^error: \S+temporal\.db is in use by another server/);
  });

  it('refuses a port that is taken, agents that do not load, and a folder without any', async () => {
    const port = devServerAddress().split(':')[1] ?? '';
    const taken = await cli.run(['dev', '--port', port], { cwd: project });
    expect(taken).toMatchObject({ code: 5, stdout: '' });
    expect(taken.stderr).toBe(
      `error: Port ${port} of 127.0.0.1 is already in use: choose another one.\n`,
    );

    const broken = await cli.project({ 'longhaul.config.mjs': 'export default {' });
    const unloaded = await cli.run(['dev', '--port', String(await freePort())], { cwd: broken });
    expect(unloaded).toMatchObject({ code: 1, stdout: '' });
    expect(unloaded.stderr).toMatch(/^error: cannot load longhaul\.config\.mjs:1: [^\n]*\n$/);

    const empty = await cli.run(['dev'], { cwd: await cli.project({}) });
    expect(empty.code).toBe(2);
    expect(empty.stderr).toMatch(/^error: there are no agents here\. [^]*longhaul init my-agent/);
  });

  it.each([
    ['below a file', 'a-file/runs.db', "cannot be made: '\\S+a-file' is not a folder"],
    ['that is a folder', 'a-folder', 'is a folder: name a file in it'],
  ])('refuses a database %s before it looks for agents', async (_, db, problem) => {
    const cwd = await cli.project({ 'a-file': '', 'a-folder/x': '' });
    const refused = await cli.run(['dev', '--db', db], { cwd });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`^error: --db: '${db}' ${problem}\n$`));
  });
});
