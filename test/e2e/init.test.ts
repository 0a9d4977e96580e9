// `longhaul init`: the project that it writes is used as its reader would, with the built package, offline.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import manifest from '../../package.json';
import { timeSkippingServerPath } from '../servers';
import { builtCli, type BuiltCli, type Finished } from './built-cli';

const root = resolve(__dirname, '../..');
const run = promisify(execFile);

describe('longhaul init', () => {
  let cli: BuiltCli;
  let folder: string;
  let written: Finished;
  let project: string;
  beforeAll(async () => {
    cli = await builtCli();
    folder = await cli.project({});
    written = await cli.run(['init', 'My Agent'], { cwd: folder });
    project = join(folder, 'My Agent');
    for (const name of ['zod', 'openai', '@types/node']) {
      const link = join(project, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(root, 'node_modules', name), link);
    }
  });
  afterAll(async () => {
    cli.killAll();
    await rm(folder, { recursive: true });
  });

  it('writes the project where it was told to, and says what comes next', () => {
    expect(written).toMatchObject({ code: 0 });
    expect(written.stdout).toContain(`${join('My Agent', 'src/agent.ts')}\n`);
    expect(written.stderr).toBe("next: cd 'My Agent' && npm install && npm test && npm run dev\n");
  });

  it('asks for the package that wrote it, and for versions that are tested here', async () => {
    const text = await readFile(join(project, 'package.json'), 'utf8');
    const { name, dependencies, devDependencies } = JSON.parse(text) as typeof manifest;
    expect(name).toBe('my-agent');
    const { longhaul } = dependencies as unknown as { longhaul: string };
    const source = join(await realpath(project), longhaul.replace(/^file:/, ''));
    expect(await readFile(join(source, 'package.json'), 'utf8')).toContain('"longhaul"');
    const { longhaul: _, ...others } = { longhaul: '', ...dependencies, ...devDependencies };
    expect(others).toEqual(
      Object.fromEntries(
        Object.keys(others).map((other) => [
          other,
          { ...manifest.dependencies, ...manifest.devDependencies }[other as 'zod'],
        ]),
      ),
    );
  });

  it('has types without errors, and a test that passes', async () => {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], { cwd: project });
    const env = { ...process.env, TEMPORAL_TEST_SERVER: timeSkippingServerPath() };
    const { stdout } = await run('npm', ['test'], { cwd: project, env });
    expect(stdout).toMatch(/pass 1\n.*fail 0\n/s);
  });

  it('runs without an API key, and pays once', async () => {
    const queue = ['--task-queue', `init-${randomUUID()}`];
    const id = `refund-${randomUUID()}`;
    const text = 'Order 1042 came broken: 80 euros, please.';
    const args = ['run', 'support', text, '--workflow-id', id, ...queue];
    const asked = await cli.run(args, { cwd: project });
    expect(asked).toMatchObject({ code: 3 });
    expect(asked.stderr).toContain('OPENAI_API_KEY is not set: src/script.ts answers');
    expect(
      await cli.run(['answer', id, '--approve', 'a1.0', '--follow'], { cwd: project }),
    ).toMatchObject({
      code: 0,
      stdout: '80 euros of order 1042 are paid back.\n',
    });
    const ledger = await readFile(join(project, 'ledger.txt'), 'utf8');
    expect(ledger).toMatch(/^1042 80 [0-9a-f]{64}\n$/);
  });
});
