// Makes turns of the messages to a thread, and runs one turn after another. Each turn is a child run.
//
// 1. A turn gets the turns before it by reference: its run knows their place, never their texts.
// 2. The thread remembers only completed turns. It never remembers turns sent before a `clear`, even if they finish later.

import { CancellationScope, uuid4, workflowInfo } from '@temporalio/workflow';
import { defined } from '../../base';
import { originBelow, rootOrigin } from '../../core/origin';
import type {
  AgentRunResult,
  OpenThreadResult,
  SendInput,
  SendReply,
  ThreadInput,
} from '../../protocol';
import type { RunBudget } from '../../core/budget/budget';
import { failureSpend, failureSteered, failureView } from '../children/child-failure';
import { cancelWithScope, childId } from '../children/child-start';
import type { Execution } from '../lifecycle/execution';
import { SteeredTurn } from './steered-turn';
import { saidInput, savedTurn, startTurn, timeOrderedId } from './thread-run';
import type { ThreadMemory } from './thread-memory';
import type { ThreadStores } from './thread-stores';
import type { QueuedTurn, ThreadTurns } from './thread-turns';

/** The parts that a thread uses after it has loaded its settings. */
export type ThreadParts = {
  readonly input: ThreadInput;
  readonly execution: Execution;
  readonly turns: ThreadTurns;
  readonly memory: ThreadMemory;
  readonly budget: RunBudget;
  readonly settings: ThreadSettings;
  readonly stores: ThreadStores;
};

/** The settings of the thread's runner, from the workers. */
export type ThreadSettings = Pick<
  OpenThreadResult,
  'memory' | 'context' | 'searchAttributes' | 'hooks'
>;

export class TurnRuns {
  readonly #thread: ThreadParts;
  readonly #steered: SteeredTurn;
  /** Cancels the running turn. */
  #scope: CancellationScope | undefined;

  constructor(thread: ThreadParts) {
    this.#thread = thread;
    this.#steered = new SteeredTurn(thread.turns, (message) => this.#queue(message));
  }

  send(message: SendInput): SendReply {
    this.#thread.execution.phase.updates += 1;
    return this.#queue(message);
  }

  /** Gives the message to the running turn. It becomes a turn if none runs, or if that one ends first. */
  steer(message: SendInput): Promise<SendReply> {
    this.#thread.execution.phase.updates += 1;
    return this.#steered.bring(message);
  }

  /** The run got the message after the request to cancel it, so the message becomes a turn. */
  takeBack(messageId: string): void {
    this.#steered.takeBack(messageId);
  }

  /** Ends the running turn. */
  interrupt(): void {
    this.#steered.leave();
    this.#scope?.cancel();
  }

  #queue(message: SendInput): SendReply {
    const { turns } = this.#thread;
    const turn = turns.count + 1;
    const workflowId = childId({ ...workflowInfo(), place: `turn-${turn}`, tag: uuid4() });
    const time = turns.nextTime(Date.now());
    const createdAt = new Date(time).toISOString();
    turns.add({ ...message, turn, workflowId, id: timeOrderedId(time, uuid4()), createdAt });
    return { messageId: message.messageId, turn, workflowId };
  }

  async run(turn: QueuedTurn): Promise<void> {
    const { execution, memory, budget, input, settings } = this.#thread;
    const { workflowId } = execution.info;
    execution.show();
    this.#scope = new CancellationScope();
    try {
      const { turn: number, messageId } = turn;
      const thread = { workflowId, turn: number, memory: memory.log.ref() };
      const origin = originBelow(rootOrigin(execution.info), `turn-${number}`, messageId);
      const indexed = settings.searchAttributes;
      const from = { session: memory.session, thread, origin, indexed };
      const onStarted = this.#steered.starting();
      const result = await this.#scope.run(async () => {
        const run = await startTurn(input, turn, from);
        cancelWithScope(run);
        onStarted();
        return await run.result();
      });
      await this.#steered.over();
      const { usage, costUsd } = result;
      budget.record({ usage, ...defined({ costUsd }) });
      this.#keep(turn, result);
      await this.#summariseIfDue(result);
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
      const spend = failureSpend(error);
      if (spend !== undefined) budget.record(spend);
      const [failure, steered] = [failureView(error), failureSteered(error)];
      const status = failure.code === 'RunCancelled' ? 'cancelled' : 'failed';
      await this.#steered.over();
      this.#steered.finish({ status, failure, isRemembered: false, steered });
    } finally {
      this.#scope = undefined;
      execution.inputs.publishChild(turn.workflowId, []);
      execution.show();
    }
  }

  #keep(turn: QueuedTurn, result: AgentRunResult): void {
    const { turns, memory, stores } = this.#thread;
    const isRemembered = !turns.isCleared(turn);
    const end = { status: 'completed', isRemembered, steered: result.steered ?? [] } as const;
    const input = saidInput(turn, this.#steered.finish(end));
    if (!isRemembered) return;
    memory.session = result.session;
    memory.remember(input, result.finalResponse.text);
    stores.saves.save(savedTurn({ ...turn, input }, result));
  }

  /** If a summary fails, the thread tries again after the next turn. */
  async #summariseIfDue(result: AgentRunResult): Promise<void> {
    const { memory, input, budget, settings } = this.#thread;
    const plan = memory.planSummary(result, settings.context);
    if (plan === undefined) return;
    try {
      budget.record(await memory.summarise(input, plan));
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
    }
  }
}
