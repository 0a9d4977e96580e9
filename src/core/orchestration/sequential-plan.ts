/*
 * Plans one step after the other. It does not know workflows, nor what a step does.
 *
 * 1. At most one step is ready or open. The next step comes when it has completed.
 * 2. All steps share one session: each starts with the session that the step before left.
 * 3. If a step fails, the pipeline fails with the same failure.
 */

import type { SequentialConfig } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base';
import type { ChildResult, RunInput } from '../../protocol/run';
import { anObject, anything, jsonObject, number, type Shape, stored } from '../../protocol/shapes';
import { mergeDelta } from '../session';
import { noTotals, RunningTotals, type Totals } from './child-results';
import type { Plan, PlanOutcome, PlanStart, PlannedChild } from './plan';
import { PlannedChildren } from './planned-children';
import { readPlan, storePlan } from './stored-plan';

const shape = stored(
  {
    /** The index of the step that is ready or open. */
    index: number,
    input: anything<RunInput['input']>(),
    session: jsonObject,
    totals: anObject<Totals>(),
  },
  { outcome: anything<PlanOutcome>() },
);

type StoredSequential = Shape<typeof shape>;
export type SequentialState = Omit<StoredSequential, 'totals'>;

export class SequentialPlan implements Plan {
  readonly cancelsRest = false;
  readonly #config: SequentialConfig;
  readonly #elements: readonly string[];
  readonly #children = new PlannedChildren();
  readonly #totals: RunningTotals;
  #state: SequentialState;

  private constructor(config: SequentialConfig, totals: Totals, state: SequentialState) {
    if (config.steps.length === 0)
      throw new LonghaulError('InvalidInput', `sequential '${config.id}' has no steps`);
    this.#config = config;
    this.#elements = stepElements(config.steps.map(({ runner }) => runner));
    this.#totals = new RunningTotals(totals);
    this.#state = state;
    if (state.outcome === undefined) this.#offerStep();
  }

  static start(config: SequentialConfig, { input, session }: PlanStart): SequentialPlan {
    return new SequentialPlan(config, noTotals, { index: 0, input, session });
  }

  static restore(config: SequentialConfig, json: unknown): SequentialPlan {
    const { totals, ...state } = readPlan<StoredSequential>('sequential', json, shape);
    return new SequentialPlan(config, totals, state);
  }

  get ready(): readonly PlannedChild[] {
    return this.#children.ready;
  }

  get toStart(): number {
    return this.#children.readyCount;
  }

  get outcome(): PlanOutcome | undefined {
    return this.#state.outcome;
  }

  get session(): JsonObject {
    return this.#state.session;
  }

  take(key: string): void {
    this.#children.take(key);
  }

  completed(key: string, result: ChildResult): void {
    const { element } = this.#children.close(key);
    this.#totals.add(element, result);
    const index = this.#state.index + 1;
    const session = mergeDelta(this.#state.session, result.delta);
    this.#state = { index, input: this.#nextInput(result), session };
    if (index < this.#config.steps.length) this.#offerStep();
    else this.#state = { ...this.#state, outcome: this.#complete(result) };
  }

  failed(key: string): void {
    this.#children.close(key);
    this.#state = { ...this.#state, outcome: { kind: 'failed', cause: key } };
  }

  /** Does nothing: the plan has only one text. */
  shorten(): void {}

  toJSON(): JsonObject {
    this.#children.refuseOpen();
    return storePlan('sequential', { ...this.#state, totals: this.#totals });
  }

  #offerStep(): void {
    const { index, input, session } = this.#state;
    const step = this.#config.steps[index];
    const element = this.#elements[index] ?? '';
    if (step !== undefined)
      this.#children.offer([{ ...step, key: `step-${index + 1}`, element, input, session }]);
  }

  #nextInput({ finalResponse, combinedText }: ChildResult): RunInput['input'] {
    const { passOutput = false } = this.#config;
    if (passOutput === false) return this.#state.input;
    return passOutput === 'combined' ? (combinedText ?? finalResponse.text) : finalResponse.text;
  }

  #complete({ finalResponse, completionReason, combinedText }: ChildResult): PlanOutcome {
    return {
      kind: 'complete',
      result: {
        finalResponse,
        completionReason,
        ...(combinedText === undefined ? {} : { combinedText }),
        ...this.#totals.fields,
      },
    };
  }
}

function stepElements(runners: readonly string[]): readonly string[] {
  let elements = runners;
  for (let shared = sharedOf(elements); shared.size > 0; shared = sharedOf(elements)) {
    const before = elements;
    elements = before.map((element, index) => {
      const runner = runners[index] ?? element;
      return shared.has(element) ? `${runner}-${index + 1}` : element;
    });
  }
  return elements;
}

function sharedOf(elements: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const element of elements) (seen.has(element) ? shared : seen).add(element);
  return shared;
}
