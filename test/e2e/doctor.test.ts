// What `longhaul doctor` finds in a namespace, on a dev server of its own: others' runs would crowd its short lists.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { signalNames } from '../../src/protocol/names';
import { startDevServer, type DevServer } from '../../src/server/dev/dev-server';
import { eventually } from '../workflow/eventually';
import { openHarness, type Harness } from '../workflow/harness';
import { scriptedAgents } from '../workflow/scripted-agents';
import { linesOf } from './built-cli';
import { runInProcess } from './in-process-cli';

type Command = NonNullable<
  Parameters<Client['workflowService']['respondWorkflowTaskCompleted']>[0]['commands']
>[number];
type Check = { name: string; status: string; message: string; todo?: string };

/** Of the server's API. */
const scheduleActivity = 1;
const failWorkflow = 5;

describe('longhaul doctor', () => {
  const namespace = 'default';
  let server: DevServer;
  let harness: Harness;
  let client: Client;
  beforeAll(async () => {
    server = await startDevServer({ headless: true });
    harness = await openHarness(server.address);
    ({ client } = harness.longhaul);
  });
  afterAll(async () => {
    await harness.close();
    await server.stop();
  });

  /** A run that this test decides on, in place of a worker. */
  async function start(name: string): Promise<string> {
    await client.workflow.start('agentWorkflow', {
      workflowId: name,
      taskQueue: `queue-${name}`,
      args: [{ runner: 'helper', input: 'hi' }],
    });
    return name;
  }

  async function workflowTask(name: string): Promise<Uint8Array> {
    const taskQueue = { name: `queue-${name}` };
    const { taskToken } = await client.withDeadline(Date.now() + 60_000, () =>
      client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue }),
    );
    return taskToken;
  }

  async function decide(name: string, command: Command): Promise<void> {
    await client.workflowService.respondWorkflowTaskCompleted({
      namespace,
      taskToken: await workflowTask(name),
      commands: [command],
    });
  }

  async function fail(name: string, type: string): Promise<void> {
    const failure = { message: `of ${name}`, applicationFailureInfo: { type } };
    await decide(await start(name), {
      commandType: failWorkflow,
      failWorkflowExecutionCommandAttributes: { failure },
    });
  }

  async function diagnose(): Promise<Readonly<Record<string, Check>>> {
    const finished = await runInProcess('doctor', '--json', '--address', server.address);
    const { checks } = linesOf(finished)[0] as { checks: Check[] };
    return Object.fromEntries(checks.map((check) => [check.name, check]));
  }

  /** The list of runs is late: a finding is there some time. */
  async function found(name: string, said: RegExp): Promise<Check> {
    let check: Check | undefined;
    await eventually(`${name}: ${String(said)}`, async () => {
      check = (await diagnose())[name];
      return said.test(check?.message ?? '');
    });
    return check as Check;
  }

  it('finds nothing where all is well', async () => {
    const names = ['stuck runs', 'retried calls', 'halted runs', 'many executions', 'ended badly'];
    const checks = await diagnose();
    expect(names.map((name) => checks[name])).toEqual(
      names.map((name) => ({ name, status: 'ok', message: 'none' })),
    );
  });

  it('names a stuck run whose last events are large, and why', async () => {
    const handle = client.workflow.getHandle(await start('stuck'));
    const picture = 'x'.repeat(240 * 1024);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await client.workflowService.respondWorkflowTaskFailed({
        namespace,
        taskToken: await workflowTask('stuck'),
        failure: { message: 'the code does not fit' },
      });
    }
    for (let count = 0; count < 18; count += 1) await handle.signal('picture', picture);
    const check = await found('stuck runs', /^stuck \(attempt \d+\): the code does not fit$/);
    expect(check.status).toBe('fail');
    await handle.terminate();
  });

  it('names a call with many attempts, and what its last one said', async () => {
    const taskQueue = { name: 'queue-retried' };
    await decide(await start('retried'), {
      commandType: scheduleActivity,
      scheduleActivityTaskCommandAttributes: {
        activityId: '1',
        activityType: { name: 'callModel' },
        taskQueue,
        startToCloseTimeout: { seconds: 60 as unknown as never },
        scheduleToCloseTimeout: { seconds: 3_600 as unknown as never },
        retryPolicy: { initialInterval: { nanos: 1_000_000 }, backoffCoefficient: 1 },
      },
    });
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const { taskToken } = await client.withDeadline(Date.now() + 60_000, () =>
        client.workflowService.pollActivityTaskQueue({ namespace, taskQueue }),
      );
      const failure = { message: `down ${attempt}`, applicationFailureInfo: { type: 'Down' } };
      await client.workflowService.respondActivityTaskFailed({ namespace, taskToken, failure });
    }
    const said = 'callModel of retried (attempt 6): down 5';
    const check = await found('retried calls', new RegExp(said.replace(/[()]/g, '\\$&')));
    expect(check.status).toBe('warn');
    await client.workflow.getHandle('retried').terminate();
  });

  it('names an id with many executions in an hour', async () => {
    for (let count = 0; count < 21; count += 1)
      await client.workflow.getHandle(await start('often')).terminate();
    await found(
      'many executions',
      /^often \(21 executions in an hour, 0 of them continued as new\)$/,
    );
  });

  it('names runs that were terminated or failed by an error of ours, and says no other ended badly', async () => {
    for (const type of ['StateError', 'ToolError']) await fail(`failed-${type}`, type);
    await client.workflow.getHandle(await start('cut')).terminate('grew too large');
    const { message } = await found('ended badly', /failed-StateError/);
    const { message: later } = await found('ended badly', /cut: terminated by \S+: grew too large/);
    expect(message).toContain('failed-StateError: StateError: of failed-StateError');
    expect(later).not.toContain('failed-ToolError');
  });

  it('names a run that a reset left halted, and no longer when the reset was given again', async () => {
    const agents = scriptedAgents();
    const ask = { toolCalls: [{ name: 'ask_user', args: { question: 'Go?' } }] };
    const asker = agents.agent('asker', [ask, ask, 'done'], { askUser: 'tool' });
    await harness.worker({ runners: [asker], providers: { scripted: agents.provider } });
    const run = await harness.longhaul.start('asker', 'Go', {
      workflowId: `halted-${randomUUID()}`,
    });
    await run.outcome();
    await client.workflow.getHandle(run.workflowId).signal(signalNames.halt);
    const check = await found('halted runs', new RegExp(`^${run.workflowId}$`));
    expect(check).toMatchObject({
      status: 'fail',
      todo: expect.stringContaining('longhaul reset'),
    });
    await run.reset({ to: 1 });
    await found('halted runs', /^none$/);
    expect((await diagnose())['ended badly']?.message).not.toContain(run.workflowId);
    await run.cancel();
  });
});
