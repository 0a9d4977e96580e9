// People who answer what runs ask: some of it at a time, in any order.

import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, LonghaulError, type Actor, type JsonObject } from 'longhaul';
import type { Longhaul, PendingInput, RunHandle } from 'longhaul/client';
import type { Caller } from './client.mts';
import type { Random } from './random.mts';
import { answerTo, decisionOn, rejection, signature, voteOn } from './texts.mts';
import type { Act, TreePlan } from './plan.mts';
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
  readonly trees: ReadonlyMap<string, TreePlan>;
  /** Workers check the signatures of answers. */
  readonly isSigned: boolean;
  /** Sends an answer with a wrong signature. */
  readonly forge: (workflowId: string, inputId: string) => Promise<void>;
  readonly report: (wrong: string) => void;
};

/** No worker was there to check the signature. The input is still open. */
const isUnchecked = ({ code, message }: LonghaulError): boolean =>
  code === 'NotPermitted' && message.includes('could not be checked');

/** Anybody may send a signal. Whether it arrives does not matter. */
export async function forgeAnswer(
  { client }: Longhaul,
  workflowId: string,
  inputId: string,
): Promise<void> {
  const forged = { answer: 'forged', inputId, signature: 'forged' };
  await client.workflow
    .getHandle(workflowId)
    .signal('resume', forged)
    .catch(() => undefined);
}

export class People {
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #acts: ReadonlyMap<string, Act>;
  readonly #trees: ReadonlyMap<string, TreePlan>;
  readonly #signed: { readonly signature?: string };
  readonly #forge: PeopleOptions['forge'];
  readonly #report: (wrong: string) => void;
  /** The inputs that were answered, with the nonces that they had then. */
  readonly #taken = new Set<string>();
  /** Runs to which forged answers were sent. */
  readonly #forgedTo = new Set<string>();
  readonly #answered = new Map<string, number>();
  /** By run: the questions about its budget that were answered. */
  readonly #raised = new Map<string, Set<string>>();
  answers = 0;
  /** Answers that were too long, and were refused. */
  refused = 0;
  /** Votes of people who may not decide. */
  forbidden = 0;

  /** Inputs that were open again though an answer was taken, by the run. */
  readonly askedAgain: { readonly workflowId: string; readonly inputId: string }[] = [];
  /** Forged answers that were sent. */
  forged = 0;

  constructor({ caller, random, acts, trees, isSigned, forge, report }: PeopleOptions) {
    this.#caller = caller;
    this.#random = random;
    this.#acts = acts;
    this.#trees = trees;
    this.#signed = isSigned ? { signature } : {};
    this.#forge = forge;
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
    const { thinkMs = 0 } = this.#trees.get(run.workflowId) ?? {};
    if (thinkMs > 0) await sleep(this.#random.below(thinkMs));
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
    const asking = `${name} ${pending.nonce}`;
    if (this.#taken.has(asking)) this.askedAgain.push({ ...pending, workflowId: run.workflowId });
    await this.#tryForged(run, pending);
    try {
      const decide = (): Promise<number> => this.#decide(run, pending);
      const missing = await this.#caller.insist(`the answer to ${name}`, decide);
      this.answers += 1;
      if (missing === 0 && pending.nonce !== undefined) this.#taken.add(asking);
    } catch (error) {
      if (!LonghaulError.is(error)) throw error;
      if (!lateRefusals.includes(error.code) && !isUnchecked(error)) throw error;
    }
  }

  /** Once for each run: strangers give many answers at a time. */
  async #tryForged(run: RunHandle, { kind, inputId }: PendingInput): Promise<void> {
    const { workflowId } = run;
    const { forgeries = 0 } = this.#trees.get(workflowId) ?? {};
    const isSigned = this.#signed.signature !== undefined;
    if (!isSigned || kind !== 'question' || this.#forgedTo.has(workflowId)) return;
    this.#forgedTo.add(workflowId);
    await Promise.all(Array.from({ length: forgeries }, () => this.#forge(workflowId, inputId)));
    this.forged += forgeries;
  }

  /** How many people must still approve. */
  async #decide(run: RunHandle, pending: PendingInput): Promise<number> {
    if (pending.kind === 'approval') return await this.#approve(run, pending);
    await this.#tell(run, pending);
    return 0;
  }

  async #tell(run: RunHandle, { inputId, kind, question }: PendingInput): Promise<void> {
    if (kind === 'budget') return await this.#raise(run, inputId);
    const act = this.#acts.get(question);
    if (act === undefined)
      throw new Error(`${run.workflowId} asks what nobody planned: ${question}`);
    if (act.size.bytes > limits.answer) await this.#tryTooLong(run, inputId);
    await run.resume(answerTo(act), { inputId, ...this.#signed });
  }

  async #approve(run: RunHandle, { inputId, call }: PendingInput): Promise<number> {
    const args = call?.args ?? {};
    const place = typeof args['place'] === 'string' ? args['place'] : '';
    if (call?.name === 'vote') return await this.#vote(run, { inputId, place });
    const decision = decisionOn(place);
    if (decision === 'reject') {
      await run.reject(inputId, rejection, this.#signed);
      return 0;
    }
    const edit: JsonObject = { ...args, edited: true };
    const changed = decision === 'edit' ? { args: edit } : {};
    const { missing } = await run.approve(inputId, { ...changed, ...this.#signed });
    return missing;
  }

  /** Those who may not are refused each time; those who may count once, however often they say it. */
  async #vote(
    run: RunHandle,
    { inputId, place }: { inputId: string; place: string },
  ): Promise<number> {
    for (const by of [requester, stranger]) await this.#tryForbidden(run, inputId, by);
    const [ada, bob] = voters;
    const byAda = { by: ada, ...this.#signed };
    if (voteOn(place) === 'reject') {
      await run.reject(inputId, rejection, byAda);
      return 0;
    }
    const { missing } = await run.approve(inputId, byAda);
    const again = missing > 0 ? await run.approve(inputId, byAda) : { missing };
    if (again.missing !== missing)
      this.#report(`${run.workflowId} counted a vote about ${place} twice`);
    const last = await run.approve(inputId, { by: bob, ...this.#signed });
    return last.missing;
  }

  async #tryForbidden(run: RunHandle, inputId: string, by: Actor): Promise<void> {
    try {
      await run.approve(inputId, { by, ...this.#signed });
      this.#report(`${run.workflowId} took the vote of ${by.id}, who may not`);
    } catch (error) {
      if (!hasCode(error, 'NotPermitted')) throw error;
      this.forbidden += 1;
    }
  }

  async #raise(run: RunHandle, inputId: string): Promise<void> {
    const answer = this.#trees.get(run.workflowId)?.budget?.answer;
    if (answer === undefined) throw new Error(`${run.workflowId} asks for budget, but has none`);
    const raised = this.#raised.get(run.workflowId) ?? new Set();
    this.#raised.set(run.workflowId, raised.add(inputId));
    await run.resume(answer, { inputId, ...this.#signed });
  }

  /** It is refused, and the question stays. */
  async #tryTooLong(run: RunHandle, inputId: string): Promise<void> {
    const answer = payload('too long', { bytes: limits.answer + 1, deflates: true });
    try {
      await run.resume(answer, { inputId, ...this.#signed });
      this.#report(`${run.workflowId} took an answer of ${answer.length} bytes`);
    } catch (error) {
      if (!hasCode(error, 'InvalidAnswer')) throw error;
      this.refused += 1;
    }
  }
}
