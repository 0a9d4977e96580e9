// Drives a thread: one turn after the other, each a run of its own; remembers what was said.
//
// 1. All handlers are set in the constructor, before the first await; a message is taken while a turn runs, and waits.
// 2. A turn reads the turns before it by reference: its run is given where they stand, never what they say.
// 3. Only a completed turn is remembered; one that failed, was cancelled or was overtaken by `clear` leaves nothing.
// 4. The thread continues as new between turns only.

import {
  allHandlersFinished,
  CancellationScope,
  ChildWorkflowCancellationType,
  condition,
  executeChild,
  isCancellation,
  makeContinueAsNewFunc,
  ParentClosePolicy,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { oneLine } from '../core/text';
import { emptyUsage } from '../core/usage';
import { isJsonObject, type JsonObject } from '../protocol/json';
import { limits, timeouts } from '../protocol/limits';
import type { LogEvent } from '../protocol/log';
import { memoKey, workflowTypes } from '../protocol/names';
import type { AgentRunResult, RunInput, RunMemo, RunState } from '../protocol/run';
import type { MemorySpec } from '../protocol/spec';
import type { SendInput, SendReply, ThreadInput } from '../protocol/thread';
import { compactingActivities, controlActivities, definitionActivities } from './activity-proxies';
import { isDue, promptOf, runnerId, stateOf } from './agent-run-facts';
import { packThread, unpackThread } from './carried-thread';
import { failureCode, failureReason } from './child-failure';
import { childId } from './child-id';
import { sendDown } from './root-link';
import { RunBoard } from './run-board';
import { RunDisplay } from './run-display';
import { setRunHandlers } from './run-handlers';
import { RunLog } from './run-log';
import { checkThreadInput } from './thread-input';
import { setThreadHandlers } from './thread-handlers';
import { ThreadSaves } from './thread-saves';
import { ThreadTurns, type OpenTurn } from './thread-turns';
import { timeOrderedId } from './time-ordered-id';

export class ThreadLoop {
  readonly #given: unknown;
  readonly #input: ThreadInput;
  readonly #carried: Uint8Array | undefined;
  readonly #info = workflowInfo();
  readonly #board = new RunBoard();
  readonly #turns = new ThreadTurns();
  readonly #display = new RunDisplay(this.#info.memo);
  #log = this.#newLog();
  #session: JsonObject = {};
  #memory: MemorySpec | undefined;
  #hasSearchAttributes = false;
  #saves = new ThreadSaves(undefined);
  #scope: CancellationScope | undefined;
  #isClearing = false;
  #cancelReason: string | undefined;

  constructor(input: ThreadInput, carried: Uint8Array | undefined) {
    this.#given = input;
    this.#input = isJsonObject(input)
      ? input
      : { runner: '', key: { appName: '', userId: '', sessionId: '' } };
    this.#carried = carried;
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
    });
    setThreadHandlers({
      turns: this.#turns,
      log: () => this.#log,
      session: () => this.#session,
      runner: () => this.#input.runner,
      send: (message) => this.#send(message),
      interrupt: () => this.#scope?.cancel(),
      clear: () => {
        this.#isClearing = true;
      },
    });
  }

  async run(): Promise<void> {
    try {
      await this.#load();
      while (await this.#goOn());
      await this.#end('completed');
    } catch (error) {
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      const isOver = this.#board.moving || this.#board.ended;
      await CancellationScope.nonCancellable(() => this.#end(isOver ? undefined : status));
      throw error;
    }
  }

  async #load(): Promise<void> {
    if (this.#carried !== undefined) return this.#restore(this.#carried);
    checkThreadInput(this.#given);
    const { runner, key, session = {} } = this.#input;
    const opened = await definitionActivities.openThread({
      runner: runnerId({ runner, input: '' }),
      ...(typeof runner !== 'string' && { inline: true }),
      key,
    });
    this.#start(opened.memory, opened.searchAttributes);
    this.#session = opened.session ?? session;
    for (const { runId, user, assistant, createdAt, id } of opened.turns) {
      const turn = this.#turns.nextTurn;
      this.#turns.addDone({
        turn,
        runId,
        messageId: id,
        status: 'completed',
        createdAt,
        user,
        assistant,
      });
      this.#remember(user, assistant);
    }
    this.#board.status = 'running';
  }

  #restore(carried: Uint8Array): void {
    const thread = unpackThread(carried);
    this.#start(thread.memory, thread.searchAttributes);
    this.#board.restore(thread.board);
    this.#turns.restore(thread.turns);
    this.#log = this.#newLog(thread.entries);
    this.#session = thread.session;
    this.#isClearing = thread.isClearing;
    this.#saves.add(...thread.unsaved);
  }

  #start(memory: MemorySpec | undefined, hasSearchAttributes: boolean): void {
    this.#memory = memory;
    this.#hasSearchAttributes = hasSearchAttributes;
    const { store } = memory ?? {};
    this.#saves = new ThreadSaves(
      store === undefined ? undefined : { store, key: this.#input.key },
    );
  }

  /** The next thing to do; false when the thread is over. */
  async #goOn(): Promise<boolean> {
    if (this.#isClearing) {
      await this.#clear();
      return this.#turns.hasNext;
    }
    if (isDue(workflowInfo())) await this.#continueAsNew();
    const turn = this.#turns.next();
    if (turn !== undefined) {
      await this.#runTurn(turn);
      return true;
    }
    const isBusy = (): boolean => this.#turns.hasNext || this.#isClearing;
    const { idleTimeoutMs } = this.#input;
    const canEnd = idleTimeoutMs !== undefined && this.#memory?.store !== undefined;
    if (!canEnd) {
      await condition(isBusy);
      return true;
    }
    if (await condition(isBusy, idleTimeoutMs)) return true;
    await this.#saves.settled();
    return isBusy();
  }

  #send(message: SendInput): SendReply {
    const turn = this.#turns.nextTurn;
    const { workflowId } = this.#info;
    const runId = childId({ workflowId, tag: uuid4(), place: `turn-${turn}` });
    const now = Date.now();
    this.#turns.add({
      ...message,
      turn,
      runId,
      id: timeOrderedId(now, uuid4()),
      createdAt: new Date(now).toISOString(),
    });
    return { messageId: message.messageId, turn, runId };
  }

  async #runTurn(turn: OpenTurn): Promise<void> {
    this.#show();
    this.#scope = new CancellationScope();
    try {
      const result = await this.#scope.run(() => this.#startRun(turn));
      const assistant = result.finalResponse.text;
      this.#turns.finish({ status: 'completed', assistant });
      if (!this.#isClearing) await this.#keep(turn, result);
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
      const code = failureCode(error);
      this.#turns.finish({
        status: code === 'RunCancelled' ? 'cancelled' : 'failed',
        failure: { ...(code && { code }), message: failureReason(error) },
      });
    } finally {
      this.#scope = undefined;
      this.#board.publishChild(turn.runId, []);
      this.#show();
    }
  }

  async #startRun(turn: OpenTurn): Promise<AgentRunResult> {
    const { runner, key } = this.#input;
    const { input, context, budget } = turn;
    const id = runnerId({ runner, input: '' });
    const runInput: RunInput = {
      runner,
      input,
      session: this.#session,
      key,
      ...(context && { context }),
      ...(budget && { budget }),
      thread: { workflowId: this.#info.workflowId, turn: turn.turn, memory: this.#log.ref() },
    };
    const memo: RunMemo = { status: 'running', agent: id, path: `${id}/turn-${turn.turn}` };
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    const kind = typeof runner === 'string' ? 'agent' : runner.kind;
    return await executeChild<(input: RunInput) => Promise<AgentRunResult>>(workflowTypes[kind], {
      workflowId: turn.runId,
      args: [runInput],
      parentClosePolicy: ParentClosePolicy.TERMINATE,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      workflowTaskTimeout: timeouts.workflowTask,
      memo: { [memoKey]: memo },
      staticSummary: oneLine(`turn ${turn.turn}: ${text}`, limits.summary),
    });
  }

  async #keep({ id, runId, input, createdAt }: OpenTurn, result: AgentRunResult): Promise<void> {
    const { usage, iterations, session } = result;
    const assistant = result.finalResponse.text;
    this.#session = session;
    this.#remember(input, assistant);
    const eventData = { usage, iterations, session };
    this.#saves.add({ id, runId, user: input, assistant, createdAt, eventData });
    if (this.#isFull(result)) await this.#compact();
  }

  #remember(user: RunInput['input'], assistant: string): void {
    const events: LogEvent[] = [
      { kind: 'user', message: promptOf({ runner: '', input: user }) },
      {
        kind: 'model-turn',
        content: [{ type: 'text', text: assistant }],
        usage: emptyUsage,
        finishReason: 'stop',
      },
    ];
    this.#append(events);
  }

  #append(events: readonly LogEvent[]): void {
    const all = [...this.#log.entries.map(({ id: _id, ...event }): LogEvent => event), ...events];
    this.#log.sync(all);
  }

  /** By the provider's own count of the turn that just ended. */
  #isFull({ contextTokens }: AgentRunResult): boolean {
    const compact = this.#memory?.compact;
    if (compact === undefined || contextTokens === undefined) return false;
    return contextTokens >= compact.contextTokens * (compact.at ?? limits.compactAt);
  }

  /** A summary that fails is tried again after the next turn. */
  async #compact(): Promise<void> {
    const { runner } = this.#input;
    try {
      const { text, turns } = await compactingActivities.compactTurns({
        runner: runnerId({ runner, input: '' }),
        ...(typeof runner !== 'string' && { inline: true }),
        log: this.#log.ref(),
        keepTurns: this.#memory?.compact?.keepTurns ?? limits.keptTurns,
      });
      if (turns > 0 && !this.#isClearing) this.#append([{ kind: 'summary', text, turns }]);
    } catch (error) {
      if (CancellationScope.current().consideredCancelled) throw error;
    }
  }

  async #clear(): Promise<void> {
    await this.#saves.settled();
    await this.#saves.clear();
    this.#isClearing = false;
    this.#turns.clear();
    this.#log = this.#newLog();
    this.#session = {};
  }

  async #continueAsNew(): Promise<void> {
    this.#board.moving = true;
    await condition(allHandlersFinished);
    await this.#saves.stop();
    const bytes = packThread({
      board: this.#board.carry(),
      turns: this.#turns.carry(),
      entries: this.#log.entries,
      session: this.#session,
      ...(this.#memory && { memory: this.#memory }),
      searchAttributes: this.#hasSearchAttributes,
      unsaved: this.#saves.unsaved,
      isClearing: this.#isClearing,
    });
    await makeContinueAsNewFunc<(input: ThreadInput, carried: Uint8Array) => Promise<void>>()(
      this.#input,
      bytes,
    );
  }

  async #end(status: RunState['status'] | undefined): Promise<void> {
    if (status !== undefined) {
      this.#board.status = status;
      this.#board.close();
      this.#show();
    }
    await condition(allHandlersFinished);
  }

  #show(): void {
    this.#display.show(this.#state(), {
      entries: this.#log.entries,
      children: [],
      indexed: this.#hasSearchAttributes,
      reason: this.#cancelReason,
    });
  }

  #cancel(reason: string): void {
    this.#cancelReason ??= reason;
    CancellationScope.nonCancellable(() => controlActivities.requestCancellation()).catch(
      () => undefined,
    );
  }

  #state(): RunState {
    const runner = runnerId({ runner: this.#input.runner, input: '' });
    return stateOf({
      board: this.#board,
      progress: { turn: this.#turns.nextTurn - 1, iterations: 0 },
      spend: undefined,
      runner,
      path: runner,
      executionRunId: this.#info.runId,
      logLength: this.#log.length,
    });
  }

  #newLog(entries: RunLog['entries'] = []): RunLog {
    const { workflowId, runId } = this.#info;
    return new RunLog({ workflowId, executionRunId: runId, entries });
  }
}
