// Drives a thread: one turn after the other, each a run of its own; remembers what was said.
//
// 1. All handlers are set in the constructor, before the first await; a message is taken while a turn runs, and waits.
// 2. A turn reads the turns before it by reference: its run is given where they stand, never what they say.
// 3. Only a completed turn is remembered. Of what came before a `clear` nothing is, whenever it is answered.
// 4. The thread continues as new between turns only.

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
import { RunBudget } from '../core/budget';
import { keyHashes } from '../core/key-hashes';
import { originBelow, topOrigin } from '../core/origin';
import { runnerId } from '../core/runner-refs';
import { InvalidInput, RunClosed } from '../protocol/error-classes';
import type { JsonObject } from '../protocol/json';
import type { AgentRunResult, RunState } from '../protocol/run';
import type { OpenThreadResult, SendInput, SendReply, ThreadInput } from '../protocol/thread';
import { controlActivities, openingActivities } from './activity-proxies';
import { stateOf } from './agent-run-facts';
import { packThread, unpackThread } from './carried-thread';
import { spendOf, toldFailure } from './child-failure';
import { childId } from './child-id';
import { toWorkflowFailure } from './durable';
import { historySize, isDue, noHistory } from './history-room';
import { sendDown } from './root-link';
import { RunBoard } from './run-board';
import { RunDisplay, type Shown } from './run-display';
import { loaded, setRunHandlers } from './run-handlers';
import { takeThreadStart, type Given, type Taken } from './run-start';
import { setThreadHandlers } from './thread-handlers';
import { ThreadMemory } from './thread-memory';
import { runTurn } from './thread-run';
import { ThreadSaves } from './thread-saves';
import { ThreadTurns, type OpenTurn } from './thread-turns';
import { timeOrderedId } from './time-ordered-id';
import { carriedMemo } from './visible-state';

export class ThreadLoop {
  readonly #info = workflowInfo();
  readonly #started: Taken<ThreadInput>;
  readonly #input: ThreadInput;
  readonly #keyHashes: readonly string[];
  readonly #board = new RunBoard();
  readonly #turns = new ThreadTurns();
  readonly #memory = new ThreadMemory({
    workflowId: this.#info.workflowId,
    executionRunId: this.#info.runId,
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
  /** Turns up to this one came before a `clear`. */
  #clearedTurns = 0;
  #isClearing = false;
  #cancelReason: string | undefined;

  constructor(given: Given) {
    this.#started = takeThreadStart(given, this.#info);
    this.#input = this.#started.input;
    this.#keyHashes = keyHashes(this.#input.key);
    setRunHandlers({
      board: this.#board,
      state: () => this.#state(),
      cancel: (reason) => this.#cancel(reason),
      feed: () => undefined,
      sendDown,
      takeInputs: ({ child, inputs }) => {
        if (child !== this.#turns.running?.runId) return;
        this.#board.publishChild(child, inputs);
        this.#show();
      },
      takeOutcome: () => undefined,
      abandon: () => undefined,
      onChange: () => this.#show(),
      onRefusal: () => this.#display.showDetails(this.#state(), this.#shown()),
    });
    setThreadHandlers({
      turns: this.#turns,
      log: () => this.#memory.log,
      session: () => this.#memory.session,
      runner: () => this.#input.runner,
      checkOpen: () => this.#checkOpen(),
      opened: () => this.#opened(),
      send: (message) => this.#send(message),
      interrupt: () => this.#scope?.cancel(),
      clear: () => this.#clear(),
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
      else this.#restore(carried);
      this.#board.loaded();
    } catch (error) {
      this.#loadFailure = error;
      throw error;
    }
  }

  async #open(): Promise<void> {
    const { runner, key, session = {}, application, idleTimeoutMs } = this.#input;
    const opened = await openingActivities.openThread({
      runner: runnerId(runner),
      ...(typeof runner !== 'string' && { inline: true }),
      ...(application !== undefined && { application }),
      key,
    });
    if (idleTimeoutMs !== undefined && opened.memory?.store === undefined) {
      throw new InvalidInput(
        'idleTimeout needs an agent whose memory has a store: what is in none would be lost',
      );
    }
    this.#start(opened);
    this.#memory.session = opened.session ?? session;
    this.#turns.startAfter(opened.count - opened.turns.length);
    for (const { messageId, runId, user, assistant, createdAt } of opened.turns) {
      const turn = this.#turns.count + 1;
      const status = 'completed' as const;
      this.#turns.addDone({ turn, runId, messageId, status, createdAt, isRemembered: true });
      this.#memory.remember(user, assistant);
    }
  }

  #restore(carried: unknown): void {
    const thread = unpackThread(carried);
    this.#start(thread);
    this.#board.restore(thread.board);
    this.#turns.restore(thread.turns);
    this.#budget.restore(thread.budget);
    this.#memory.restore(thread.entries, thread.session);
    this.#clearedTurns = thread.clearedTurns;
    this.#isClearing = thread.isClearing;
    this.#saves.add(...thread.unsaved);
  }

