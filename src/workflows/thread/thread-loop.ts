// Drives a thread: one turn after the other, each a run of its own; remembers what was said.
//
// 1. All handlers are set in the constructor, before the first await; a message is taken while a turn runs, and waits.
// 2. A turn reads the turns before it by reference: its run is given where they stand, never what they say.
// 3. Only a completed turn is remembered. Of what came before a `clear` nothing is, whenever it is answered.
// 4. The thread continues as new between turns only, and never fails for its size: while what waits is more than travels, it takes no
//    more, and answers or writes that first.
// 5. Of a clear the message ids stay, for some minutes at least: a message that is sent again is not answered again.

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  ContinueAsNew,
  isCancellation,
  makeContinueAsNewFunc,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { RunBudget } from '../../core/budget/budget';
import { keyHashes } from '../../core/key-hashes';
import { originBelow, rootOrigin } from '../../core/origin';
import { runnerIdOf } from '../../core/runner-refs';
import { type ErrorCode, LonghaulError } from '../../protocol/errors';
import type { JsonObject } from '../../base/json';
import { timeouts } from '../../protocol/limits';
import type { AgentRunResult, RunState } from '../../protocol/run';
import type { OpenThreadResult, SendInput, SendReply, ThreadInput } from '../../protocol/thread';
import { controlActivities, openingActivities } from '../activity-proxies';
import { stateOf } from '../run/machine-options';
import { carriedEntries } from '../run/carried-run';
import { packThread, unpackThread } from './carried-thread';
import { spendOf, failureView } from '../children/child-failure';
import { childId } from '../children/child-id';
import { toWorkflowFailure } from '../durable';
import { HistoryWatch } from '../execution/history-watch';
import { sendAnswer } from '../execution/messages';
import { PendingRequests } from '../execution/pending-requests';
import { RunDisplay, type Shown, carriedMemo } from '../execution/visible-state';
import { whenLoaded, setRunHandlers } from '../run/run-handlers';
import { takeThreadStart, type WorkflowArguments, type Taken } from '../run/run-start';
import {
  setThreadHandlers,
  closing,
  heldUp,
  leftBehind,
  mayMove,
  notCleared,
  type ThreadRoom,
} from './thread-handlers';
import { ThreadMemory } from './thread-memory';
import { runTurn, savedTurn, timeOrderedId } from './thread-run';
import { ThreadSaves, type CarriedSaves } from './thread-saves';
import { ThreadTurns, type QueuedTurn } from './thread-turns';

