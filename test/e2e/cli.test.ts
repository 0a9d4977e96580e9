// `longhaul run` and what answers it, against the dev server of this Jest run: what needs no process of its own runs in this one.
import { randomUUID } from 'node:crypto';
import type { Longhaul } from '../../src/client';
import { linesOf, until, type Finished } from './built-cli';
import { useCliProject } from './cli-project';
import { useInProcessCli } from './in-process-cli';
import { escapes } from './cli-agents';

const workflowIdOf = ({ stderr }: Pick<Finished, 'stderr'>): string =>
  /^run (\S+)$/m.exec(stderr)?.[1] ?? '';

async function isCallingModel({ client }: Longhaul, workflowId: string): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  return (raw.pendingActivities ?? []).some(
    ({ activityType }) => activityType?.name === 'callModel',
  );
}

describe('longhaul', () => {
  const project = useCliProject();
  const inProcess = useInProcessCli();
  const nobodysQueue = (): string[] => ['--task-queue', `unserved-${randomUUID()}`];

  describe('run', () => {
    it('serves the agents of the folder, shows the steps on stderr and the answer on stdout', async () => {
      const finished = await project.runAgent('weather');
      expect(finished).toMatchObject({ code: 0, stdout: 'It is this: Paris: 22 degrees\n' });
      expect(finished.stderr).toMatch(/^run helper-\S+$/m);
      expect(finished.stderr).toContain('#1  call    get_weather {"city":"Paris"}\n');
      expect(finished.stderr).toContain('#1  result  get_weather Paris: 22 degrees\n');
      expect(finished.stdout + finished.stderr).not.toMatch(escapes);
    });

    it('names file and line of a tool that throws, for the person and not for the model', async () => {
      const { stderr, stdout } = await project.runAgent('broken');
      expect(stderr).toMatch(
        /^error: tool 'find_city' failed: TypeError: .*\n {4}at .*longhaul\.config\.mjs:\d+:\d+\)?$/m,
      );
      expect(stderr).not.toContain('node_modules');
      expect(stdout).toContain("The tool 'find_city' failed: TypeError");
      expect(stdout).not.toContain('longhaul.config.mjs');
    });

    it('prints one JSON object per line: the entries of the log, what the run says meanwhile, then the outcome', async () => {
      const finished = await inProcess.runAgent(
        'weather',
        '--json',
        '--workflow-id',
        `json-${randomUUID()}`,
      );
      const lines = linesOf(finished);
      expect(finished.code).toBe(0);
      const ofKind = (kind: string): unknown[] =>
        lines.filter((line) => (line as { kind?: unknown }).kind === kind);
      expect(ofKind('event')).toEqual(
        ['user', 'model-turn', 'tool-result', 'model-turn'].map((kind, index): unknown => {
          const entry = expect.objectContaining({ kind });
          return expect.objectContaining({ kind: 'event', index, entry });
        }),
      );
      const types = ofKind('stream').map((line) => (line as { type?: unknown }).type);
      expect(types).toEqual(expect.arrayContaining(['step-begin', 'text', 'result', 'step-end']));
      expect(types.at(-1)).toBe('end');
      expect(lines.at(-1)).toMatchObject({ kind: 'complete', result: { iterations: 1 } });
      expect(finished.stdout).not.toMatch(escapes);
      expect(finished.stderr).toBe('');
    });

    it('says what is asked when nobody can answer; answer serves the run and goes on from there', async () => {
      const paused = await project.runAgent('ask');
      const workflowId = workflowIdOf(paused);
      expect(paused.code).toBe(3);
      expect(paused.stdout).toBe(
        `helper asks: Which city?\n  1. Paris\n  2. Rome\nanswer with: npx longhaul answer ${workflowId} 'your answer'\n`,
      );
      const resumed = await project.run('answer', workflowId, '2');
      expect(resumed).toMatchObject({ code: 0, stdout: 'It is this: Rome\n' });
    });

    it('refuses an answer to another question, and one that comes too late', async () => {
      const workflowId = workflowIdOf(await inProcess.runAgent('ask'));
      const wrong = await inProcess.run('answer', workflowId, 'Rome', '--input-id', 'q9');
      expect(wrong.code).toBe(1);
      expect(wrong.stderr).toMatch(/^error: .*q9/m);
      const resumed = await inProcess.run('answer', workflowId, '2', '--follow');
      expect(resumed).toMatchObject({ code: 0, stdout: 'It is this: Rome\n' });
      const again = await inProcess.run('answer', workflowId, '2');
      expect(again.code).toBe(1);
      expect(again.stderr).toMatch(
        /^error: run '\S+' is not waiting for an answer: it is completed$/m,
      );
    });

    it('gives its answers to the pauses', async () => {
      const [finished, refused] = await Promise.all([
        inProcess.runAgent('ask', '--answer', 'Oslo'),
        inProcess.runAgent('mail', '--answer', 'n: not now'),
      ]);
      expect(finished).toMatchObject({ code: 0, stdout: 'It is this: Oslo\n' });
      expect(refused).toMatchObject({ code: 0, stdout: 'It is this: not now\n' });
    });

    it('waits for an approval that answer gives', async () => {
      const paused = await inProcess.runAgent('mail', '--json');
      expect(paused.code).toBe(3);
      const outcome = linesOf(paused).at(-1) as { workflowId: string; inputId: string };
      const said = ['--as', 'ada:mail', '--note', 'she asked', '--args', '{"to":"eve"}'];
      const args = [...said, '--json', '--follow'];
      const approved = await inProcess.run(
        'answer',
        outcome.workflowId,
        '--approve',
        outcome.inputId,
        ...args,
      );
      expect(approved.code).toBe(0);
      const { result } = linesOf(approved).at(-1) as {
        result: { finalResponse: { text: string } };
      };
      expect(result.finalResponse.text).toContain('sent to eve');
      const audit = await inProcess.run('show', outcome.workflowId, '--audit');
      expect(audit.code).toBe(0);
      expect(linesOf(audit)).toMatchObject([
        { kind: 'start', agent: 'helper' },
        {
          verdict: 'approve',
          by: { id: 'ada', roles: ['mail'] },
          note: 'she asked',
          tool: 'send_mail',
          args: { to: 'bob' },
          edited: { to: 'eve' },
        },
      ]);
      expect(await inProcess.run('show', 'no-such-run', '--audit')).toMatchObject({
        code: 1,
        stdout: '',
      });
    });

    it('waits for an approval that answer refuses', async () => {
      const paused = await inProcess.runAgent('mail');
      const { 1: inputId = '' } = /--reject (\S+)/.exec(paused.stdout) ?? [];
      const refused = await inProcess.run(
        'answer',
        workflowIdOf(paused),
        '--reject',
        inputId,
        'too late',
        '--follow',
      );
      expect(refused).toMatchObject({ code: 0, stdout: 'It is this: too late\n' });
    });

    it('reads the input from stdin and agents in TypeScript from a file', async () => {
      const typed = await project.cli.project({
        'agents/typed.ts': `
          import { defineAgent, type Agent } from 'longhaul';
          import { provider } from './provider.ts';
          const agent: Agent = defineAgent({ id: 'typed', model: 'scripted/one' });
          export default { runners: [agent], providers: { scripted: provider } };`,
        'agents/provider.ts': `
          import { scriptedModel } from 'longhaul/testing';
          export const provider = scriptedModel([({ messages }) => JSON.stringify(messages[0]?.parts)]);`,
      });
      const args = ['run', 'typed', '-', '--agents', 'agents/typed.ts', ...project.queue];
      const finished = await project.cli.run(args, { cwd: typed, input: 'from a pipe\n' });
      expect(finished).toMatchObject({
        code: 0,
        stdout: '[{"type":"text","text":"from a pipe"}]\n',
      });
      expect(finished.stderr).not.toContain('warning');
    });

    it('ends with the error of a run that failed', async () => {
      const finished = await inProcess.runAgent('loop', '--json');
      const message = expect.stringContaining('raise maxIterations');
      expect(finished.code).toBe(1);
      expect(linesOf(finished).at(-1)).toEqual({
        error: { code: 'MaxIterationsExceeded', message, details: expect.anything() },
      });
      expect(finished.stderr).toMatch(/^error: [^\n]*raise maxIterations[^\n]*\n$/);
    });

    it('refuses an agent that the folder does not have, before it starts a run', async () => {
      const finished = await inProcess.run(
        'run',
        'helpr',
        'hi',
        '--agents',
        inProcess.file,
        ...nobodysQueue(),
      );
      expect(finished.code).toBe(1);
      expect(finished.stderr).toMatch(/^error: .*did you mean 'helper'\?[^\n]*\n$/);
    });

    it('is over when its run is cancelled from elsewhere', async () => {
      const workflowId = `slow-${randomUUID()}`;
      const running = project.cli.start(
        ['run', 'helper', 'slow', '--workflow-id', workflowId, ...project.queue],
        {
          cwd: project.folder,
        },
      );
      await running.shows(/^run slow-/m);
      await until(() => isCallingModel(project.longhaul, workflowId));
      const cancelled = await inProcess.run('cancel', workflowId, '--reason', 'changed my mind');
      expect(cancelled).toMatchObject({ code: 0, stdout: `cancelling ${workflowId}\n` });
      const finished = await running.finished;
      expect(finished.code).toBe(4);
      expect(finished.stderr).toContain('error: changed my mind\n');
      const again = await inProcess.run('cancel', workflowId, '--json');
      expect(linesOf(again)).toEqual([{ workflowId, cancelling: false, status: 'cancelled' }]);
    });

    it('leaves the run alone on Ctrl-C', async () => {
      const workflowId = `left-${randomUUID()}`;
      const running = project.cli.start(
        ['run', 'helper', 'slow', '--workflow-id', workflowId, ...project.queue],
        {
          cwd: project.folder,
        },
      );
      await running.shows(/^run left-/m);
      running.kill('SIGINT');
      const finished = await running.finished;
      expect(finished.code).toBe(130);
      expect(finished.stderr).toContain(`longhaul cancel ${workflowId}`);
      expect((await project.longhaul.run(workflowId, { withoutWorker: true }).state()).status).toBe(
        'running',
      );
      await inProcess.run('cancel', workflowId);
    });

    it('only starts the run with --detach', async () => {
      const finished = await inProcess.run(
        'run',
        'helper',
        'weather',
        '--detach',
        ...nobodysQueue(),
      );
      expect(finished.code).toBe(0);
      expect(finished.stdout).toMatch(/^helper-\S{12}\n$/);
      expect(finished.stderr).toMatch(/^warning: no worker polls task queue 'unserved-/);
      await inProcess.run('cancel', finished.stdout.trim());
    });

    it('is over soon when nobody works', async () => {
      const finished = await inProcess.run(
        ...['run', 'helper', 'hi', '--no-worker', '--json'],
        ...nobodysQueue(),
      );
      expect(finished.code).toBe(5);
      expect(linesOf(finished)).toEqual([{ error: expect.objectContaining({ code: 'NoWorker' }) }]);
    });
  });

  it('documents its exit codes', async () => {
    const { code, stdout } = await project.run('--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/3 {4}the run needs input/);
    expect((await project.run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await project.run()).code).toBe(2);
  });
});
