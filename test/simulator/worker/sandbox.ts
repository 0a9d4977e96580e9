// The workflow sandbox of the TypeScript SDK, with the bundle that workers run: the real one, without the stacks of promises.

import { readFileSync } from 'node:fs';
import { type Context, Script } from 'node:vm';
import { TypedSearchAttributes } from '@temporalio/common';
import type { coresdk as api } from '@temporalio/proto';
import type { InjectedSinks } from '@temporalio/worker';
import type { Sinks } from '@temporalio/workflow';
import type { Workflow } from '@temporalio/worker/lib/workflow/interface';
import { coresdk, parseWorkflowCode, ReusableVMWorkflowCreator } from '../internals';
import { msOf } from '../time';
import { forbidRealTime } from './forbidden';
import type { PayloadCodecs, PayloadContext } from './payloads';
import { bundlePath } from './source-lines';

type Activation = api.workflow_activation.IWorkflowActivation;
type Completion = api.workflow_completion.IWorkflowActivationCompletion;

const { WorkflowActivation } = coresdk.workflow_activation;

/** A limit would begin a thread for each activation. Whoever runs simulations ends those that hang. */
const noLimit = undefined as never;

/** ms, by the clock of the simulation. Workflow code takes no time, so an activation that is still there waits for nothing. */
const longestActivation = 5_000;

const namespace = 'default';

/** As it is before time is virtual: the SDK copies dates into the sandbox, and knows them by the name of their class. */
const RealDate = Date;

class Creator extends ReusableVMWorkflowCreator {
  protected override injectGlobals(context: Context): void {
    super.injectGlobals(context);
    forbidRealTime(context, (error) => {
      onRealTime(error);
    });
  }
}

/** A bundle of workflows, by its file or its text. */
export type Workflows = { readonly codePath: string } | { readonly code: string };

/** Where a run is: the worker. */
export type Place = {
  readonly taskQueue: string;
  /** Default: those of Longhaul. */
  readonly workflows?: Workflows;
  /** Default: payloads are as the server has them. */
  readonly codecs?: PayloadCodecs;
  /** What hears what workflow code says beside its history. */
  readonly sinks?: InjectedSinks<Sinks> | undefined;
};

const creators = new Map<string, Creator>();
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

function sandbox(workflows: Workflows = { codePath: bundlePath }): Creator {
  const key = 'code' in workflows ? workflows.code : workflows.codePath;
  const known = creators.get(key);
  if (known !== undefined) return known;
  // Whoever runs simulations hears of rejections that nobody handles. The SDK would end the process.
  Object.assign(ReusableVMWorkflowCreator, { unhandledRejectionHandlerHasBeenSet: true });
  const bundle =
    'code' in workflows
      ? parseWorkflowCode(workflows.code)
      : parseWorkflowCode(readFileSync(workflows.codePath, 'utf8'), workflows.codePath);
  const script = new Script(`${bundle.code}\n${furtherCode}`, { filename: bundle.filename });
  const creator = new Creator(script, bundle, noLimit, new Set());
  creators.set(key, creator);
  return creator;
}

/** A run as one worker has it in memory. */
export class Instance {
  readonly #workflow: Workflow;
  readonly #codecs: PayloadCodecs | undefined;
  readonly #sinks: Place['sinks'];
  readonly #context: PayloadContext;
  #isDisposed = false;

  private constructor(
    workflow: Workflow,
    {
      codecs,
      sinks,
      context,
    }: {
      readonly codecs: PayloadCodecs | undefined;
      readonly sinks: Place['sinks'];
      readonly context: PayloadContext;
    },
  ) {
    this.#workflow = workflow;
    this.#codecs = codecs;
    this.#sinks = sinks;
    this.#context = context;
  }

  /** `first`: the activation that initializes the run. */
  static async create(
    first: Activation,
    { taskQueue, workflows, codecs, sinks }: Place,
  ): Promise<Instance> {
    const job = first.jobs?.[0]?.initializeWorkflow;
    if (!job) throw new Error('the first activation of a run does not initialize it');
    const now = msOf(first.timestamp);
    const context = { type: 'workflow', namespace, workflowId: job.workflowId ?? '' } as const;
    const { parentWorkflowInfo: parent, rootWorkflow: root } = job;
    const workflow = await sandbox(workflows).createWorkflow({
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
        namespace,
        firstExecutionRunId: job.firstExecutionRunId ?? '',
        ...(job.continuedFromExecutionRunId && {
          continuedFromExecutionRunId: job.continuedFromExecutionRunId,
        }),
        startTime: new RealDate(msOf(job.startTime)),
        runStartTime: new RealDate(now),
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
    return new Instance(workflow, { codecs, sinks, context });
  }

  /** Payloads are as the server has them. Throws if it does not settle, and what a codec throws. */
  async activate(activation: Activation): Promise<Completion> {
    if (this.#codecs === undefined) return await this.#activate(activation);
    const completion = await this.#activate(await this.#codecs.decoded(activation, this.#context));
    return await this.#codecs.encoded(completion, this.#context);
  }

  /** The same with payloads as the code wrote them: a codec may encode the same twice and differ. */
  async readable<Value>(value: Value): Promise<Value> {
    return this.#codecs === undefined ? value : await this.#codecs.decoded(value, this.#context);
  }

  async #activate(activation: Activation): Promise<Completion> {
    const completion = await this.#settled(activation);
    const calls = await this.#workflow.getAndResetSinkCalls();
    for (const { ifaceName, fnName, args, workflowInfo } of calls) {
      // The SDK has two names for the log.
      const name = ifaceName === '__temporal_logger' ? 'defaultWorkerLogger' : ifaceName;
      const sink = this.#sinks?.[name]?.[fnName];
      const { isReplayingHistoryEvents } = workflowInfo.unsafe;
      if (sink?.callDuringReplay !== true && isReplayingHistoryEvents) continue;
      await sink?.fn(workflowInfo, ...(args as unknown[]));
    }
    return completion;
  }

  async #settled(activation: Activation): Promise<Completion> {
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
