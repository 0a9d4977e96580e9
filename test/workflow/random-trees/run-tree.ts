// Runs one tree: starts it, answers all it asks, once each and in random order, and tells how it ended.

import { LonghaulError } from '../../../src';
import type { Longhaul, RunHandle } from '../../../src/client';
import type { JsonObject } from '../../../src/base/json';
import type { AgentRunOutcome, PendingInput } from '../../../src/protocol/run';
import { input, type RandomTree } from './random-tree';
import { Random } from '../../../scripts/torture/random.mts';
import type { TreeModels } from './tree-models';
import { answerTo, decisionOn, edited } from './tools';
import { toRunner, type Tree } from './tree';

export type End =
  | {
      readonly kind: 'complete';
      readonly text: string;
      readonly combinedText?: string;
      readonly session: JsonObject;
      readonly iterations: number;
      readonly tokens: number | null;
    }
  | { readonly kind: 'failed'; readonly code: string };

export type TreeRun = {
  readonly workflowId: string;
  readonly end: End;
  /** By input id: whether the run took the answer. The question may be gone by then. */
  readonly answers: ReadonlyMap<string, boolean>;
  /** Second answers that were refused because there had been a first one. */
  readonly secondAnswers: number;
  /** What was not as it should be. */
  readonly wrongs: readonly string[];
};

export type TestSetup = { readonly longhaul: Longhaul; readonly models: TreeModels };

export async function runTree(
  { longhaul, models }: TestSetup,
  { tree, seed }: RandomTree,
): Promise<TreeRun> {
  const { id, session, cancel } = tree;
  const workflowId = `${id}-${longhaul.taskQueue}`;
  if (cancel?.at === 'call')
    models.holdCall(tree, cancel.number, () => longhaul.run(workflowId).cancel('enough'));
  // Half of them travel along, the others are known to the worker.
  const runner = seed % 2 === 0 ? toRunner(tree.root) : tree.root.id;
  const options = { session, workflowId };
  const run = await (typeof runner === 'string'
    ? longhaul.start(runner, input, options)
    : longhaul.startSpec(runner, input, options));
  const person = new Person(run, tree, new Random(seed));
  const end = await person.watch();
  const { answers, secondAnswers, wrongs } = person;
  return { workflowId, end, answers, secondAnswers, wrongs };
}

class Person {
  readonly answers = new Map<string, boolean>();
  readonly wrongs: string[] = [];
  secondAnswers = 0;
  readonly #run: RunHandle;
  readonly #tree: Tree;
  readonly #random: Random;

  constructor(run: RunHandle, tree: Tree, random: Random) {
    this.#run = run;
    this.#tree = tree;
    this.#random = random;
  }

  async watch(): Promise<End> {
    try {
      for (;;) {
        const outcome = await this.#run.outcome();
        if (outcome.kind === 'complete') return endOf(outcome);
        await this.#answerSome(outcome.pending);
      }
    } catch (error) {
      if (LonghaulError.is(error)) return { kind: 'failed', code: error.code };
      throw error;
    }
  }

  async #answerSome(pending: readonly PendingInput[]): Promise<void> {
    const { cancel } = this.#tree;
    if (cancel?.at === 'pause' && this.answers.size + pending.length >= cancel.number) {
      await this.#run.cancel('enough');
      await this.#run.result();
    }
    const chosen = this.#random.shuffle(pending).slice(0, this.#random.between(1, pending.length));
    await Promise.all(chosen.map((one) => this.#answer(one)));
  }

  async #answer(pending: PendingInput): Promise<void> {
    const { inputId } = pending;
    if (this.answers.get(inputId) === true) this.wrongs.push(`'${inputId}' was asked again`);
    const refusal = await refusalOf(decide(this.#run, pending));
    this.answers.set(inputId, refusal === undefined);
    if (refusal !== undefined) {
      if (!['NotWaiting', 'RunClosed'].includes(refusal))
        this.wrongs.push(`'${inputId}' could not be answered: ${refusal}`);
      return;
    }
    const second = await refusalOf(decideAgain(this.#run, pending));
    if (second === 'AlreadyAnswered') this.secondAnswers += 1;
    else if (second !== 'RunClosed')
      this.wrongs.push(`'${inputId}' took a second answer: ${second ?? 'accepted'}`);
  }
}

async function decide(
  run: RunHandle,
  { inputId, kind, question, call }: PendingInput,
): Promise<void> {
  if (kind !== 'approval') return await run.resume(answerTo(question), { inputId });
  const { key = '', value = '' } = (call?.args ?? {}) as { readonly [name: string]: string };
  const decision = decisionOn(value);
  if (decision === 'reject') return await run.reject(inputId, 'rather not');
  await run.approve(inputId, decision === 'edit' ? { args: { key, value: edited(value) } } : {});
}

async function decideAgain(run: RunHandle, { inputId, kind }: PendingInput): Promise<void> {
  if (kind === 'approval') return await run.reject(inputId, 'on second thoughts');
  await run.resume('something else', { inputId });
}

async function refusalOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (LonghaulError.is(error)) return error.code;
    throw error;
  }
}

function endOf({ result }: Extract<AgentRunOutcome, { kind: 'complete' }>): End {
  const { finalResponse, combinedText, session, iterations, usage } = result;
  return {
    kind: 'complete',
    text: finalResponse.text,
    ...(combinedText !== undefined && { combinedText }),
    session,
    iterations,
    tokens: usage.totalTokens,
  };
}
