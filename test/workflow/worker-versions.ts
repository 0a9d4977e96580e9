import { randomUUID } from 'node:crypto';
import { activityTool, defineAgent, subAgent, type Agent } from '../../src';
import type { RunHandle } from '../../src/client';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import type { ModelRequest } from '../../src/worker';
import type { WorkerDeployment } from '../../src/worker/deployment';
import { aTool, askUser, callOf } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness, type RunningWorker } from './harness';

type Override =
  | { readonly autoUpgrade: true }
  | { readonly pinned: { readonly behavior: 1; readonly version: object } };

/** Versions of a worker deployment on a task queue of their own, on the dev server. Version `a` has a tool that says `a`. */
export class Versions {
  readonly name = `deploy-${randomUUID().slice(0, 8)}`;
  readonly harness: Harness;
  private constructor(harness: Harness) {
    this.harness = harness;
  }

  static async open(): Promise<Versions> {
    return new Versions(await openHarness(undefined, 'versioned'));
  }

  /** Without `behavior`, the worker has no version. */
  async start(
    version: string,
    deployment: Partial<WorkerDeployment> | undefined,
    runners: readonly Agent[] = this.agents(version),
  ): Promise<RunningWorker> {
    const { name } = this;
    return await this.harness.worker({
      runners,
      providers: { scripted: scriptedModel(Array<typeof nextStep>(50).fill(nextStep)) },
      ...(deployment && { workerDeployment: { name, buildId: version, ...deployment } }),
    });
  }

  agents(version: string): readonly Agent[] {
    const which = aTool('which', () => version);
    const below = defineAgent({ id: 'below', model: 'scripted/one', tools: [which] });
    const other = activityTool({
      name: 'other',
      description: 'Asks elsewhere',
      inputSchema: { type: 'object', properties: {} },
      activity: 'whoIsThere',
      taskQueue: this.otherQueue,
    });
    return [
      defineAgent({
        id: 'asking',
        model: 'scripted/one',
        askUser: 'tool',
        tools: [which, subAgent(below, { name: 'below', description: 'Asks below' }), other],
      }),
      defineAgent({ id: 'talking', model: 'scripted/one', tools: [which] }),
    ];
  }

  get otherQueue(): string {
    return `${this.harness.taskQueue}-other`;
  }

  /** A run that waits for a person. */
  async waiting(): Promise<RunHandle> {
    const run = await this.harness.longhaul.start('asking', 'Go.');
    await run.outcome();
    return run;
  }

  /** Makes this version current, or none with `''`: then workers without a version get the work. */
  async setCurrent(buildId: string): Promise<void> {
    await this.#set(async () => {
      await this.#service.setWorkerDeploymentCurrentVersion({ ...this.#target, buildId });
    });
    await eventually(`version '${buildId}' to be current`, async () => {
      const { versioningInfo } = await this.queue();
      return (versioningInfo?.currentDeploymentVersion?.buildId ?? '') === buildId;
    });
  }

  async setRamping(buildId: string, percentage: number): Promise<void> {
    await this.#set(async () => {
      await this.#service.setWorkerDeploymentRampingVersion({
        ...this.#target,
        buildId,
        percentage,
      });
    });
    await eventually(`version '${buildId}' to ramp`, async () => {
      const { versioningInfo } = await this.queue();
      return versioningInfo?.rampingDeploymentVersion?.buildId === buildId;
    });
  }

  async queue() {
    const { taskQueue, longhaul } = this.harness;
    const { namespace } = longhaul.client.options;
    return await this.#service.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: 1,
    });
  }

  /** The version that the run is on, as the server says. */
  async versionOf(workflowId: string): Promise<string | undefined> {
    const { raw } = await this.harness.longhaul.client.workflow.getHandle(workflowId).describe();
    return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
  }

  /** Else `doctor` would find it, for the other tests. */
  async end(workflowId: string): Promise<void> {
    await this.harness.longhaul.client.workflow.getHandle(workflowId).terminate();
  }

  /** Pins the run to a version by hand. */
  async pin(workflowId: string, buildId: string): Promise<void> {
    const version = { deploymentName: this.name, buildId };
    await this.#override(workflowId, { pinned: { behavior: 1, version } });
  }

  /** Lets a pinned run go to the version that is current. */
  async free(workflowId: string): Promise<void> {
    await this.#override(workflowId, { autoUpgrade: true });
  }

  async #override(workflowId: string, versioningOverride: Override): Promise<void> {
    await this.#service.updateWorkflowExecutionOptions({
      namespace: this.#target.namespace,
      workflowExecution: { workflowId },
      workflowExecutionOptions: { versioningOverride },
      updateMask: { paths: ['versioning_override'] },
    });
  }

  /** The server knows a version once a worker of it has polled. */
  async #set(change: () => Promise<void>): Promise<void> {
    let failure: unknown;
    await eventually(`the server to take a version`, async () => {
      try {
        await change();
        return true;
      } catch (error) {
        failure = error;
        return false;
      }
    }).catch((error: unknown) => {
      throw new Error(String(error), { cause: failure });
    });
  }

  get #service() {
    return this.harness.longhaul.client.workflowService;
  }

  get #target() {
    const { namespace } = this.harness.longhaul.client.options;
    return { namespace, deploymentName: this.name, ignoreMissingTaskQueues: true };
  }
}

/** Calls each of the agent's tools once, in this order, then says what they said: whichever worker asks the model. */
function nextStep({ tools, messages }: ModelRequest): ScriptedStep {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  const said = linesOf(since).filter((line) => line.startsWith('←') || line.startsWith('✗'));
  const names = ['ask_user', 'which', 'below', 'other'].filter((each) =>
    tools.some(({ name }) => name === each),
  );
  const name = names[said.length];
  if (name === undefined) return said.join(', ');
  if (name === 'ask_user') return askUser('Go on?');
  return callOf(name, name === 'below' ? { input: 'Go.' } : {});
}
