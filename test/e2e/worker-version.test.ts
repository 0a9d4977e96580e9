// `longhaul worker` with a version, in processes of its own: Worker Versioning on the dev server.
import { randomUUID } from 'node:crypto';
import { connect, type Longhaul } from '../../src/client';
import { devServerAddress } from '../servers';
import { eventually } from '../workflow/eventually';
import { builtCli, type BuiltCli, type RunningCli } from './built-cli';
import { runInProcess } from './in-process-cli';

const deployment = `cli-${randomUUID().slice(0, 8)}`;
const taskQueue = `${deployment}-queue`;

const agents = (instructions: string): string => `
import { defineAgent, defineTool } from 'longhaul';
import { scriptedModel } from 'longhaul/testing';
const tool = defineTool({ name: 'noop', description: 'Nothing', inputSchema: { type: 'object', properties: {} }, execute: () => '' });
const agent = defineAgent({ id: 'helper', model: 'scripted/one', instructions: '${instructions}', tools: [tool] });
const workerDeployment = { name: '${deployment}' };
export default { runners: [agent], providers: { scripted: scriptedModel(['Here.']) }, workerDeployment };
`;

describe('longhaul worker with a version', () => {
  let cli: BuiltCli;
  let longhaul: Longhaul;
  beforeAll(async () => {
    cli = await builtCli();
    longhaul = await connect({ address: devServerAddress(), taskQueue });
  });
  afterAll(async () => {
    cli.killAll();
    await longhaul.close();
  });

  async function start(instructions: string): Promise<RunningCli> {
    const cwd = await cli.project({ 'longhaul.config.mjs': agents(instructions) });
    const flags = ['--address', devServerAddress(), '--task-queue', taskQueue];
    const worker = cli.start(['worker', '--pinned', ...flags], { cwd });
    await worker.shows(/Version {3}\S+ of deployment/);
    return worker;
  }
  const versionOf = (worker: RunningCli): string =>
    / {3}(\S+) of deployment/.exec(worker.stdout())?.[1] ?? '';

  it('has one build id in all processes with the same agents, and another for another prompt', async () => {
    const [one, two, other] = await Promise.all([
      start('Be kind.'),
      start('Be kind.'),
      start('No.'),
    ]);
    expect(versionOf(one)).toMatch(/^\d+\.\d+\.\d+\S*-[0-9a-f]{12}$/);
    expect(versionOf(two)).toBe(versionOf(one));
    expect(versionOf(other)).not.toBe(versionOf(one));

    const target = ['--address', devServerAddress(), '--task-queue', taskQueue];
    const checks = async (): Promise<
      readonly { name: string; status: string; message: string }[]
    > =>
      (JSON.parse((await runInProcess('doctor', '--json', ...target)).stdout) as { checks: [] })
        .checks;
    // A worker says that it is ready a moment before the server knows it.
    await eventually('the workers to poll', async () => {
      const worker = (await checks()).find(({ name }) => name === 'worker');
      if (worker?.message.includes('no worker polls') === true) return false;
      expect(worker).toMatchObject({
        status: 'fail',
        message: expect.stringContaining('none of these versions is current') as string,
        todo: expect.stringContaining(`--deployment-name ${deployment}`) as string,
      });
      return true;
    });

    await eventually('the version to be current', async () => {
      const { namespace } = longhaul.client.options;
      const version = { namespace, deploymentName: deployment, buildId: versionOf(one) };
      await longhaul.client.workflowService.setWorkerDeploymentCurrentVersion(version);
      return (await checks()).find(({ name }) => name === 'worker')?.status === 'ok';
    });
    const run = await longhaul.start('helper', 'Hello');
    expect(await run.result()).toMatchObject({ finalResponse: { text: 'Here.' } });
    const { raw } = await longhaul.client.workflow.getHandle(run.workflowId).describe();
    expect(raw.workflowExecutionInfo?.versioningInfo).toMatchObject({
      behavior: 1,
      deploymentVersion: { deploymentName: deployment, buildId: versionOf(one) },
    });
  });
});
