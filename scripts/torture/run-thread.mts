// Runs the conversations of a round and holds their answers, and what their stores keep, against the expectation.

import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { hasCode, type RunInput } from 'longhaul';
import type { Longhaul, RunHandle, SendOptions, ThreadHandle } from 'longhaul/client';
import { askAgain } from './client.mts';
import type { MessagePlan, ThreadOperation, ThreadPlan } from './plan.mts';
import { requester } from './people.mts';
import { answerUntilEnd, clipped, partsInFull, settleMs, type TortureSetup } from './run-tree.mts';
import { answerOf, messageOf } from './texts.mts';

export type ThreadOptions = { readonly signal: AbortSignal; readonly sessionId?: string };

/** Sends all messages of a conversation, cancels and clears where the plan says so, and looks at what was kept. */
export async function runThread(
  setup: TortureSetup,
  plan: ThreadPlan,
  { signal, sessionId = plan.id }: ThreadOptions,
): Promise<void> {
  const { longhaul, caller } = setup;
  const thread = longhaul.thread({ agent: plan.id, sessionId });
  const talk = new Talk(setup, { plan, thread, signal });
  for (const operation of plan.operations) await talk.go(operation);
  await talk.end();
  // It would end by itself when nobody may send a message again any more, after minutes.
  await caller.insist(`the end of ${plan.id}`, () => endThread(longhaul, thread), signal);
}

async function endThread({ client }: Longhaul, { threadId }: ThreadHandle): Promise<void> {
  const handle = client.workflow.getHandle(threadId);
  await handle.cancel().catch(ignoringNotFound);
  await handle.result().catch((error: unknown) => {
    if (!(error instanceof WorkflowFailedError)) throw error;
  });
}

