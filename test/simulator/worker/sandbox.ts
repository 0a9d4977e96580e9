// The workflow sandbox of the TypeScript SDK, with the bundle that workers run: the real one, without the stacks of promises.

import { readFileSync } from 'node:fs';
import { type Context, Script } from 'node:vm';
import { TypedSearchAttributes } from '@temporalio/common';
import type { coresdk as api } from '@temporalio/proto';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import { coresdk, parseWorkflowCode, ReusableVMWorkflowCreator } from '../internals';
import { msOf } from '../time';
import { forbidRealTime } from './forbidden';
import { bundlePath } from './source-lines';

type Activation = api.workflow_activation.IWorkflowActivation;
type Completion = api.workflow_completion.IWorkflowActivationCompletion;

const { WorkflowActivation } = coresdk.workflow_activation;

/** A limit would begin a thread for each activation. Whoever runs simulations ends those that hang. */
const noLimit = undefined as never;

/** ms, by the clock of the simulation. Workflow code takes no time, so an activation that is still there waits for nothing. */
const longestActivation = 5_000;

class Creator extends ReusableVMWorkflowCreator {
  protected override injectGlobals(context: Context): void {
    super.injectGlobals(context);
    forbidRealTime(context, (error) => {
      onRealTime(error);
    });
  }
}

let creator: Creator | undefined;
let onRealTime = (error: Error): void => {
  throw error;
};
let furtherCode = '';

/** Who hears of workflow code that uses real time. */
export function whenRealTimeIsUsed(hear: (error: Error) => void): void {
  onRealTime = hear;
}

/** For tests: workflows beside those of the bundle, as the source of an object of functions. Before the first run begins. */
export function addWorkflows(source: string): void {
  furtherCode = `
    const { importWorkflows } = __TEMPORAL__;
    const further = ${source};
    __TEMPORAL__.importWorkflows = () => ({ ...importWorkflows(), ...further });`;
}

function sandbox(): Creator {
  if (creator === undefined) {
    // Whoever runs simulations hears of rejections that nobody handles. The SDK would end the process.
    Object.assign(ReusableVMWorkflowCreator, { unhandledRejectionHandlerHasBeenSet: true });
    const bundle = parseWorkflowCode(readFileSync(bundlePath, 'utf8'), bundlePath);
    const script = new Script(`${bundle.code}\n${furtherCode}`, { filename: bundle.filename });
    creator = new Creator(script, bundle, noLimit, new Set());
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

  /** Throws if it does not settle. */
  async activate(activation: Activation): Promise<Completion> {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error('the activation does not settle'));
      }, longestActivation);
      void this.#workflow
        .activate(WorkflowActivation.fromObject(activation))
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer);
        });
    });
  }

  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    await this.#workflow.getAndResetSinkCalls();
    await this.#workflow.dispose();
  }
}
