// The workflow sandbox of the TypeScript SDK, with the bundle that workers run: the real one, without the stacks of promises.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { TypedSearchAttributes } from '@temporalio/common';
import type { coresdk as api } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import { coresdk, parseWorkflowCode, ReusableVMWorkflowCreator } from '../internals';
import { msOf } from '../time';

type Activation = api.workflow_activation.IWorkflowActivation;
type Completion = api.workflow_completion.IWorkflowActivationCompletion;

const { WorkflowActivation } = coresdk.workflow_activation;

/** A limit would begin a thread for each activation. Whoever runs simulations ends those that hang. */
const noLimit = undefined as never;

const bundlePath = join(process.cwd(), 'dist/workflow-bundle.js');

let creator: InstanceType<typeof ReusableVMWorkflowCreator> | undefined;

function sandbox(): InstanceType<typeof ReusableVMWorkflowCreator> {
  if (creator === undefined) {
    const bundle = parseWorkflowCode(readFileSync(bundlePath, 'utf8'), bundlePath);
    const script = new Script(bundle.code, { filename: bundle.filename });
    creator = new ReusableVMWorkflowCreator(script, bundle, noLimit, new Set());
  }
  return creator;
}

/** A run as one worker has it in memory. */
export class Instance {
  readonly #workflow: Workflow;
  #isDisposed = false;

  private constructor(workflow: Workflow) {
    this.#workflow = workflow;
  }

  /** `first`: the activation that initializes the run. */
  static async create(first: Activation, taskQueue: string): Promise<Instance> {
    const job = first.jobs?.[0]?.initializeWorkflow;
    if (!job) throw new Error('the first activation of a run does not initialize it');
    const now = msOf(first.timestamp);
    const { parentWorkflowInfo: parent, rootWorkflow: root } = job;
    const workflow = await sandbox().createWorkflow({
      info: {
        workflowId: job.workflowId ?? '',
        runId: first.runId ?? '',
        workflowType: job.workflowType ?? '',
        searchAttributes: {},
        typedSearchAttributes: new TypedSearchAttributes(),
        ...(parent && {
          parent: {
            workflowId: parent.workflowId ?? '',
            runId: parent.runId ?? '',
            namespace: parent.namespace ?? '',
          },
        }),
        ...(root && { root: { workflowId: root.workflowId ?? '', runId: root.runId ?? '' } }),
        taskQueue,
        namespace: 'default',
        firstExecutionRunId: job.firstExecutionRunId ?? '',
        ...(job.continuedFromExecutionRunId && {
          continuedFromExecutionRunId: job.continuedFromExecutionRunId,
        }),
        startTime: new Date(msOf(job.startTime)),
        runStartTime: new Date(now),
        taskTimeoutMs: 10_000,
        attempt: job.attempt ?? 1,
        historyLength: first.historyLength ?? 0,
        historySize: 0,
        continueAsNewSuggested: false,
        targetWorkerDeploymentVersionChanged: false,
        suggestedContinueAsNewReasons: [],
        unsafe: { now: () => now, isReplaying: first.isReplaying ?? false },
        priority: {},
      } as never,
      randomnessSeed: job.randomnessSeed?.toBytes() ?? [],
      now,
      showStackTraceSources: false,
    });
    return new Instance(workflow);
  }

  async activate(activation: Activation): Promise<Completion> {
    return await this.#workflow.activate(WorkflowActivation.fromObject(activation));
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    await this.#workflow.getAndResetSinkCalls();
    await this.#workflow.dispose();
  }
}
