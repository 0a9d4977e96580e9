// People who answer what runs ask: some of it at a time, in any order.

import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, LonghaulError, type Actor, type JsonObject } from 'longhaul';
import type { PendingInput, RunHandle } from 'longhaul/client';
import type { Caller } from './client.mts';
import type { Random } from './random.mts';
import { answerTo, decisionOn, rejection, voteOn } from './texts.mts';
import type { Act, BudgetPlan } from './plan.mts';
import { limits } from './limits.mts';
import { payload } from './payload.mts';

/** The question was answered, or is gone, by the time the answer comes. */
const lateRefusals: readonly string[] = ['AlreadyAnswered', 'NotWaiting', 'RunClosed'];
/** A question that was answered and is asked again and again. */
const mostAnswers = 30;

/** Who starts all runs: of finance, and yet no vote about what the run wants. */
export const requester: Actor = { id: 'mia', roles: ['finance'] };
const stranger: Actor = { id: 'eve', roles: ['sales'] };
const voters: readonly [Actor, Actor] = [
  { id: 'ada', roles: ['finance'] },
  { id: 'bob', roles: ['finance'] },
];

export type PeopleOptions = {
  readonly caller: Caller;
  readonly random: Random;
  readonly acts: ReadonlyMap<string, Act>;
  /** By the id of the run. */
  readonly budgets: ReadonlyMap<string, BudgetPlan | undefined>;
  readonly report: (wrong: string) => void;
};

export class People {
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #acts: ReadonlyMap<string, Act>;
  readonly #budgets: ReadonlyMap<string, BudgetPlan | undefined>;
  readonly #report: (wrong: string) => void;
  readonly #answered = new Map<string, number>();
  /** By run: the questions about its budget that were answered. */
  readonly #raised = new Map<string, Set<string>>();
  answers = 0;
  /** Answers that were too long, and were refused. */
  refused = 0;
  /** Votes of people who may not decide. */
  forbidden = 0;

  constructor({ caller, random, acts, budgets, report }: PeopleOptions) {
    this.#caller = caller;
    this.#random = random;
    this.#acts = acts;
    this.#budgets = budgets;
    this.#report = report;
  }

  get raises(): number {
    return [...this.#raised.values()].reduce((sum, { size }) => sum + size, 0);
  }

  budgetQuestions(workflowId: string): number {
    return this.#raised.get(workflowId)?.size ?? 0;
  }

  async answerSome(run: RunHandle, all: readonly PendingInput[]): Promise<void> {
    // Whoever has its token gives the result of such a call.
    const pending = all.filter(({ byToken }) => byToken !== true);
    if (pending.length === 0) return await sleep(500);
    const most = this.#random.between(1, pending.length);
    const chosen = this.#random.shuffle(pending).slice(0, most);
    await Promise.all(chosen.map((one) => this.#answer(run, one)));
  }

  async #answer(run: RunHandle, pending: PendingInput): Promise<void> {
    // From the memo, which is read while no worker answers: nobody approves what is not shown. It is asked again.
    if (pending.kind === 'approval' && pending.call === undefined) return await sleep(1_000);
    const name = `${run.workflowId} ${pending.inputId}`;
    const times = (this.#answered.get(name) ?? 0) + 1;
    this.#answered.set(name, times);
    if (times > mostAnswers) throw new Error(`${name} was answered ${times} times and still waits`);
    if (times > 2) await sleep(1_000);
    try {
      await this.#caller.insist(`the answer to ${name}`, () => this.#decide(run, pending));
      this.answers += 1;
    } catch (error) {
      if (!LonghaulError.is(error) || !lateRefusals.includes(error.code)) throw error;
    }
  }

  async #decide(run: RunHandle, { inputId, kind, question, call }: PendingInput): Promise<void> {
    if (kind === 'budget') return await this.#raise(run, inputId);
    if (kind === 'question') {
      const act = this.#acts.get(question);
      if (act === undefined)
        throw new Error(`${run.workflowId} asks what nobody planned: ${question}`);
      if (act.size.bytes > limits.answer) await this.#tryTooLong(run, inputId);
      return await run.resume(answerTo(act), { inputId });
    }
    const args = call?.args ?? {};
    const place = typeof args['place'] === 'string' ? args['place'] : '';
    if (call?.name === 'vote') return await this.#vote(run, { inputId, place });
    const decision = decisionOn(place);
    if (decision === 'reject') return await run.reject(inputId, rejection);
    const edit: JsonObject = { ...args, edited: true };
    await run.approve(inputId, decision === 'edit' ? { args: edit } : {});
  }

  /** Those who may not are refused each time; those who may count once, however often they say it. */
  async #vote(run: RunHandle, { inputId, place }: { inputId: string; place: string }) {
    for (const by of [requester, stranger]) await this.#tryForbidden(run, inputId, by);
    const [ada, bob] = voters;
    if (voteOn(place) === 'reject') return await run.reject(inputId, rejection, { by: ada });
    const { missing } = await run.approve(inputId, { by: ada });
    const again = missing > 0 ? await run.approve(inputId, { by: ada }) : { missing };
    if (again.missing !== missing)
      this.#report(`${run.workflowId} counted a vote about ${place} twice`);
    await run.approve(inputId, { by: bob });
  }

  async #tryForbidden(run: RunHandle, inputId: string, by: Actor): Promise<void> {
    try {
      await run.approve(inputId, { by });
      this.#report(`${run.workflowId} took the vote of ${by.id}, who may not`);
    } catch (error) {
      if (!hasCode(error, 'NotPermitted')) throw error;
      this.forbidden += 1;
    }
  }

  async #raise(run: RunHandle, inputId: string): Promise<void> {
    const answer = this.#budgets.get(run.workflowId)?.answer;
    if (answer === undefined) throw new Error(`${run.workflowId} asks for budget, but has none`);
    const raised = this.#raised.get(run.workflowId) ?? new Set();
    this.#raised.set(run.workflowId, raised.add(inputId));
    await run.resume(answer, { inputId });
  }

  /** It is refused, and the question stays. */
  async #tryTooLong(run: RunHandle, inputId: string): Promise<void> {
    const answer = payload('too long', { bytes: limits.answer + 1, deflates: true });
    try {
      await run.resume(answer, { inputId });
      this.#report(`${run.workflowId} took an answer of ${answer.length} bytes`);
    } catch (error) {
      if (!hasCode(error, 'InvalidAnswer')) throw error;
      this.refused += 1;
    }
  }
}
