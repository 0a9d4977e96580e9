// Runs a thread: a conversation that takes messages, and answers them one turn after another. This file opens the thread, from its store or
// from carried state, and ends it. `OpenThread` does all that comes between.
//
// 1. The constructor sets all handlers, before the first await. `open` is undefined until the thread has its settings. A message that comes
//    earlier waits.
// 2. A message may come while a turn runs. It waits for its turn, unless the running turn takes it.
// 3. A thread that ends saves what is left, even if it was cancelled or failed.

import {
  CancellationScope,
  ContinueAsNew,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { JsonObject } from '../../base';
import { RunBudget } from '../../core/budget/budget';
import { keyHashes } from '../../core/key-hashes';
import { runnerAddress, runnerIdOf } from '../../core/runner-refs';
import { isOfNewerVersion } from '../../core/stored-format';
import { type ChildInputs, LonghaulError, type ThreadInput } from '../../protocol';
import { openingActivities } from '../activity-proxies';
import { toWorkflowFailure } from '../durable';
import { whenLoaded } from '../lifecycle/define-handlers';
import { Execution, type Owner, type View } from '../lifecycle/execution';
import { setHandlers } from '../lifecycle/handlers';
import type { EndStatus } from '../lifecycle/phase';
import { type Taken, withCarried, type WorkflowArguments } from '../lifecycle/start';
import { carriedEntries, type RunLog } from '../log/run-log';
import { type CarriedThread, unpackThread } from './carried-thread';
import { OpenThread } from './open-thread';
import { type HandledThread, setThreadHandlers } from './thread-handlers';
import { takeThreadStart } from './thread-input';
import { ThreadMemory } from './thread-memory';
import { erasuresOf } from './thread-erasure';
import { newKey } from './thread-stores';
import { ThreadTurns } from './thread-turns';

export class ThreadLoop implements HandledThread, Owner {
  readonly #start: Taken<ThreadInput, CarriedThread>;
  readonly turns: ThreadTurns;
  readonly execution: Execution;
  readonly #memory: ThreadMemory;
  /** Has no limit. It counts what the turns and the summaries cost. */
  readonly #budget = new RunBudget();
  #open: OpenThread | undefined;
  /** Why the thread could not be opened. */
  #loadFailure: unknown;

  constructor(given: WorkflowArguments) {
    const info = workflowInfo();
    this.#start = withCarried(takeThreadStart(given, info), unpackThread);
    const { carried } = this.#start;
    this.turns = new ThreadTurns(carried?.turns);
    this.#memory = new ThreadMemory(info);
    this.execution = new Execution(this, { carried: carried?.requests });
    setHandlers(this.execution);
    setThreadHandlers(this);
  }

  get given(): ThreadInput | { readonly runner: string } {
    return this.#start.given;
  }

  /** Undefined while the thread does not know its settings. */
  get open(): OpenThread | undefined {
    return this.#open;
  }

  get erasures(): number {
    return erasuresOf(this.#open?.stores.erasure.carry() ?? this.#start.carried?.erasure);
  }

  get log(): RunLog {
    return this.#memory.log;
  }

  get session(): JsonObject {
    return this.#open?.session ?? this.#memory.session;
  }

  get view(): View {
    const { given } = this;
    const { searchAttributes = false, hooks = [] } = this.#open?.settings ?? {};
    const runner = runnerIdOf(given.runner);
    return {
      runner,
      path: runner,
      key: 'key' in given ? keyHashes(given.key) : [],
      progress: { turn: this.turns.count, iterations: 0 },
      spend: this.#budget.spend,
      log: this.log,
      children: [],
      indexed: searchAttributes,
      hooks,
      ...('application' in given && { application: given.application }),
    };
  }

  async run(): Promise<void> {
    try {
      const open = await this.#load();
      while (await open.goOn());
      await this.#end('completed');
    } catch (error) {
      if (isOfNewerVersion(error)) throw error;
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      const isMoving = error instanceof ContinueAsNew;
      await CancellationScope.nonCancellable(() => this.#end(isMoving ? undefined : status));
      throw error;
    }
  }

  async #load(): Promise<OpenThread> {
    try {
      if (this.#start.refused !== undefined) throw this.#start.refused;
      const { given, carried } = this.#start;
      const open = await (carried === undefined
        ? this.#openNew(given)
        : this.#restore(given, carried));
      this.execution.loaded();
      return open;
    } catch (error) {
      this.#loadFailure = error;
      throw error;
    }
  }

  async #openNew(input: ThreadInput): Promise<OpenThread> {
    const { key, hasTenantInKey } = newKey(input);
    const opened = await openingActivities.openThread({ ...runnerAddress(input), key });
    if (input.idleTimeoutMs !== undefined && opened.memory?.store === undefined) {
      throw new LonghaulError(
        'InvalidInput',
        'idleTimeout needs an agent whose memory has a store: what is in none would be lost',
      );
    }
    const { generation = '', session, count, turns } = opened;
    const saves = { writes: [], generation };
    const open = this.#begin(input, opened, { saves, hasTenantInKey, isClearing: false });
    this.#memory.session = session ?? open.firstSession;
    this.turns.count = count - turns.length;
    for (const { messageId, workflowId, user, assistant, createdAt } of turns) {
      const turn = this.turns.count + 1;
      const status = 'completed' as const;
      this.turns.addDone({ turn, workflowId, messageId, status, createdAt, isRemembered: true });
      this.#memory.remember(user, assistant);
    }
    return open;
  }

  async #restore(input: ThreadInput, carried: CarriedThread): Promise<OpenThread> {
    this.#budget.restore(carried.budget);
    const open = this.#begin(input, carried, carried);
    this.#memory.restore(await carriedEntries(carried), carried.session);
    return open;
  }

  #begin(
    input: ThreadInput,
    settings: OpenThread['settings'],
    carried: ConstructorParameters<typeof OpenThread>[2],
  ): OpenThread {
    const { execution, turns } = this;
    const parts = { input, execution, turns, memory: this.#memory, budget: this.#budget };
    this.#open = new OpenThread(parts, settings, carried);
    return this.#open;
  }

  /** A message that arrives while the thread opens must wait, because its turn number follows those in the store. */
  async opened(): Promise<OpenThread> {
    const { phase } = this.execution;
    if (!phase.isLoaded) await whenLoaded(phase);
    if (!phase.isLoaded || this.#open === undefined) throw toWorkflowFailure(this.#loadFailure);
    return this.#open;
  }

  async #end(status: EndStatus | undefined): Promise<void> {
    if (status !== undefined) {
      this.execution.end(status);
      await this.#open?.stores.finish();
    }
    await this.execution.settled();
  }

  takeInputs({ child, inputs }: ChildInputs): void {
    if (child !== this.turns.running?.workflowId) return;
    this.execution.inputs.publishChild(child, inputs);
    this.execution.show();
  }
}
