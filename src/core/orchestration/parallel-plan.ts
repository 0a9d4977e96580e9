/*
 * Plans branches at the same time. It does not know workflows, nor how many branches run at a time.
 *
 * 1. Every branch starts from the same input and the same session. No branch sees the changes of another one.
 * 2. `collect_all`: session changes are merged as the branches complete, so the last one wins for a key. Texts are in the order of the
 *    branches. The first failure ends the parallel.
 * 3. `first`: only the result and the session changes of the first branch count. The parallel fails if all branches fail.
 * 4. Results after the outcome change nothing.
 */

import type { ParallelConfig } from '../../protocol/activities';
import { LonghaulError } from '../../protocol/errors';
import { type JsonObject, oneLine } from '../../base';
import type { ChildResult, RunInput } from '../../protocol/run';
import { aList, anObject, anything, jsonObject, type Shape, stored } from '../../protocol/shapes';
import { fitTexts, sizeInJson } from '../transcript/fit-texts';
import { noTotals, RunningTotals, type Totals } from './child-results';
import { MergedSession } from './merged-session';
import type { ChildFailure, Plan, PlanOutcome, PlanResult, PlanStart, PlannedChild } from './plan';
import { PlannedChildren } from './planned-children';
import { readPlan, storePlan } from './stored-plan';
import { limits } from '../../protocol/limits';
import { fitItems, fitList } from './fit-list';

/** Room for the message, and the same again for the details. */
const room = limits.failureMessage - 100;

/** Room for names, punctuation and keys around a branch's message. */
const roomAround = 180;

const leastMessage = 60;

/** The rest of a message's share is for the quotes and backslashes that JSON adds. */
const plainShare = 0.8;

/** A branch that has ended, with its text or its failure. */
type EndedBranch = { readonly text: string } | BranchFailure;

const shape = stored(
  {
    input: anything<RunInput['input']>(),
    session: jsonObject,
    /** The session with the deltas of the branches collected so far. */
    merged: jsonObject,
    /** One entry for each branch. It is null until the branch has ended. */
    ended: aList<EndedBranch | null>(),
    totals: anObject<Totals>(),
  },
  {
    /** The reply of the last branch in order. */
    finalResponse: anything<PlanResult['finalResponse']>(),
    outcome: anything<PlanOutcome>(),
  },
);

export type ParallelState = Shape<typeof shape>;

export class ParallelPlan implements Plan {
  readonly #config: ParallelConfig;
  readonly #input: RunInput['input'];
  readonly #children = new PlannedChildren();
  readonly #merged: MergedSession;
  readonly #ended: (EndedBranch | null)[];
  readonly #totals: RunningTotals;
  #left: number;
  #session: JsonObject;
  #finalResponse: PlanResult['finalResponse'] | undefined;
  #outcome: PlanOutcome | undefined;

  private constructor(config: ParallelConfig, state: ParallelState) {
    if (config.branches.length === 0)
      throw new LonghaulError('InvalidInput', `parallel '${config.id}' has no branches`);
    this.#config = config;
    this.#input = state.input;
    this.#session = state.session;
    this.#merged = new MergedSession(state.merged);
    this.#ended = [...state.ended];
    this.#left = state.ended.filter((branch) => branch === null).length;
    this.#totals = new RunningTotals(state.totals);
    this.#finalResponse = state.finalResponse;
    this.#outcome = state.outcome;
    if (state.outcome === undefined) this.#offerBranches();
  }

  static start(config: ParallelConfig, { input, session }: PlanStart): ParallelPlan {
    const ended = config.branches.map(() => null);
    const state = { input, session, merged: session, ended, totals: noTotals };
    return new ParallelPlan(config, state);
  }

  static restore(config: ParallelConfig, json: unknown): ParallelPlan {
    return new ParallelPlan(config, readPlan<ParallelState>('parallel', json, shape));
  }

  get ready(): readonly PlannedChild[] {
    return this.#children.ready;
  }

  get toStart(): number {
    return this.#children.readyCount;
  }

  get outcome(): PlanOutcome | undefined {
    return this.#outcome;
  }

