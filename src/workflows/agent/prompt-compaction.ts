// Keeps an agent's prompt within its model's context. It decides before each model call, by `core/context`, and lets a worker summarise
// older turns.
//
// 1. It compacts only before a model call, so never between a call and its result.
// 2. A summary is a model call: it is billed, and the loop checks the budget before it and after it.
// 3. A summary that fails does not fail the run. The run goes on, and tries again some turns later.
// 4. If the provider refuses a prompt as too long, the run compacts once and calls again. A second refusal in a row fails the run.

import { ActivityFailure, ApplicationFailure, CancellationScope, log } from '@temporalio/workflow';
import { isJsonObject } from '../../base';
import {
  type CompactionPlan,
  planCompaction,
  type SummaryPlan,
} from '../../core/context/plan-compaction';
import { PromptMeter } from '../../core/context/prompt-meter';
import type { AgentMachine } from '../../core/machine/agent-machine';
import type { AgentConfig, ContextSpec } from '../../protocol';
import { summarisingActivities } from '../activity-proxies';
import { failureReason, failureSpend } from '../children/child-failure';
import type { CarriedPrompt } from '../run/carried-run';
import type { LoadedRun } from '../run/loaded-run';

/** The number of turns between a failed summary and the next one. */
const turnsAfterFailure = 3;

type Parts = {
  readonly config: AgentConfig;
  readonly context: ContextSpec;
  readonly machine: AgentMachine;
  readonly carried: CarriedPrompt | undefined;
};

export class PromptCompaction {
  readonly #run: LoadedRun;
  readonly #machine: AgentMachine;
  readonly #context: ContextSpec;
  readonly #except: readonly string[];
  readonly #meter = new PromptMeter();
  #carried: CarriedPrompt;

  constructor(run: LoadedRun, { config, context, machine, carried = {} }: Parts) {
    this.#run = run;
    this.#machine = machine;
    this.#context = context;
    this.#except = [
      ...config.tools.flatMap(({ name, effect }) => (effect === 'once' ? [name] : [])),
      ...(config.subAgents ?? []).map(({ name }) => name),
    ];
    this.#carried = carried;
  }

  get carried(): CarriedPrompt {
    return this.#carried;
  }

  /** Call it before a model call. Undefined if the call can follow at once. */
  compactIfDue(): Promise<undefined> | undefined {
    const isTooLong = this.#carried.refused === 'due';
    const plan = this.#plan(isTooLong);
    if (isTooLong) this.#carried = { ...this.#carried, refused: 'tried' };
    if (plan?.clear !== undefined) this.#machine.compact(plan.clear);
    return plan?.summarise && this.#summarise(plan.summarise);
  }

  /** Call it when the model has answered. */
  answered(): void {
    if (this.#carried.refused === undefined) return;
    const { refused: _refused, ...rest } = this.#carried;
    this.#carried = rest;
  }

  /** True if the model call failed because its prompt is too long, and a shorter one comes next. */
  takes(error: unknown): boolean {
    if (!isTooLongFor(error) || this.#carried.refused !== undefined) return false;
    if (this.#plan(true) === undefined) return false;
    this.#carried = { ...this.#carried, refused: 'due' };
    return true;
  }

  #plan(isTooLong: boolean): CompactionPlan | undefined {
    this.#meter.read(this.#run.log.entries);
    const { failedAt } = this.#carried;
    return planCompaction(this.#meter, {
      context: this.#context,
      except: this.#except,
      isTooLong,
      hasMemory: (this.#run.input.thread?.memory.length ?? 0) > 0,
      maySummarise: failedAt === undefined || this.#meter.turns >= failedAt + turnsAfterFailure,
    });
  }

  async #summarise(plan: SummaryPlan): Promise<undefined> {
    const { log: runLog, input, budget } = this.#run;
    try {
      const { entry, spend } = await summarisingActivities.summarise({
        ...this.#run.address,
        ...plan,
        log: runLog.nextRef(),
        ...(input.thread && this.#meter.through === undefined && { memory: input.thread.memory }),
      });
      budget.record(spend);
      if (entry === undefined) return this.#failed('the model gave no text');
      this.#machine.compact(entry);
      const { failedAt: _failedAt, ...rest } = this.#carried;
      this.#carried = rest;
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
      const spend = failureSpend(error);
      if (spend !== undefined) budget.record(spend);
      this.#failed(failureReason(error));
    }
  }

  #failed(reason: string): undefined {
    this.#carried = { ...this.#carried, failedAt: this.#meter.turns };
    log.warn(`older turns were not summarised: ${reason}`);
  }
}

function isTooLongFor(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure) || cause.type !== 'ProviderError') return false;
  const [details]: readonly unknown[] = cause.details ?? [];
  return isJsonObject(details) && details['kind'] === 'context_length';
}