/** It has ended. */
function ignoringNotFound(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

type Sent = { readonly plan: MessagePlan; readonly turn: RunHandle };

type Conversation = {
  readonly plan: ThreadPlan;
  readonly thread: ThreadHandle;
  readonly signal: AbortSignal;
};

class Talk {
  readonly #setup: TortureSetup;
  readonly #conversation: Conversation;
  /** Since the last clear. */
  #kept: readonly MessagePlan[] = [];
  /** A turn that asks, which the next message interrupts. */
  #asking: Sent | undefined;

  constructor(setup: TortureSetup, conversation: Conversation) {
    this.#setup = setup;
    this.#conversation = conversation;
  }

  async go(operation: ThreadOperation): Promise<void> {
    if (operation.kind === 'send') return await this.#sendBurst(operation.burst);
    await this.#cancelAsking();
    if (operation.kind === 'clear') return await this.#clear();
    this.#asking = await this.#ask(operation.asking);
    if (operation.kind === 'cancel') await this.#cancelAsking(operation.late);
  }

  async end(): Promise<void> {
    await this.#cancelAsking();
    if (this.#conversation.plan.hasStore) await this.#checkStore();
    await this.#tryReset();
    await this.#clear();
  }

  /** A thread is no run: it is not reset, and goes on. */
  async #tryReset(): Promise<void> {
    const { threadId } = this.#conversation.thread;
    const reset = () => this.#setup.longhaul.run(threadId).reset({ to: 1 });
    try {
      await this.#insist(`the reset of ${threadId}`, reset);
      this.#report(`${threadId} was reset, though it is no run`);
    } catch (error) {
      if (!hasCode(error, 'InvalidInput') && !hasCode(error, 'RunNotFound')) throw error;
    }
  }

  async #insist<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
    return await this.#setup.caller.insist(what, call, this.#conversation.signal);
  }

  async #send(plan: MessagePlan, options: SendOptions = {}): Promise<Sent> {
    const { thread } = this.#conversation;
    const turn = await this.#insist(`sending ${plan.name}`, () =>
      thread.send(messageOf(plan), { messageId: plan.name, by: requester, ...options }),
    );
    return { plan, turn };
  }

  async #sendBurst(burst: readonly MessagePlan[]): Promise<void> {
    const sent: Sent[] = [];
    for (const plan of burst) {
      const interrupts = this.#asking !== undefined && sent.length === 0;
      sent.push(await this.#send(plan, interrupts ? { whenBusy: 'interrupt' } : {}));
    }
    await this.#checkCancelled();
    for (const each of sent) await this.#checkAnswer(each);
  }

  async #checkAnswer({ plan, turn }: Sent): Promise<void> {
    const { plan: thread, signal } = this.#conversation;
    let end = await answerUntilEnd(this.#setup, turn, signal);
    while (!(await this.#setup.settles(thread.id, turn.workflowId)))
      end = await answerUntilEnd(this.#setup, turn, signal);
    const text = end.kind === 'complete' ? end.result.finalResponse.text : clipped(end);
    const expected = answerOf({ id: plan.name, answer: plan.answer });
    if (text !== expected)
      this.#report(`${plan.name} came to ${clipped(text)}, expected ${clipped(expected)}`);
    this.#kept = [...this.#kept, plan];
  }

  /** A reset takes back a cancellation, too: what is to be cancelled is not reset. */
  async #ask(plan: MessagePlan): Promise<Sent> {
    await this.#setup.settles(this.#conversation.plan.id);
    const sent = await this.#send(plan);
    const outcome = await this.#insist(`the outcome of ${plan.name}`, () => sent.turn.outcome());
    if (outcome.kind === 'complete') this.#report(`${plan.name} did not ask`);
    return sent;
  }

  async #cancelAsking(late?: MessagePlan): Promise<void> {
    const asking = this.#asking;
    if (asking === undefined) return;
    await this.#insist(`cancelling ${asking.plan.name}`, () => asking.turn.cancel('enough'));
    if (late !== undefined) await this.#send(late, { whenBusy: 'steer' });
    await this.#checkCancelled();
    if (late !== undefined) await this.#checkLate(late);
  }

  /** The turn that ends gives the text back to the thread, which makes it a turn. */
  async #checkLate(plan: MessagePlan): Promise<void> {
    const { thread } = this.#conversation;
    const deadline = Date.now() + settleMs;
    for (;;) {
      const turns = await this.#insist(`the turns after ${plan.name}`, () => thread.turns());
      const view = turns.find(({ messageId }) => messageId === plan.name);
      if (view !== undefined) return await this.#checkAnswer({ plan, turn: thread.turn(view) });
      if (Date.now() > deadline) return this.#report(`${plan.name} was taken, and became no turn`);
      await sleep(500);
    }
  }

  async #checkCancelled(): Promise<void> {
    const asking = this.#asking;
    this.#asking = undefined;
    if (asking === undefined) return;
    try {
      await this.#insist(`the result of ${asking.plan.name}`, () => asking.turn.result());
      this.#report(`${asking.plan.name} was answered though it was cancelled`);
    } catch (error) {
      if (!hasCode(error, 'RunCancelled')) throw error;
    }
    this.#setup.goesOn(this.#conversation.plan.id);
  }

  /** Nothing that was said before is left in the store when the call returns. */
  async #clear(): Promise<void> {
    const { plan, thread } = this.#conversation;
    this.#kept = [];
    await this.#insist(`clearing ${plan.id}`, () => thread.clear());
    if (!plan.hasStore) return;
    const left = await askAgain(() => this.#setup.memory.count(thread.key));
    if (left > 0) this.#report(`${plan.id} has ${left} turns in its store after clear() returned`);
  }

  /** What the store has in the end is what was said since the last clear. */
  async #checkStore(): Promise<void> {
    const { thread } = this.#conversation;
    const expected = this.#kept.map((plan) => [
      messageOf(plan),
      answerOf({ id: plan.name, answer: plan.answer }),
    ]);
    const deadline = Date.now() + settleMs;
    for (;;) {
      const turns = await askAgain(() => this.#setup.memory.loadTurns(thread.key));
      const said = turns.map(async ({ user, assistant }) => [await this.#inFull(user), assistant]);
      const actual = await Promise.all(said);
      if (isDeepStrictEqual(actual, expected)) return;
      if (Date.now() > deadline) {
        const store = `the store of ${thread.key.sessionId}`;
        return this.#report(`${store} has ${clipped(actual)}, expected ${clipped(expected)}`);
      }
      await sleep(1_000);
    }
  }

  /** A turn names its large pictures, which are in the result store as long as the turn is in this one. */
  async #inFull(user: RunInput['input']): Promise<RunInput['input']> {
    if (typeof user === 'string') return user;
    return await partsInFull(this.#setup.longhaul, this.#conversation.thread.threadId, user);
  }

  #report(wrong: string): void {
    this.#setup.report(wrong);
  }
}