  #start({
    memory,
    searchAttributes,
  }: Pick<OpenThreadResult, 'memory' | 'searchAttributes'>): void {
    this.#memory.spec = memory;
    this.#hasSearchAttributes = searchAttributes;
    const { store } = memory ?? {};
    const { key, application } = this.#input;
    const whose = { key, ...(application !== undefined && { application }) };
    const target = store === undefined ? undefined : { store, ...whose };
    this.#saves = new ThreadSaves(target, (message) => {
      const at = new Date().toISOString();
      this.#board.refuse({ signal: 'save', code: 'StoreError', message, at });
    });
  }

  /** The next thing to do; false when the thread is over. */
  async #goOn(): Promise<boolean> {
    if (this.#isClearing) return await this.#forget();
    if (isDue({ now: historySize(workflowInfo()), loaded: noHistory, steps: 1 }))
      await this.#continueAsNew();
    const turn = this.#turns.next();
    if (turn !== undefined) {
      await this.#runTurn(turn);
      return true;
    }
    const { idleTimeoutMs } = this.#input;
    if (idleTimeoutMs === undefined) {
      await condition(() => this.#isBusy);
      return true;
    }
    return (await condition(() => this.#isBusy, idleTimeoutMs)) || (await this.#isBusySettled());
  }

  /** Everything that was said is forgotten, and the thread ends, unless something was said since. */
  async #forget(): Promise<boolean> {
    this.#isClearing = false;
    this.#memory.forget();
    return await this.#isBusySettled();
  }

  /** There is something to do; or else everything is written. */
  async #isBusySettled(): Promise<boolean> {
    await condition(() => this.#isBusy || this.#saves.isSettled);
    return this.#isBusy;
  }

  get #isBusy(): boolean {
    return this.#turns.hasNext || this.#isClearing;
  }

  /** A message that comes while the thread is being opened waits for it: its turn is numbered after those of the store. */
  async #opened(): Promise<void> {
    const board = this.#board;
    if (!board.isLoaded) await loaded(board);
    if (!board.isLoaded) throw toWorkflowFailure(this.#loadFailure);
  }

  #checkOpen(): void {
    if (!this.#board.ended) return;
    throw new RunClosed('the thread is just ending: send it again', { retryable: true });
  }

  #send(message: SendInput): SendReply {
    const turn = this.#turns.count + 1;
    const { workflowId } = this.#info;
    const runId = childId({ workflowId, tag: uuid4(), place: `turn-${turn}` });
    const time = this.#turns.arrival(Date.now());
    const createdAt = new Date(time).toISOString();
    this.#turns.add({ ...message, turn, runId, id: timeOrderedId(time, uuid4()), createdAt });
    return { messageId: message.messageId, turn, runId };
  }

  #clear(): void {
    this.#clearedTurns = this.#turns.count;
    this.#isClearing = true;
    this.#turns.clear();
    this.#saves.clear();
  }

  async #runTurn(turn: OpenTurn): Promise<void> {
    const { workflowId } = this.#info;
    this.#show();
    this.#scope = new CancellationScope();
    try {
      const thread = { workflowId, turn: turn.turn, memory: this.#memory.log.ref() };
      const { turn: number, messageId } = turn;
      const origin = originBelow(topOrigin(this.#info), `turn-${number}`, messageId);
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
      const failure = toldFailure(error);
      const status = failure.code === 'RunCancelled' ? 'cancelled' : 'failed';
      this.#turns.finish({ status, failure, isRemembered: false });
    } finally {
      this.#scope = undefined;
      this.#board.publishChild(turn.runId, []);
      this.#show();
    }
  }

  #keep({ id, messageId, runId, input, createdAt, turn }: OpenTurn, result: AgentRunResult): void {
    const isRemembered = turn > this.#clearedTurns;
    this.#turns.finish({ status: 'completed', isRemembered });
    if (!isRemembered) return;
    const { usage, costUsd, iterations, session, toolCalls } = result;
    const assistant = result.finalResponse.text;
    this.#memory.session = session;
    this.#memory.remember(input, assistant);
    const eventData: JsonObject = {
      messageId,
      usage,
      ...(costUsd !== undefined && { costUsd }),
      iterations,
      ...(toolCalls && { toolCalls: [...toolCalls] }),
      session,
    };
    const row = { id, runId, user: input, assistant, createdAt, eventData };
    this.#saves.add({ kind: 'save', turn: row });
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
    this.#board.moving = true;
    await this.#saves.stop();
    await condition(allHandlersFinished);
    const bytes = packThread({
      board: this.#board.carry(),
      turns: this.#turns.carry(),
      entries: this.#memory.log.entries,
      session: this.#memory.session,
      budget: this.#budget.carry(),
      ...(this.#memory.spec && { memory: this.#memory.spec }),
      searchAttributes: this.#hasSearchAttributes,
      unsaved: this.#saves.unsaved,
      clearedTurns: this.#clearedTurns,
      isClearing: this.#isClearing,
    });
    await makeContinueAsNewFunc<(input: ThreadInput, carried: Uint8Array) => Promise<void>>(
      carriedMemo(),
    )(this.#input, bytes);
  }

  /** What is to be saved is saved, also by a thread that was cancelled or failed. */
  async #end(status: RunState['status'] | undefined): Promise<void> {
    if (status !== undefined) {
      this.#board.status = status;
      this.#board.close();
      this.#show();
      await this.#saves.settled();
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
    const runner = runnerId(this.#input.runner);
    return stateOf({
      board: this.#board,
      progress: { turn: this.#turns.count, iterations: 0 },
      spend: this.#budget.spend,
      runner,
      path: runner,
      executionRunId: this.#info.runId,
      logLength: this.#memory.log.length,
    });
  }
}