  get cancelsRest(): boolean {
    if (this.#outcome?.kind === 'failed') return true;
    return this.#outcome !== undefined && this.#config.cancelRest === true;
  }

  get session(): JsonObject {
    return this.#session;
  }

  take(key: string): void {
    this.#children.take(key);
  }

  completed(key: string, result: ChildResult): void {
    const { element } = this.#children.close(key);
    if (this.#outcome !== undefined) return;
    if (this.#config.merge === 'first') this.#endWith(element, result);
    else this.#collect(element, result);
  }

  failed(key: string, failure: ChildFailure): void {
    const { element, runner } = this.#children.close(key);
    if (this.#outcome !== undefined) return;
    if (this.#config.merge !== 'first') {
      this.#end({ kind: 'failed', cause: key });
      return;
    }
    const place = { branch: element, runner, branches: this.#ended.length };
    this.#setEnded(element, branchFailure(place, failure));
    if (this.#left === 0) this.#end(allFailed(this.#config.id, this.#ended as BranchFailure[]));
  }

  shorten(maxBytes: number): void {
    const texts = this.#ended.map((branch) => (hasText(branch) ? branch.text : ''));
    for (const [index, text] of fitTexts(texts, maxBytes, sizeInJson).entries())
      if (hasText(this.#ended[index])) this.#ended[index] = { text };
  }

  toJSON(): JsonObject {
    this.#children.refuseOpen();
    const isOver = this.#outcome !== undefined;
    const state: ParallelState = {
      input: this.#input,
      session: this.#session,
      merged: isOver ? {} : this.#merged.session,
      ended: isOver ? [] : this.#ended,
      totals: this.#totals.toJSON(),
      ...(this.#finalResponse === undefined ? {} : { finalResponse: this.#finalResponse }),
      ...(this.#outcome === undefined ? {} : { outcome: this.#outcome }),
    };
    return storePlan('parallel', state);
  }

  #offerBranches(): void {
    const start = { input: this.#input, session: this.#session };
    const branches = this.#config.branches.map((place, index) => {
      const element = elementAt(index);
      return { ...place, key: element, element, ...start };
    });
    this.#children.offer(branches.filter((_, index) => this.#ended[index] === null));
  }

  #endWith(element: string, result: ChildResult): void {
    const { finalResponse, completionReason } = result;
    this.#totals.add(element, result);
    this.#merged.merge(result.delta);
    this.#session = this.#merged.session;
    this.#end({
      kind: 'complete',
      result: {
        finalResponse,
        completionReason: `${element} completed first: ${completionReason}`,
        ...this.#totals.fields,
      },
    });
  }

  #collect(element: string, result: ChildResult): void {
    this.#merged.merge(result.delta);
    this.#totals.add(element, result);
    if (element === elementAt(this.#ended.length - 1)) this.#finalResponse = result.finalResponse;
    this.#setEnded(element, { text: result.finalResponse.text });
    if (this.#left > 0 || this.#finalResponse === undefined) return;
    this.#session = this.#merged.session;
    const texts = this.#ended.map((branch) => (branch as { readonly text: string }).text);
    this.#end({
      kind: 'complete',
      result: {
        finalResponse: this.#finalResponse,
        completionReason: 'all branches completed',
        combinedText: JSON.stringify(texts),
        ...this.#totals.fields,
      },
    });
  }

  #setEnded(element: string, ended: EndedBranch): void {
    this.#ended[indexOf(element)] = ended;
    this.#left -= 1;
  }

  #end(outcome: PlanOutcome): void {
    this.#outcome = outcome;
    this.#children.withdraw();
  }
}

function hasText(branch: EndedBranch | null | undefined): branch is { readonly text: string } {
  return branch != null && 'text' in branch;
}

const prefix = 'branch-';

function elementAt(index: number): string {
  return `${prefix}${index + 1}`;
}

function indexOf(element: string): number {
  return Number(element.slice(prefix.length)) - 1;
}

// The error of a parallel if no branch completed. It names each branch, as far as there is room.

type BranchFailure = {
  readonly branch: string;
  readonly runner: string;
  readonly code?: string;
  readonly message: string;
};

/** The part of a branch's failure that the plan keeps. It cuts the message to the branch's share of the room in the error of all. */
function branchFailure(
  place: { readonly branch: string; readonly runner: string; readonly branches: number },
  { code, message }: ChildFailure,
): BranchFailure {
  const { branch, runner, branches } = place;
  const share = Math.max(leastMessage, Math.floor((room / branches) * plainShare) - roomAround);
  return {
    branch,
    runner,
    ...(code === undefined ? {} : { code }),
    message: oneLine(message, share),
  };
}

/** `failures` are the failures of all branches, in the order of the branches. */
function allFailed(id: string, failures: readonly BranchFailure[]): PlanOutcome {
  const head = `No branch of '${id}' completed. `;
  const lines = failures.map(
    ({ branch, runner, code, message }) =>
      `${branch} (${runner}): ${code === undefined ? '' : `${code}: `}${message}`,
  );
  const listed = fitItems(failures, room, (failure) => `${JSON.stringify(failure)},`);
  return {
    kind: 'failed',
    code: 'ParallelFailed',
    message: head + fitList(lines, '; ', room - head.length),
    details: { branches: listed as unknown as JsonObject[] },
  };
}
