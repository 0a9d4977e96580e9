// Drives a thread: one turn after another, each a run of its own. Remembers the conversation.
//
// 1. The constructor sets all handlers, before the first await. The thread takes a message while a turn runs, and the message waits.
// 2. A turn reads the turns before it by reference: its run learns where they are, never what they say.
// 3. The thread remembers only completed turns. It never remembers turns sent before a `clear`, even if they finish later.
// 4. The thread continues as new only between turns, and never fails for its size. If more waits than can travel, it takes no more
//    messages. It first answers or saves what waits.
// 5. A clear keeps the message ids for at least some minutes, so that a message that is sent twice gets no second answer.

import {
  CancellationScope,
  condition,
  ContinueAsNew,
  isCancellation,
  makeContinueAsNewFunc,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { RunBudget } from '../../core/budget/budget';
import type { SummaryPlan } from '../../core/context/plan-compaction';
import { keyHashes } from '../../core/key-hashes';
import { originBelow, rootOrigin } from '../../core/origin';
import { runnerAddress, runnerIdOf } from '../../core/runner-refs';
import { type ErrorCode, LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { timeouts } from '../../protocol/limits';
import type { WorkerHook } from '../../protocol/people';
import type { MemorySpec } from '../../protocol/spec';
import type { AgentRunResult, ChildInputs } from '../../protocol/run';
import type { OpenThreadResult, SendInput, SendReply, ThreadInput } from '../../protocol/thread';
import { openingActivities } from '../activity-proxies';
import { packThread, unpackThread } from './carried-thread';
import { failureSpend, failureSteered, failureView } from '../children/child-failure';
import { childId } from '../children/child-start';
import { isOfNewerVersion } from '../../core/stored-format';
import { toWorkflowFailure } from '../durable';
import { Execution, type View } from '../lifecycle/execution';
import { setHandlers, whenLoaded } from '../lifecycle/handlers';
import { continueOptions } from '../log/history-watch';
import type { EndStatus } from '../people/pending-requests';
import { carriedEntries, type RunLog } from '../log/run-log';
import type { WorkflowArguments, Taken } from '../lifecycle/start';
import { takeThreadStart } from './thread-input';
import {
  type HandledThread,
  setThreadHandlers,
  closing,
  leftBehind,
  mayMove,
  notCleared,
  type ThreadRoom,
} from './thread-handlers';
import { ThreadMemory } from './thread-memory';
import { runTurn, saidInput, savedTurn, timeOrderedId } from './thread-run';
import { type CarriedStores, ThreadStores } from './thread-stores';
import { ThreadTurns, type QueuedTurn } from './thread-turns';
import { TurnCourier } from './steered-turn';

export class ThreadLoop implements HandledThread {
  readonly turns = new ThreadTurns();
  readonly #info = workflowInfo();
  readonly #started: Taken<ThreadInput>;
  readonly #execution = new Execution(this);
  readonly #memory = new ThreadMemory(this.#info);
  /** Has no limit. It counts what the turns and the summaries cost. */
  readonly #budget = new RunBudget();
  readonly #stores = new ThreadStores(this.turns);
  /** The runner's memory settings. Only an agent may have them. */
  #spec: MemorySpec | undefined;
  #hasSearchAttributes = false;
  #hooks: readonly WorkerHook[] = [];
  /** Why the thread could not be opened. */
  #loadFailure: unknown;
  /** Cancels the running turn. */
  #scope: CancellationScope | undefined;
  readonly courier = new TurnCourier(this.turns, (message) => this.#queue(message));
  #isClearing = false;
  /** The update id of the last `clear`. */
  #lastClear: string | undefined;

  constructor(given: WorkflowArguments) {
    this.#started = takeThreadStart(given, this.#info);
    setHandlers(this.#execution, this);
    setThreadHandlers(this, this.#execution);
  }

  get given(): ThreadInput | { readonly runner: string } {
    return this.#started.given;
  }

  /** Throws if the start was refused, because it then has no input. */
  get #input(): ThreadInput {
    if (this.#started.refused !== undefined) throw this.#started.refused;
    return this.#started.given;
  }

  get log(): RunLog {
    return this.#memory.log;
  }

  get session(): JsonObject {
    return this.#isClearing ? this.#firstSession : this.#memory.session;
  }

  get room(): ThreadRoom {
    return { turns: this.turns, saves: this.#stores.saves, history: this.#execution.history };
  }

  get view(): View {
    const { given } = this;
    const runner = runnerIdOf(given.runner);
    return {
      runner,
      path: runner,
      key: 'key' in given ? keyHashes(given.key) : [],
      progress: { turn: this.turns.count, iterations: 0 },
      spend: this.#budget.spend,
      log: this.log,
      children: [],
      indexed: this.#hasSearchAttributes,
      hooks: this.#hooks,
      ...('application' in given && { application: given.application }),
    };
  }

  async run(): Promise<void> {
    try {
      await this.#load();
      while (await this.#goOn());
      await this.#end('completed');
    } catch (error) {
      if (isOfNewerVersion(error)) throw error;
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      const isMoving = error instanceof ContinueAsNew;
      await CancellationScope.nonCancellable(() => this.#end(isMoving ? undefined : status));
      throw error;
    }
  }

  async #load(): Promise<void> {
    try {
      if (this.#started.refused !== undefined) throw this.#started.refused;
      const { carried } = this.#started;
      await (carried === undefined ? this.#open() : this.#restore(carried));
      this.#execution.requests.loaded();
      this.#execution.history.loaded();
    } catch (error) {
      this.#loadFailure = error;
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { idleTimeoutMs } = this.#input;
    const key = this.#stores.openKey(this.#input);
    const opened = await openingActivities.openThread({ ...runnerAddress(this.#input), key });
    if (idleTimeoutMs !== undefined && opened.memory?.store === undefined) {
      throw new LonghaulError(
        'InvalidInput',
        'idleTimeout needs an agent whose memory has a store: what is in none would be lost',
      );
    }
    const { generation = '' } = opened;
    this.#start(opened, { saves: { writes: [], generation } });
    this.#memory.session = opened.session ?? this.#firstSession;
    this.turns.startAfter(opened.count - opened.turns.length);
    for (const { messageId, workflowId, user, assistant, createdAt } of opened.turns) {
      const turn = this.turns.count + 1;
      const status = 'completed' as const;
      this.turns.addDone({ turn, workflowId, messageId, status, createdAt, isRemembered: true });
      this.#memory.remember(user, assistant);
    }
  }

  async #restore(carried: unknown): Promise<void> {
    const thread = unpackThread(carried);
    this.#execution.requests.restore(thread.requests);
    this.turns.restore(thread.turns);
    this.#budget.restore(thread.budget);
    this.#isClearing = thread.isClearing;
    this.#lastClear = thread.lastClear;
    this.#start(thread, thread);
    this.#memory.restore(await carriedEntries(thread), thread.session);
  }

  #start(
    { memory, context, searchAttributes, hooks = [] }: Omit<OpenThreadResult, 'turns' | 'count'>,
    carried: CarriedStores,
  ): void {
    this.#spec = memory;
    this.#memory.context = context;
    this.#hasSearchAttributes = searchAttributes;
    this.#hooks = hooks;
    const onLost = (message: string): void => this.#tell('save', 'StoreError', message);
    this.#stores.start(this.#input, { memory, carried, onLost });
  }

  /** Lists in the thread's state what the thread could not keep, so that it loses nothing silently. */
  #tell(signal: string, code: ErrorCode, message: string): void {
    this.#execution.requests.refuse({ signal, code, message, at: new Date().toISOString() });
  }

  get #firstSession(): JsonObject {
    return this.#input.session ?? {};
  }

  /** Does the next thing. Returns false when the thread is over. */
  async #goOn(): Promise<boolean> {
    if (this.#isClearing) {
      this.#isClearing = false;
      this.#memory.forget(this.#firstSession);
      this.#execution.history.stepped();
    }
    await this.#stores.erasure.begin();
    await condition(() => !this.#stores.saves.isBehind || this.#isClearing);
    if (this.#isClearing) return true;
    if (mayMove(this.room)) await this.#continueAsNew();
    const turn = this.turns.next();
    if (turn !== undefined) {
      await this.#runTurn(turn);
      this.#execution.history.stepped();
      return true;
    }
    const idleMs = this.#idleMs;
    if (idleMs === undefined) {
      await condition(() => this.#isBusy);
      return true;
    }
    if (await condition(() => this.#isBusy, idleMs)) return true;
    await condition(() => this.#isBusy || this.#stores.saves.isIdle);
    return this.#isBusy;
  }

  /** How long the thread stays open with nothing to do. If nobody said anything since a clear, the thread holds only message ids. */
  get #idleMs(): number | undefined {
    const { idleTimeoutMs } = this.#input;
    const isEmpty = this.#lastClear !== undefined && this.turns.isBlank;
    return isEmpty ? Math.min(idleTimeoutMs ?? Infinity, timeouts.cleared) : idleTimeoutMs;
  }

  get #isBusy(): boolean {
    return this.turns.hasNext || this.#isClearing;
  }

  /** A message that arrives while the thread opens must wait, because its turn number follows those in the store. */
  async opened(): Promise<void> {
    const requests = this.#execution.requests;
    if (!requests.isLoaded) await whenLoaded(requests);
    if (!requests.isLoaded) throw toWorkflowFailure(this.#loadFailure);
  }

  checkOpen(): void {
    const { ended, isMoving } = this.#execution.requests;
    if (ended || isMoving) throw closing(isMoving ? 'moving' : 'ending');
  }

  send(message: SendInput): SendReply {
    this.#execution.requests.countUpdate();
    return this.#queue(message);
  }

  steer(message: SendInput): Promise<SendReply> {
    this.#execution.requests.countUpdate();
    return this.courier.bring(message);
  }

  #queue(message: SendInput): SendReply {
    const turn = this.turns.count + 1;
    const workflowId = childId({ ...this.#info, place: `turn-${turn}`, tag: uuid4() });
    const time = this.turns.nextTime(Date.now());
    const createdAt = new Date(time).toISOString();
    this.turns.add({ ...message, turn, workflowId, id: timeOrderedId(time, uuid4()), createdAt });
    return { messageId: message.messageId, turn, workflowId };
  }

  async clear(updateId: string | undefined): Promise<void> {
    this.#execution.requests.countUpdate();
    if (updateId === undefined || updateId !== this.#lastClear) {
      this.#lastClear = updateId ?? '';
      this.#isClearing = true;
      this.turns.clear();
      this.#stores.clear();
    }
    const isDone = (): boolean => !this.#stores.isClearing;
    if (isDone()) return;
    await condition(() => isDone() || this.#execution.requests.isMoving, timeouts.clearing);
    if (isDone()) return;
    if (this.#execution.requests.isMoving) throw toWorkflowFailure(closing('moving'));
    throw toWorkflowFailure(notCleared());
  }

  async #runTurn(turn: QueuedTurn): Promise<void> {
    const { workflowId } = this.#info;
    this.#execution.show();
    this.#scope = new CancellationScope();
    try {
      const { turn: number, messageId } = turn;
      const thread = { workflowId, turn: number, memory: this.#memory.log.ref() };
      const origin = originBelow(rootOrigin(this.#info), `turn-${number}`, messageId);
      const onStarted = this.courier.starting();
      const from = { session: this.#memory.session, thread, origin, onStarted };
      const given = { ...this.#input, indexed: this.#hasSearchAttributes };
      const result = await this.#scope.run(() => runTurn(given, turn, from));
      await this.courier.over();
      const { usage, costUsd } = result;
      this.#budget.record({ usage, ...(costUsd !== undefined && { costUsd }) });
      this.#keep(turn, result);
      const plan = this.#memory.planSummary(result);
      if (plan !== undefined) await this.#summarise(plan);
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
      const spend = failureSpend(error);
      if (spend !== undefined) this.#budget.record(spend);
      const [failure, steered] = [failureView(error), failureSteered(error)];
      const status = failure.code === 'RunCancelled' ? 'cancelled' : 'failed';
      await this.courier.over();
      this.courier.finish({ status, failure, isRemembered: false, steered });
    } finally {
      this.#scope = undefined;
      this.#execution.requests.publishChild(turn.workflowId, []);
      this.#execution.show();
    }
  }

  #keep(turn: QueuedTurn, result: AgentRunResult): void {
    const isRemembered = !this.turns.isCleared(turn);
    const end = { status: 'completed', isRemembered, steered: result.steered ?? [] } as const;
    const input = saidInput(turn, this.courier.finish(end));
    if (!isRemembered) return;
    this.#memory.session = result.session;
    this.#memory.remember(input, result.finalResponse.text);
    this.#stores.saves.save(savedTurn({ ...turn, input }, result));
  }

  /** If a summary fails, the thread tries again after the next turn. */
  async #summarise(plan: SummaryPlan): Promise<void> {
    try {
      this.#budget.record(await this.#memory.summarise(this.#input, plan));
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
    }
  }

  async #continueAsNew(): Promise<void> {
    this.#execution.requests.move();
    await this.#stores.stop();
    await this.#execution.settled();
    const left = this.#memory.shorten();
    if (left > 0) this.#tell('memory', 'TranscriptTooLarge', leftBehind(left));
    const thread = {
      requests: this.#execution.requests.carry(),
      turns: this.turns.carry(),
      session: this.#memory.session,
      budget: this.#budget.carry(),
      ...(this.#spec && { memory: this.#spec }),
      ...(this.#memory.context && { context: this.#memory.context }),
      searchAttributes: this.#hasSearchAttributes,
      ...(this.#hooks.length > 0 && { hooks: this.#hooks }),
      ...this.#stores.carry(),
      isClearing: this.#isClearing,
      ...(this.#lastClear !== undefined && { lastClear: this.#lastClear }),
    };
    await makeContinueAsNewFunc<(input: ThreadInput, carried: Uint8Array) => Promise<void>>(
      continueOptions(),
    )(this.#input, packThread(this.#input, thread, this.#memory.log));
  }

  /** Saves what is left, even if the thread was cancelled or failed. */
  async #end(status: EndStatus | undefined): Promise<void> {
    if (status !== undefined) {
      this.#execution.end(status);
      await this.#stores.finish();
    }
    await this.#execution.settled();
  }

  takeInputs({ child, inputs }: ChildInputs): void {
    if (child !== this.turns.running?.workflowId) return;
    this.#execution.requests.publishChild(child, inputs);
    this.#execution.show();
  }

  interrupt(): void {
    this.courier.leave();
    this.#scope?.cancel();
  }
}
