// Specs from the command line on the dev server: what serves them is a process of its own.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../src/server/dev/dev-server';
import { devServerAddress } from '../servers';
import { builtCli, linesOf, type BuiltCli, type Finished } from './built-cli';
import { runInProcess } from './in-process-cli';

/** Answers by what it is told: the run shows which instructions it was given. */
const tools = `
import { defineTool } from 'longhaul';
import { scriptedModel } from 'longhaul/testing';

const answer = ({ instructions, messages, tools }) => {
  const last = messages.at(-1);
  const isAsked = last.role === 'user' && tools.some(({ name }) => name === 'ask_user');
  if (isAsked) return { toolCalls: [{ name: 'ask_user', args: { question: 'Go on?' } }] };
  if (last.role === 'user' && tools.length > 0) return { toolCalls: [{ name: 'tell_time', args: {} }] };
  return instructions + ' ' + JSON.stringify(last.parts).includes('noon');
};
export default {
  tools: [
    defineTool({ name: 'tell_time', description: 'Tells the time', inputSchema: { type: 'object', properties: {} }, execute: () => 'noon' }),
  ],
  providers: {
    scripted: { name: 'scripted', call: (request, options) => scriptedModel([answer]).call(request, options) },
  },
};
`;
const agents = (word: string): string => `
agents:
  - { id: clock, model: scripted/one, instructions: ${word} CLOCK, tools: [tell_time] }
  - { id: careful, model: scripted/one, instructions: ${word}, askUser: tool }
workflows:
  - { id: both, kind: sequential, passOutput: combined, steps: [clock, plain] }
`;
const plain =
  'agents: [{ id: plain, model: scripted/one, instructions: { path: prompts/plain.md } }]';

describe('specs on the command line', () => {
  let cli: BuiltCli;
  let cwd: string;
  beforeAll(async () => {
    process.env['TEMPORAL_ADDRESS'] = devServerAddress();
    cli = await builtCli();
    cwd = await cli.project({
      'tools.mjs': tools,
      'specs/agents.yaml': agents('OLD'),
      'specs/plain.yaml': plain,
      'specs/prompts/plain.md': 'PLAIN',
    });
  });
  afterEach(() => cli.killAll());
  const specs = ['-f', 'specs', '--tools', 'tools.mjs'];

  it('runs an agent of a folder without any other worker', async () => {
    const agent = await cli.run(['run', 'clock', 'hi', ...specs], { cwd });
    expect(agent).toMatchObject({ code: 0, stdout: 'OLD CLOCK true\n' });
    expect(agent.stderr).toMatch(/^run clock-\w+ on task queue longhaul-run-\w+$/m);
  });

  it('says how to answer a pause, and answers it', async () => {
    const paused = await cli.run(['run', 'careful', 'hi', ...specs], { cwd });
    expect(paused.code).toBe(3);
    const [, workflowId = ''] = /longhaul answer (\S+) /.exec(paused.stdout) ?? [];
    expect(paused.stdout).toContain(
      `npx longhaul answer ${workflowId} 'your answer' ${specs.join(' ')}\n`,
    );
    const unserved = await cli.run(['answer', workflowId, 'yes'], { cwd });
    expect(unserved).toMatchObject({ code: 5, stdout: '' });
    expect(unserved.stderr).toBe(
      'error: the run was started with -f, and no worker serves it now: give the same -f, --tools and --overlay here\n',
    );
    const resumed = await cli.run(['answer', workflowId, 'yes', ...specs], { cwd });
    expect(resumed).toMatchObject({ code: 0, stdout: 'OLD false\n' });
  });

  it('refuses what it cannot run before it connects', async () => {
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const unknown = await cli.run(['run', 'clok', 'hi', ...specs], { cwd, env });
    expect(unknown.stderr).toMatch(
      /^error: Runner 'clok' is not registered here; did you mean 'clock'\?/,
    );
    const codeless = await cli.run(['worker', '-f', 'specs'], { cwd, env });
    expect(codeless.stderr).toMatch(
      /^error: specs\/agents\.yaml:3:\d+: agents\[0\]\.tools\[0\] is/,
    );
    expect((await cli.run(['worker', ...specs], { cwd, env })).code).toBe(5);
  });

  it('serves agents and workflows of a folder and reloads it: a run that waits keeps the old definition, a new one gets the new', async () => {
    const file = join(cwd, 'specs/agents.yaml');
    const queue = ['--task-queue', `watched-${process.pid}`];
    const worker = cli.start(['worker', ...specs, '--watch', ...queue], { cwd });
    await worker.shows(
      /^Agents {4}clock, careful, both, plain {2}\(specs, task queue watched-\d+\)$/m,
    );
    const run = (...args: string[]): Promise<Finished> =>
      runInProcess('run', ...args, ...queue, '--no-worker');
    const paused = await run('careful', 'hi');
    const [, workflowId = ''] = /longhaul answer (\S+) /.exec(paused.stdout) ?? [];
    expect(linesOf(await run('both', 'hi', '--json')).at(-1)).toMatchObject({
      kind: 'complete',
      result: { finalResponse: { text: 'PLAIN false' } },
    });

    writeFileSync(file, agents('NEW'));
    await worker.shows(/^reloaded: clock, careful, both, plain$/m);
    expect((await run('clock', 'hi')).stdout).toBe('NEW CLOCK true\n');
    const resumed = await runInProcess('answer', workflowId, 'yes', '--follow', '--no-worker');
    expect(resumed.stdout).toBe('OLD false\n');

    writeFileSync(file, 'agents: [{ id: clock }]');
    await worker.shows(
      /^error: specs\/agents\.yaml:1:\d+: .*\(the agents from before keep running\)$/m,
    );
    writeFileSync(join(cwd, 'specs/prompts/added.md'), 'ADDED');
    writeFileSync(join(cwd, 'specs/added.yaml'), plain.replaceAll('plain', 'added'));
    rmSync(file);
    await worker.shows(/^reloaded: added, plain$/m);
    expect((await run('added', 'hi')).stdout).toBe('ADDED false\n');
    writeFileSync(file, agents('OLD'));
    worker.kill('SIGINT');
    expect((await worker.finished).code).toBe(0);
  });

  it('tells that a worker takes work, and ends it by a signal', async () => {
    const queue = ['--task-queue', `stopped-${process.pid}`];
    const health = `127.0.0.1:${await freePort()}`;
    const worker = cli.start(['worker', ...specs, ...queue, '--health', health], { cwd });
    await worker.shows(/^Agents {4}/m);
    const answer = await fetch(`http://${health}`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'RUNNING' }]);
    worker.kill('SIGTERM');
    expect(await worker.finished).toMatchObject({
      code: 0,
      stderr: 'stopping: calls in flight may end\n',
    });
  });
});