export class ThreadLoop {
  readonly #info = workflowInfo();
  readonly #started: Taken<ThreadInput>;
  readonly #input: ThreadInput;
  readonly #keyHashes: readonly string[];
  readonly #requests = new PendingRequests();
  readonly #turns = new ThreadTurns();
  readonly #memory = new ThreadMemory({
    workflowId: this.#info.workflowId,
    runId: this.#info.runId,
  });
  /** Without a limit: what the turns and the summaries cost. */
  readonly #budget = new RunBudget();
  readonly #display = new RunDisplay(this.#info.memo);
  #saves = new ThreadSaves(undefined, () => undefined);
  #hasSearchAttributes = false;
  /** Why the thread could not be opened. */
  #loadFailure: unknown;
  /** What the turn that is running can be cancelled by. */
  #scope: CancellationScope | undefined;
  #isClearing = false;
  /** The update id of the `clear` that came last. */
  #lastClear: string | undefined;
  readonly #history = new HistoryWatch(() => this.#requests.updates);
  #cancelReason: string | undefined;

  constructor(given: WorkflowArguments) {
    this.#started = takeThreadStart(given, this.#info);
    this.#input = this.#started.input;
    this.#keyHashes = keyHashes(this.#input.key);
    setRunHandlers({
      requests: this.#requests,
      state: () => this.#state(),
      cancel: (reason) => this.#cancel(reason),
      feed: () => undefined,
      sendAnswer,
      takeInputs: ({ child, inputs }) => {
        if (child !== this.#turns.running?.workflowId) return;
        this.#requests.publishChild(child, inputs);
        this.#show();
      },
      takeOutcome: () => undefined,
      detach: () => undefined,
      onChange: () => this.#show(),
      onRefusal: () => this.#display.showDetails(this.#state(), this.#shown()),
    });
    setThreadHandlers({
      turns: this.#turns,
      log: () => this.#memory.log,
      session: () => (this.#isClearing ? this.#firstSession : this.#memory.session),
      runner: () => this.#input.runner,
      checkOpen: () => this.#checkOpen(),
      opened: () => this.#opened(),
      send: (message) => this.#send(message),
      heldUp: () => heldUp(this.#room),
      interrupt: () => this.#scope?.cancel(),
      clear: (updateId) => CancellationScope.nonCancellable(() => this.#clear(updateId)),
    });
  }

  async run(): Promise<void> {
    try {
      await this.#load();
      while (await this.#goOn());
      await this.#end('completed');
    } catch (error) {
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      const isMoving = error instanceof ContinueAsNew;
      await CancellationScope.nonCancellable(() => this.#end(isMoving ? undefined : status));
      throw error;
    }
  }

  async #load(): Promise<void> {
    try {
      const { carried, refused } = this.#started;
      if (refused !== undefined) throw refused;
      if (carried === undefined) await this.#open();
      else await this.#restore(carried);
      this.#requests.loaded();
      this.#history.loaded();
    } catch (error) {
      this.#loadFailure = error;
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { runner, key, application, idleTimeoutMs } = this.#input;
    const opened = await openingActivities.openThread({
      runner: runnerIdOf(runner),
      ...(typeof runner !== 'string' && { inline: true }),
      ...(application !== undefined && { application }),
      key,
    });
    if (idleTimeoutMs !== undefined && opened.memory?.store === undefined) {
      throw new LonghaulError(
        'InvalidInput',
        'idleTimeout needs an agent whose memory has a store: what is in none would be lost',
      );
    }
    const { generation = '' } = opened;
    this.#start(opened, { writes: [], generation });
    this.#memory.session = opened.session ?? this.#firstSession;
    this.#turns.startAfter(opened.count - opened.turns.length);
    for (const { messageId, workflowId, user, assistant, createdAt } of opened.turns) {
      const turn = this.#turns.count + 1;
      const status = 'completed' as const;
      this.#turns.addDone({ turn, workflowId, messageId, status, createdAt, isRemembered: true });
      this.#memory.remember(user, assistant);
    }
  }

  async #restore(carried: unknown): Promise<void> {
    const thread = unpackThread(carried);
    this.#requests.restore(thread.requests);
    this.#turns.restore(thread.turns);
    this.#budget.restore(thread.budget);
    this.#isClearing = thread.isClearing;
    this.#lastClear = thread.lastClear;
    this.#start(thread, thread.saves);
    this.#memory.restore(await carriedEntries(thread), thread.session);
  }

  #start(
    { memory, searchAttributes }: Pick<OpenThreadResult, 'memory' | 'searchAttributes'>,
    saves: CarriedSaves,
  ): void {
    this.#memory.spec = memory;
    this.#hasSearchAttributes = searchAttributes;
    const { key, application } = this.#input;
    const store = memory?.store;
    const whose = { key, ...(application !== undefined && { application }) };
    const target = store === undefined ? undefined : { store, ...whose };
    const onLost = (message: string): void => this.#tell('save', 'StoreError', message);
    this.#saves = new ThreadSaves(target, onLost, saves);
  }

  /** What the thread could not keep stands in its state, and nothing is lost silently. */
  #tell(signal: string, code: ErrorCode, message: string): void {
    this.#requests.refuse({ signal, code, message, at: new Date().toISOString() });
  }

  get #firstSession(): JsonObject {
    return this.#input.session ?? {};
  }

  /** The next thing to do; false when the thread is over. */
  async #goOn(): Promise<boolean> {
    if (this.#isClearing) {
      this.#isClearing = false;
      this.#memory.forget(this.#firstSession);
      this.#history.stepped();
    }
    await condition(() => !this.#saves.isBehind || this.#isClearing);
    if (this.#isClearing) return true;
    if (mayMove(this.#room)) await this.#continueAsNew();
    const turn = this.#turns.next();
    if (turn !== undefined) {
      await this.#runTurn(turn);
      this.#history.stepped();
      return true;
    }
    const idleMs = this.#idleMs;
    if (idleMs === undefined) {
      await condition(() => this.#isBusy);
      return true;
    }
    if (await condition(() => this.#isBusy, idleMs)) return true;
    await condition(() => this.#isBusy || this.#saves.isIdle);
    return this.#isBusy;
  }

  /** How long it stays open with nothing to do. One in which nothing was said since it was cleared has only message ids left. */
  get #idleMs(): number | undefined {
    const { idleTimeoutMs } = this.#input;
    const isEmpty = this.#lastClear !== undefined && this.#turns.isBlank;
    return isEmpty ? Math.min(idleTimeoutMs ?? Infinity, timeouts.cleared) : idleTimeoutMs;
  }

  get #room(): ThreadRoom {
    return { turns: this.#turns, saves: this.#saves, history: this.#history };
  }

  get #isBusy(): boolean {
    return this.#turns.hasNext || this.#isClearing;
  }

  /** A message that comes while the thread is being opened waits for it: its turn is numbered after those of the store. */
  async #opened(): Promise<void> {
    const requests = this.#requests;
    if (!requests.isLoaded) await whenLoaded(requests);
    if (!requests.isLoaded) throw toWorkflowFailure(this.#loadFailure);
  }

  #checkOpen(): void {
    const { ended, moving } = this.#requests;
    if (!ended && !moving) return;
    throw closing(moving ? 'moving' : 'ending');
  }

  #send(message: SendInput): SendReply {
    this.#requests.updates += 1;
    const turn = this.#turns.count + 1;
    const workflowId = childId({ ...this.#info, place: `turn-${turn}`, tag: uuid4() });
    const time = this.#turns.nextTime(Date.now());
    const createdAt = new Date(time).toISOString();
    this.#turns.add({ ...message, turn, workflowId, id: timeOrderedId(time, uuid4()), createdAt });
    return { messageId: message.messageId, turn, workflowId };
  }

  async #clear(updateId: string | undefined): Promise<void> {
    this.#requests.updates += 1;
    if (updateId === undefined || updateId !== this.#lastClear) {
      this.#lastClear = updateId ?? '';
      this.#isClearing = true;
      this.#turns.clear();
      this.#saves.clear();
    }
    const isDone = (): boolean => !this.#saves.isClearing;
    if (isDone()) return;
    await condition(() => isDone() || this.#requests.moving, timeouts.clearing);
    if (isDone()) return;
    if (this.#requests.moving) throw toWorkflowFailure(closing('moving'));
    throw toWorkflowFailure(notCleared());
  }

  async #runTurn(turn: QueuedTurn): Promise<void> {
    const { workflowId } = this.#info;
    this.#show();
    this.#scope = new CancellationScope();
    try {
      const thread = { workflowId, turn: turn.turn, memory: this.#memory.log.ref() };
      const { turn: number, messageId } = turn;
      const origin = originBelow(rootOrigin(this.#info), `turn-${number}`, messageId);
      const from = { session: this.#memory.session, thread, origin };
      const result = await this.#scope.run(() => runTurn(this.#input, turn, from));
      const { usage, costUsd } = result;
      this.#budget.record({ usage, ...(costUsd !== undefined && { costUsd }) });
      this.#keep(turn, result);
      if (this.#memory.isFull(result)) await this.#compact();
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
      const spend = spendOf(error);
      if (spend !== undefined) this.#budget.record(spend);
      const failure = failureView(error);
      const status = failure.code === 'RunCancelled' ? 'cancelled' : 'failed';
      this.#turns.finish({ status, failure, isRemembered: false });
    } finally {
      this.#scope = undefined;
      this.#requests.publishChild(turn.workflowId, []);
      this.#show();
    }
  }

  #keep(turn: QueuedTurn, result: AgentRunResult): void {
    const isRemembered = !this.#turns.isCleared(turn);
    this.#turns.finish({ status: 'completed', isRemembered });
    if (!isRemembered) return;
    this.#memory.session = result.session;
    this.#memory.remember(turn.input, result.finalResponse.text);
    this.#saves.save(savedTurn(turn, result));
  }

  /** A summary that fails is tried again after the next turn. */
  async #compact(): Promise<void> {
    try {
      this.#budget.record(await this.#memory.compact(this.#input));
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
    }
  }

  async #continueAsNew(): Promise<void> {
    this.#requests.moving = true;
    await this.#saves.stop();
    await condition(allHandlersFinished);
    const left = this.#memory.shorten();
    if (left > 0) this.#tell('memory', 'TranscriptTooLarge', leftBehind(left));
    const thread = {
      requests: this.#requests.carry(),
      turns: this.#turns.carry(),
      session: this.#memory.session,
      budget: this.#budget.carry(),
      ...(this.#memory.spec && { memory: this.#memory.spec }),
      searchAttributes: this.#hasSearchAttributes,
      saves: this.#saves.carry(),
      isClearing: this.#isClearing,
      ...(this.#lastClear !== undefined && { lastClear: this.#lastClear }),
    };
    const bytes = packThread(this.#input, thread, this.#memory.log);
    await makeContinueAsNewFunc<(input: ThreadInput, carried: Uint8Array) => Promise<void>>(
      carriedMemo(),
    )(this.#input, bytes);
  }

  /** What is to be saved is saved, also by a thread that was cancelled or failed. */
  async #end(status: RunState['status'] | undefined): Promise<void> {
    if (status !== undefined) {
      this.#requests.status = status;
      this.#requests.close();
      this.#show();
      await this.#saves.finish();
    }
    await condition(allHandlersFinished);
  }

  #show(): void {
    this.#display.show(this.#state(), this.#shown());
  }

  #shown(): Shown {
    return {
      entries: this.#memory.log.entries,
      children: [],
      indexed: this.#hasSearchAttributes,
      key: this.#keyHashes,
      reason: this.#cancelReason,
    };
  }

  #cancel(reason: string): void {
    this.#cancelReason ??= reason;
    CancellationScope.nonCancellable(() =>
      controlActivities.requestCancellation({
        firstExecutionRunId: this.#info.firstExecutionRunId,
      }),
    ).catch(() => undefined);
  }

  #state(): RunState {
    const runner = runnerIdOf(this.#input.runner);
    return stateOf({
      requests: this.#requests,
      progress: { turn: this.#turns.count, iterations: 0 },
      spend: this.#budget.spend,
      runner,
      path: runner,
      runId: this.#info.runId,
      logLength: this.#memory.log.length,
    });
  }
}
