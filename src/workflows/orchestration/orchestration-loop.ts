// Drives a plan: starts the children that are ready, and reports their results and failures to the plan, in the order they end.
//
// 1. It decides nothing: the plan decides what runs when, and what the result is.
// 2. At most `concurrency` children are open. A child that waits for a person counts.
// 3. Each child has its own scope, so that the loop can cancel the rest when the plan no longer needs them.
// 4. Continues as new only when no child is open. While one child waits for a person, others still start until the history is nearly full.
//    Then the loop waits until no child is open.

import { CancellationScope, condition } from '@temporalio/workflow';
import { defined } from '../../base';
import type { Plan, PlannedChild, PlanResult } from '../../core/orchestration/plan';
import { type ChildResult, limits, LonghaulError, type OrchestrationConfig } from '../../protocol';
import { childFailure } from '../children/child-failure';
import type { Progress } from '../lifecycle/execution';
import type { LoadedRun, RunLoop } from '../run/loaded-run';

type EndedChild = { readonly key: string } & (
  | { readonly kind: 'completed'; readonly result: ChildResult }
  | { readonly kind: 'failed'; readonly error: unknown }
);

export class OrchestrationLoop implements RunLoop {
  readonly #run: LoadedRun;
  readonly #plan: Plan;
  readonly #concurrency: number;
  /** Only a graph's session changes while children run. */
  readonly #isSessionStable: boolean;
  readonly #own = CancellationScope.current();
  readonly #scopes = new Map<string, CancellationScope>();
  readonly #errors = new Map<string, unknown>();
  #ended: EndedChild[] = [];

  constructor(run: LoadedRun, options: { config: OrchestrationConfig; plan: Plan }) {
    const { config, plan } = options;
    this.#run = run;
    this.#plan = plan;
    this.#isSessionStable = config.kind !== 'graph';
    this.#concurrency =
      (config.kind === 'parallel' ? config.concurrency : undefined) ?? limits.concurrency;
  }

  get progress(): Progress {
    return { turn: 0, iterations: 0 };
  }

  get noneRunning(): boolean {
    return this.#scopes.size === 0;
  }

  async drive(): Promise<PlanResult> {
    while (this.#plan.outcome === undefined) {
      await this.#run.continueAsNewIfDue((textBytes) => {
        this.#plan.shorten(textBytes);
        return { plan: this.#plan.toJSON() };
      });
      this.#launch();
      this.#run.execution.show();
      await condition(() => this.#ended.length > 0 || this.#run.execution.history.isOver);
      this.#applyEnded();
    }
    if (this.#plan.cancelsRest) for (const scope of this.#scopes.values()) scope.cancel();
    return await this.#result(this.#plan.outcome);
  }

  #launch(): void {
    const { ready } = this.#plan;
    for (const child of ready.slice(0, this.#concurrency - this.#scopes.size)) {
      if (this.#run.execution.history.isFull(this.#scopes.size)) return;
      const among = this.#plan.toStart;
      this.#plan.take(child.key);
      const scope = new CancellationScope();
      this.#scopes.set(child.key, scope);
      void scope
        .run(() => this.#call(child, among))
        .then((ended) => {
          this.#scopes.delete(child.key);
          this.#ended.push(ended);
        });
    }
  }

  async #call(child: PlannedChild, among: number): Promise<EndedChild> {
    const { key, runner, kind, element, input, session } = child;
    try {
      const result = await this.#run.children.call({
        runner,
        ...defined({ kind }),
        place: key,
        work: element,
        element,
        input,
        session,
        isSessionStable: this.#isSessionStable,
        among,
      });
      return { key, kind: 'completed', result };
    } catch (error) {
      return { key, kind: 'failed', error };
    }
  }

  /** Gives ended children to the plan. After the outcome, nothing changes it. */
  #applyEnded(): void {
    for (const ended of this.#ended.splice(0)) {
      if (this.#plan.outcome !== undefined) return;
      if (ended.kind === 'completed') {
        this.#plan.completed(ended.key, ended.result);
        this.#run.session.replace(this.#plan.session);
        continue;
      }
      const { key, error } = ended;
      if (this.#own.consideredCancelled) throw error;
      this.#errors.set(key, error);
      this.#plan.failed(key, childFailure(error));
    }
  }

  async #result(outcome: NonNullable<Plan['outcome']>): Promise<PlanResult> {
    if (outcome.kind === 'complete') return outcome.result;
    if ('cause' in outcome) throw this.#errors.get(outcome.cause);
    const { code, message, details = {} } = outcome;
    throw new LonghaulError(code, message, { details });
  }
}
