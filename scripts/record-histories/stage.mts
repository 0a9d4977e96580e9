// Plays one case: starts what it needs, and does what its people do.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type Longhaul } from 'longhaul/client';
import { scriptedModel, type ScriptedModel } from 'longhaul/testing';
import { createWorker, type CreateWorkerOptions } from 'longhaul/worker';
import { until, type Case, type OwnParts, type Stage, type StageWorker } from './case.mts';
import type { Execution } from './histories.mts';

type Place = { readonly address: string; readonly scratch: string };

/** `executions`: what to record. The case's own one is the last. */
export type Played = { readonly executions: readonly Execution[]; readonly client: Longhaul };

export class Theatre {
  readonly name: string;
  readonly providers: Readonly<Record<string, ScriptedModel>>;
  readonly #case: Case;
  readonly #place: Place;
  readonly #also: Execution[] = [];

  constructor(name: string, each: Case, place: Place) {
    this.name = name;
    this.#case = each;
    this.#place = place;
    const { steps } = each;
    const scripts = Array.isArray(steps)
      ? [[name, steps] as const]
      : Object.entries(steps).map(([key, own]) => [`${name}-${key}`, own as never] as const);
    this.providers = Object.fromEntries(
      scripts.map(([provider, own]) => [provider, scriptedModel(own, { name: provider })]),
    );
  }

  get isShared(): boolean {
    return this.#case.own === undefined;
  }

  get runner(): Case['runner'] {
    return this.#case.runner;
  }

  get keeps(): Case['keeps'] {
    return this.#case.keeps;
  }

  /** Plays the case. The client of a case that has its own parts is to be closed. */
  async play(shared: Longhaul): Promise<Played> {
    const { own } = this.#case;
    const [workflowId, client] =
      own === undefined ? [await this.#act(shared), shared] : await this.#playApart(own);
    if (this.#case.isCut !== true)
      for (const model of Object.values(this.providers)) model.assertConsumed();
    return { executions: [...this.#also, { workflowId }], client };
  }

  async #playApart(own: NonNullable<Case['own']>): Promise<readonly [string, Longhaul]> {
    const scratch = join(this.#place.scratch, this.name);
    mkdirSync(scratch);
    const parts: OwnParts = own(scratch);
    const { address } = this.#place;
    const longhaul = await connect({ address, taskQueue: this.name, ...parts.client });
    const worker = this.#case.startsWorkers === true ? undefined : await this.#worker(parts.worker);
    worker?.start();
    const workflowId = await this.#act(longhaul);
    await worker?.stop();
    await parts.close?.();
    return [workflowId, longhaul];
  }

  async #worker(options: Partial<CreateWorkerOptions> = {}): Promise<StageWorker> {
    const worker = await createWorker({
      address: this.#place.address,
      taskQueue: this.name,
      runners: [this.runner],
      providers: this.providers,
      ...options,
      workerOptions: { shutdownGraceTime: '1s', ...options.workerOptions },
    });
    let ended: Promise<void> = Promise.resolve();
    return {
      start: () => {
        ended = worker.run();
      },
      stop: async () => {
        worker.shutdown();
        await ended;
      },
    };
  }

  async #act(longhaul: Longhaul): Promise<string> {
    const stage: Stage = {
      longhaul,
      modelCalled: (times = 1) => until(() => this.#calls >= times),
      also: (workflowId, runId) => void this.#also.push({ workflowId, runId }),
      worker: (options) => this.#worker(options),
    };
    const { play, talk } = this.#case;
    if (play !== undefined) return await play(stage);
    return await (talk === undefined ? this.#run(stage) : this.#talk(stage, talk));
  }

  get #calls(): number {
    return Object.values(this.providers).reduce((sum, { requests }) => sum + requests.length, 0);
  }

  async #run(stage: Stage): Promise<string> {
    const { runner, input = `Do what '${this.name}' is about.`, options, isById } = this.#case;
    const run = await stage.longhaul.start(isById === true ? runner.spec.id : runner, input, {
      ...options,
      workflowId: `recorded-${this.name}`,
    });
    await this.#case.meanwhile?.({ ...stage, run });
    await run.result().catch(() => undefined);
    // What a `first` leaves running ends before it.
    await until(async () => (await describe(stage, run.workflowId)).status.name !== 'RUNNING');
    return run.workflowId;
  }

  async #talk(stage: Stage, talk: NonNullable<Case['talk']>): Promise<string> {
    const { runner, thread: options } = this.#case;
    const thread = stage.longhaul.thread({
      agent: runner.spec.id,
      sessionId: this.name,
      ...options,
    });
    await talk(thread, stage);
    // The thread waits for the next message, or has ended.
    await until(async () => isIdle((await describe(stage, thread.threadId)).raw));
    return thread.threadId;
  }
}

type Description = Awaited<ReturnType<typeof describe>>;

const describe = ({ longhaul }: Stage, workflowId: string) =>
  longhaul.client.workflow.getHandle(workflowId).describe();

function isIdle({ pendingActivities, pendingChildren, pendingWorkflowTask }: Description['raw']) {
  const calls = [...(pendingActivities ?? []), ...(pendingChildren ?? [])];
  return calls.length === 0 && !pendingWorkflowTask;
}
