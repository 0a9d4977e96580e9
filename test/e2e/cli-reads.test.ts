// `longhaul show`, `list` and `doctor` against the dev server of this Jest run: some as processes of their own, most in
// this process.
import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { msToTs } from '@temporalio/common/lib/time';
import type { InboxItem, RunTree } from '../../src/client';
import { freePort } from '../../src/server/dev/dev-server';
import { openHarness } from '../workflow/harness';
import { linesOf, until, type Finished } from './built-cli';
import { useCliProject } from './cli-project';
import { useInProcessCli } from './in-process-cli';

describe('longhaul', () => {
  const project = useCliProject();
  const inProcess = useInProcessCli();

  describe('show and list', () => {
    it('tell of a run when no worker is left', async () => {
      const workflowId = `shown-${randomUUID()}`;
      expect((await project.runAgent('weather', '--workflow-id', workflowId)).code).toBe(0);
      const shown = await project.run('show', workflowId);
      expect(shown.code).toBe(0);
      expect(shown.stdout).toBe(
        [
          `${workflowId}  completed`,
          'helper · 2 model turns · 30 tokens',
          '',
          'user',
          '  weather',
          '',
          'assistant',
          '  → get_weather {"city":"Paris"}',
          '',
          'tool',
          '  ← get_weather Paris: 22 degrees',
          '',
          'assistant',
          '  It is this: Paris: 22 degrees',
          '',
          'text response',
          '',
        ].join('\n'),
      );
      const read = linesOf(await inProcess.run('show', workflowId, '--json'))[0];
      expect(read).toMatchObject({
        workflowId,
        state: { status: 'completed' },
        result: { iterations: 1 },
        fromHistory: true,
      });
    });

    it('say who polled last, once the only worker was killed', async () => {
      const worker = project.cli.start(['worker', ...project.queue], { cwd: project.folder });
      await worker.shows(/helper/);
      const workflowId = `killed-${randomUUID()}`;
      const start = ['run', 'helper', 'slow', '--detach', '--workflow-id', workflowId];
      await inProcess.run(...start, ...project.queue);
      const run = inProcess.longhaul.client.workflow.getHandle(workflowId);
      await until(async () => {
        const { raw } = await run.describe();
        return (raw.pendingActivities ?? []).some(
          ({ activityType, lastStartedTime }) =>
            activityType?.name === 'callModel' && lastStartedTime,
        );
      });
      worker.kill('SIGKILL');
      await worker.finished;
      const last = new RegExp(`\\(${worker.pid}@.*\\) polled .* ago; it may be gone\\.`);
      expect((await inProcess.run('show', workflowId, '--why')).stdout).toMatch(last);
      expect((await inProcess.run('show', workflowId)).stderr).toMatch(last);
      await run.terminate();
    });

    it('show the runs that a run called, and what each asks, without a worker and with one', async () => {
      const workflowId = `tree-${randomUUID()}`;
      const own = await openHarness();
      const queue = ['--task-queue', own.taskQueue];
      const asked = await project.run('run', 'desk', 'ask', ...queue, '--workflow-id', workflowId);
      expect(asked.code).toBe(3);
      let lines: string[] = [];
      await until(async () => {
        lines = (await inProcess.run('show', workflowId)).stdout.split('\n').slice(3, 9);
        return lines.some((line) => line.includes('asks:'));
      });
      expect(lines.sort()).toEqual([
        '    branch-1 (helper)   needs-input  asks: Which city?',
        '    branch-2 (greeter)  completed',
        '  both                  running      parallel',
        '  greeter               completed',
        'RUN                     STATUS       SO FAR',
        'desk                    needs-input',
      ]);
      await own.worker(inProcess.agents.options);
      let shown: { tree: RunTree; fromHistory?: boolean } | undefined;
      await until(async () => {
        shown = linesOf(await inProcess.run('show', workflowId, '--json'))[0] as typeof shown;
        return shown?.fromHistory === false;
      });
      expect(shown?.tree).toMatchObject({
        runner: 'desk',
        kind: 'sequential',
        usage: { totalTokens: 15 },
        pending: [],
        children: [
          { runner: 'greeter', kind: 'agent', status: 'completed', turn: 1, children: [] },
          {
            runner: 'both',
            kind: 'parallel',
            usage: { totalTokens: 15 },
            children: [
              {
                path: 'desk/both/branch-1',
                turn: 1,
                usage: { totalTokens: 15 },
                pending: [{ question: 'Which city?' }],
              },
              { path: 'desk/both/branch-2', status: 'completed', turn: 1, pending: [] },
            ],
          },
        ],
      });
      await own.longhaul.client.workflow.getHandle(workflowId).terminate();
      await own.close();
    });

    it('list runs by agent and status', async () => {
      const workflowId = `listed-${randomUUID()}`;
      expect((await inProcess.runAgent('ask', '--workflow-id', workflowId)).code).toBe(3);
      const filter = ['list', '--agent', 'helper', '--status', 'needs-input'];
      let found: { workflowId: string }[] = [];
      await until(async () => {
        found = linesOf(await inProcess.run(...filter, '--json'))[0] as { workflowId: string }[];
        return found.some((listed) => listed.workflowId === workflowId);
      });
      expect(found.find((listed) => listed.workflowId === workflowId)).toMatchObject({
        agent: 'helper',
        status: 'needs-input',
        pending: [expect.objectContaining({ question: 'Which city?' })],
      });
      expect(linesOf(await inProcess.run('list', '--limit', '1', '--json'))[0]).toHaveLength(1);
      expect((await inProcess.run(...filter)).stdout).toMatch(
        new RegExp(`^${workflowId} .* Which city\\?$`, 'm'),
      );
      await inProcess.run('cancel', workflowId);
    });

    it('list what runs wait for, and how it is answered', async () => {
      const workflowId = `asking-${randomUUID()}`;
      expect((await inProcess.runAgent('mail', '--workflow-id', workflowId)).code).toBe(3);
      const inbox = ['list', '--inbox', '--agent', 'helper', '--kind', 'approval'];
      let items: InboxItem[] = [];
      await until(async () => {
        const found = linesOf(await inProcess.run(...inbox, '--json'))[0] as InboxItem[];
        items = found.filter((item) => item.workflowId === workflowId);
        return items.length > 0;
      });
      expect(items).toEqual([
        expect.objectContaining({
          agent: 'helper',
          inputId: 'a1.0',
          kind: 'approval',
          path: 'helper',
        }),
      ]);
      const { code, stdout } = await inProcess.run(...inbox);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        new RegExp(`^${workflowId}  a1\\.0 +helper  approval  \\d+ s +May send_mail run\\?`, 'm'),
      );
      expect(stdout).toMatch(/^approve with: npx longhaul answer \S+ --approve /m);
      await inProcess.run('cancel', workflowId);
      const none = await inProcess.run('list', '--inbox', '--agent', 'nobody');
      expect(none).toEqual({ code: 0, stdout: '', stderr: 'nothing waits for an answer\n' });
    });

    it.each([
      ['show', 'no-such-run'],
      ['cancel', 'no-such-run'],
      ['answer', 'no-such-run', 'Rome'],
    ])('say that there is no such run: %s', async (...args) => {
      const finished = await inProcess.run(...args);
      expect(finished).toEqual({
        code: 1,
        stdout: '',
        stderr: "error: there is no run 'no-such-run'\n",
      });
    });
  });

  describe('without a server', () => {
    it.each([
      ['list'],
      ['doctor', '--fix'],
      ['run', 'helper', 'hi'],
      ['show', 'a'],
      ['answer', 'a', 'b'],
    ])('says so at once where nothing listens: %s', async (...args) => {
      const address = `127.0.0.1:${await freePort()}`;
      const finished = await inProcess.run(...args, '--address', address, '--json');
      expect(finished.code).toBe(5);
      expect(linesOf(finished)).toEqual([
        { error: expect.objectContaining({ code: 'ServerUnavailable', details: { address } }) },
      ]);
      expect(finished.stderr).toContain(`error: cannot reach Temporal at ${address}`);
    });

    it('gives up soon where something listens that does not answer', async () => {
      const silent = createServer((socket) => socket.on('error', () => undefined));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const finished = await project.run('list', '--address', address);
      silent.close();
      expect(finished.code).toBe(5);
    });

    it('names a namespace that does not exist', async () => {
      const finished = await inProcess.run('list', '--namespace', 'nowhere');
      expect(finished.code).toBe(5);
      expect(finished.stderr).toContain('temporal operator namespace create');
    });
  });

  describe('doctor --fix', () => {
    it('registers what is missing, once, and not over another type', async () => {
      const namespace = `setup-${randomUUID()}`;
      const { workflowService, connection } = inProcess.longhaul.client;
      const workflowExecutionRetentionPeriod = msToTs('1 day');
      await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
      const setUp = async (...args: string[]): Promise<Finished> =>
        await inProcess.run('doctor', '--fix', '--namespace', namespace, ...args);
      let finished = await setUp();
      await until(async () => finished.code === 0 || (finished = await setUp()).code === 0);
      expect(finished.stdout).toMatch(
        /^registered +LonghaulAgent +Keyword\nregistered +LonghaulStatus +Keyword\nregistered +LonghaulKey +KeywordList\n$/,
      );
      const again = await setUp();
      expect(again).toMatchObject({
        code: 0,
        stdout: finished.stdout.replaceAll('registered   ', 'already there'),
      });
      await connection.operatorService.removeSearchAttributes({
        namespace,
        searchAttributes: ['LonghaulStatus'],
      });
      await connection.operatorService.addSearchAttributes({
        namespace,
        searchAttributes: { LonghaulStatus: 1 },
      });
      const refused = await setUp('--json');
      expect(refused.code).toBe(1);
      expect(linesOf(refused)).toEqual([
        {
          ok: false,
          namespace,
          attributes: [
            { name: 'LonghaulAgent', status: 'already-there', type: 'Keyword' },
            {
              name: 'LonghaulStatus',
              status: 'wrong-type',
              type: 'Text',
              todo: expect.any(String),
            },
            { name: 'LonghaulKey', status: 'already-there', type: 'KeywordList' },
          ],
        },
      ]);
    });
  });

  describe('doctor', () => {
    type Report = { ok: boolean; checks: { name: string; status: string; message: string }[] };
    const diagnoseHere = (...args: string[]) =>
      diagnose(inProcess.run, '--agents', inProcess.file, ...args);
    const diagnose = async (run: typeof inProcess.run, ...args: string[]) => {
      const finished = await run('doctor', '--json', ...project.queue, ...args);
      const { ok, checks } = linesOf(finished)[0] as Report;
      const statuses = Object.fromEntries(checks.map(({ name, status }) => [name, status]));
      return { code: finished.code, ok, checks, statuses };
    };

    it('finds the agents, and that no worker is up', async () => {
      const { code, ok, statuses } = await diagnose(project.run);
      // Of other tests, this server may hold runs that doctor is to name: e2e/doctor has one of its own.
      expect(code).toBe(ok ? 0 : 1);
      expect(statuses).toMatchObject({
        server: 'ok',
        namespace: 'ok',
        worker: 'warn',
        'search attributes': 'ok',
        agents: 'ok',
        node: 'ok',
        'temporal sdk': 'ok',
        protobufjs: 'ok',
      });
    });

    it('fails without a server', async () => {
      const report = await diagnoseHere('--address', `127.0.0.1:${await freePort()}`);
      expect(report).toMatchObject({ code: 1, ok: false, statuses: { server: 'fail' } });
    });
  });
});
