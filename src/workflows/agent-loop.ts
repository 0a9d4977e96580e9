// Drives one AgentRun: asks for the next step, does it, feeds the answer back.
//
// 1. Decides nothing: every decision of the loop is AgentRun's. It knows activities, handlers, timers and what the Web UI shows.
// 2. All handlers are set in the constructor, before the first await.
// 3. Nothing is fed to the machine but what an activity returned or a person answered, in the order it arrived.
// 4. The run continues as new between steps only, with nothing in flight.

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  ContinueAsNew,
  isCancellation,
  makeContinueAsNewFunc,
  workflowInfo,
} from '@temporalio/workflow';
import { AgentRun } from '../core/agent-run';
import { checkRunInput } from '../core/run-input';
import type { AgentRunStep } from '../core/steps';
import { oneLine } from '../core/text';
import { addUsage, emptyUsage } from '../core/usage';
import type { AgentFacts } from '../protocol/activities';
import { InputTimeout, InternalError } from '../protocol/error-classes';
import { isJsonObject } from '../protocol/json';
import type { LogEvent } from '../protocol/log';
import type { Usage } from '../protocol/message';
import type { AgentRunResult, Delivery, PendingInput, RunInput, RunState } from '../protocol/run';
import { controlActivities, modelActivities } from './activity-proxies';
import {
  isDue,
  machineOptions,
  openInputs,
  promptOf,
  resultOf,
  runnerId,
  stateOf,
} from './agent-run-facts';
import { deliver } from './answer-input';
import { createToolRunner } from './create-tool-runner';
import { besideModelCall } from './callbacks';
import { pack, unpack } from './carried-run';
import { resolveInvalidCalls } from './invalid-calls';
import { waitForAnswer } from './input-wait';
import { loadDefinition, type LoadedDefinition } from './load-definition';
import { RootLink, sendDown } from './root-link';
import { RunBoard } from './run-board';
import { RunDisplay } from './run-display';
import { setRunHandlers } from './run-handlers';
import { RunLog } from './run-log';
import { RunPlace } from './run-place';
import { setRunQueries } from './run-queries';
import { RunSession } from './run-session';
import { closeSession, openSession } from './run-stores';
import type { ToolRunner } from './tool-runner';

/** What exists once the definition is known. */
type Loaded = {
  readonly machine: AgentRun;
  readonly definition: LoadedDefinition;
  readonly tools: ToolRunner;
};

export class AgentLoop {
  /** What the run was started with, by whomever: nobody has checked it yet. */
  readonly #given: unknown;
  readonly #input: RunInput;
  readonly #carried: Uint8Array | undefined;
  readonly #info = workflowInfo();
  readonly #place: RunPlace;
  readonly #root: RootLink;
  readonly #board = new RunBoard();
  readonly #session = new RunSession();
  readonly #display = new RunDisplay(this.#info.memo);
  #log = new RunLog({ workflowId: this.#info.workflowId, executionRunId: this.#info.runId });
  #loaded: Loaded | undefined;
  /** Of the agents called as tools. */
  #calledUsage: Usage = emptyUsage;
  #cancelReason: string | undefined;

  constructor(input: RunInput, carried: Uint8Array | undefined) {
    this.#given = input;
    this.#input = isJsonObject(input) ? input : { runner: runnerId(input), input: '' };
    this.#carried = carried;
    this.#place = new RunPlace(this.#input, this.#info.workflowId);
    this.#root = new RootLink(this.#place.lineage.root, this.#info.workflowId);
    setRunHandlers({
      board: this.#board,
      state: () => this.#state(),
      cancel: (reason) => this.#cancel(reason),
      feed: (delivery) => this.#feed(delivery),
      sendDown,
      onChange: () => this.#show(),
    });
    setRunQueries({
      log: () => this.#log,
      definition: () => this.#loaded?.definition,
      context: () => this.#input.context ?? {},
      session: () => this.#session.value,
      runner: () => this.#input.runner,
    });
  }

  async run(): Promise<AgentRunResult> {
    try {
      await this.#load();
      const result = await this.#drive();
      this.#board.result = result;
      await this.#end('completed');
      return await this.#close(result);
    } catch (error) {
      const isOver = error instanceof ContinueAsNew || this.#board.ended;
      const status = isCancellation(error) ? 'cancelled' : 'failed';
      await CancellationScope.nonCancellable(() => this.#end(isOver ? undefined : status));
      throw error;
    }
  }

  async #load(): Promise<void> {
    if (this.#carried !== undefined) return this.#restore(await unpack(this.#carried));
    checkRunInput(this.#given);
    const { runner, definition, sessionFrom } = this.#input;
    const loaded = await loadDefinition({
      runner: runnerId(this.#input),
      ...(typeof runner !== 'string' && { inline: true }),
      ...(definition && { definition }),
    });
    this.#session.start(
      sessionFrom === undefined
        ? await openSession(this.#input, loaded)
        : await controlActivities.fetchSession({ workflowId: sessionFrom }),
    );
    this.#start(loaded, new AgentRun(promptOf(this.#input), machineOptions(loaded.facts)));
  }

  #restore(run: Awaited<ReturnType<typeof unpack>>): void {
    this.#session.restore(run.session);
    this.#board.restore(run.board);
    this.#calledUsage = run.calledUsage;
    this.#log = new RunLog({
      workflowId: this.#info.workflowId,
      executionRunId: this.#info.runId,
      entries: run.entries,
    });
    const log = run.entries.map(({ id: _id, ...event }): LogEvent => event);
    this.#start(run.definition, AgentRun.fromJSON({ ...run.machine, log }));
  }

  #start(definition: LoadedDefinition, machine: AgentRun): void {
    const tools = createToolRunner({
      input: this.#input,
      info: this.#info,
      place: this.#place,
      definition,
      machine,
      session: this.#session,
      log: () => this.#log,
      forget: (child) => this.#forget(child),
    });
    this.#loaded = { machine, definition, tools };
    this.#log.sync(machine.log);
  }

  async #drive(): Promise<AgentRunResult> {
    for (;;) {
      const step = this.#nextStep();
      await this.#continueAsNewIfDue(step);
      switch (step.kind) {
        case 'call-model':
          await this.#callModel(step.turn);
          break;
        case 'call-tools':
          await this.#runTools(step);
          break;
        case 'needs-input':
          await this.#waitForInput();
          break;
        case 'done':
          return resultOf(step.response, {
            session: this.#session.value,
            usage: addUsage(step.response.usage, this.#calledUsage),
          });
      }
    }
  }

  #nextStep(): AgentRunStep {
    const { machine } = this.#ready();
    try {
      const step = machine.nextStep();
      if (step.kind === 'call-model' || step.kind === 'done') this.#session.mergeDeferred();
      this.#publish(step);
      return step;
    } finally {
      this.#log.sync(machine.log);
      this.#show();
    }
  }

  async #callModel(turn: number): Promise<void> {
    const { machine, definition } = this.#ready();
    const { model, tools, subAgents = [], onInvalidToolCall } = definition.facts;
    const label = `#${turn} ${model.provider}/${model.model}`;
    const { entry, session } = await modelActivities(label).callModel({
      ...this.#place.address(definition),
      turn,
      log: this.#log.announce(),
      ...besideModelCall(definition.facts, {
        session: this.#session.value,
        context: this.#input.context,
        iterations: machine.iterations,
      }),
    });
    const { id, kind: _kind, ...response } = entry;
    this.#log.expectTurn(id);
    try {
      const names = [...tools, ...subAgents].map(({ name }) => name);
      const outcome = machine.modelResponse({ ...response, tools: names });
      resolveInvalidCalls(machine, outcome, { turn: response, rule: onInvalidToolCall });
    } finally {
      this.#log.sync(machine.log);
    }
    if (session !== undefined) this.#session.merge(session);
  }

  async #runTools(step: Extract<AgentRunStep, { kind: 'call-tools' }>): Promise<void> {
    const { machine, tools } = this.#ready();
    const answers = this.#board.answers;
    tools.start(step.calls);
    await condition(() => tools.arrived.length > 0 || this.#board.answers !== answers);
    for (const { result, entryId, session, usage } of tools.take()) {
      if (entryId !== undefined) this.#log.expectResult(result, entryId);
      machine.toolResults([result]);
      this.#log.sync(machine.log);
      if (session !== undefined) this.#session.defer(result.index ?? 0, session);
      if (usage !== undefined) this.#calledUsage = addUsage(this.#calledUsage, usage);
    }
  }

  async #waitForInput(): Promise<void> {
    const { facts } = this.#ready().definition;
    const answers = this.#board.answers;
    const answered = (): boolean => this.#board.answers !== answers;
    const expired = await waitForAnswer({
      pending: this.#board.pending,
      timeoutMs: facts.inputTimeoutMs,
      answered,
    });
    if (expired !== undefined && !answered()) this.#expire(expired, facts.onInputTimeout ?? 'fail');
  }

  #expire(
    { inputId, kind, question, path }: PendingInput,
    rule: NonNullable<AgentFacts['onInputTimeout']>,
  ): void {
    if (rule === 'fail' || kind === 'approval') {
      const message = `nobody answered '${inputId}' in time: ${oneLine(question, 300)}`;
      throw new InputTimeout(message, { details: { inputId, path } });
    }
    this.#feed({ kind: 'answer', inputId, answer: rule.answer });
    this.#board.take(inputId, 'input-timeout');
  }

  /** Between steps, with nothing in flight: a call to come or a wait. */
  async #continueAsNewIfDue(step: AgentRunStep): Promise<void> {
    const { machine, definition, tools } = this.#ready();
    const isBetween = step.kind === 'call-model' || step.kind === 'needs-input';
    if (!isBetween || !tools.idle || !isDue(workflowInfo())) return;
    this.#board.moving = true;
    await condition(allHandlersFinished);
    await this.#root.flush();
    const { input: _input, session: _session, sessionFrom: _from, ...rest } = this.#input;
    const bytes = pack(
      {
        machine: { ...machine.toJSON(), log: [] },
        board: this.#board.carry(),
        definition,
        session: this.#session.carry(),
        calledUsage: this.#calledUsage,
      },
      this.#log.entries,
      this.#log.ref(),
    );
    const next: RunInput = { ...rest, runner: runnerId(this.#input), input: 'continued' };
    await makeContinueAsNewFunc<
      (input: RunInput, carried: Uint8Array) => Promise<AgentRunResult>
    >()(next, bytes);
  }

  /** Feeds an answer to the machine. Answers are taken only for published inputs, so the machine is there. */
  #feed(delivery: Delivery): void {
    const { machine } = this.#ready();
    deliver(machine, this.#place.machineId(delivery.inputId), delivery);
    this.#log.sync(machine.log);
  }

  #publish(step: AgentRunStep): void {
    const known = new Map(this.#board.pending.map((input) => [input.inputId, input]));
    const shared = {
      agentId: this.#ready().definition.facts.id,
      path: this.#place.path,
      since: new Date().toISOString(),
    };
    const inputs = openInputs(step).map((input) => {
      const inputId = this.#place.inputId(input.inputId);
      return known.get(inputId) ?? { ...input, inputId, ...shared };
    });
    this.#board.publish(inputs);
  }

  #forget(child: string): void {
    if (!this.#place.isRoot) return this.#root.forget(child);
    this.#board.publishChild(child, []);
    this.#show();
  }

  /** Shows the end, if there is one, and leaves nothing unanswered or untold. */
  async #end(status: RunState['status'] | undefined): Promise<void> {
    if (status !== undefined) {
      this.#board.status = status;
      this.#board.close();
      this.#show();
    }
    // Cancelled calls and children end first: a parent that closed before them would terminate them.
    if (status === 'cancelled') await condition(() => this.#loaded?.tools.settled ?? true);
    await condition(allHandlersFinished);
    await this.#root.flush();
  }

  /** The outcome is out: saving what is left of the run can no longer be cancelled, nor fail it. */
  async #close(result: AgentRunResult): Promise<AgentRunResult> {
    const { definition } = this.#ready();
    const session = this.#session.value;
    const warnings = await CancellationScope.nonCancellable(() =>
      closeSession(this.#input, definition, session),
    );
    if (warnings.length === 0) return result;
    return { ...result, warnings: [...(result.warnings ?? []), ...warnings] };
  }

  #show(): void {
    const indexed = this.#loaded?.definition.searchAttributes ?? false;
    this.#display.show(this.#state(), this.#log.entries, { indexed, reason: this.#cancelReason });
    if (!this.#place.isRoot) this.#root.tell(this.#board.pending);
  }

  #cancel(reason: string): void {
    this.#cancelReason ??= reason;
    // Only the server can end a run as Canceled; the request comes back as the cancellation of the root scope.
    CancellationScope.nonCancellable(() => controlActivities.requestCancellation()).catch(
      () => undefined,
    );
  }

  #state(): RunState {
    return stateOf({
      board: this.#board,
      machine: this.#loaded?.machine,
      calledUsage: this.#calledUsage,
      runner: runnerId(this.#input),
      path: this.#place.path,
      executionRunId: this.#info.runId,
      logLength: this.#log.length,
    });
  }

  #ready(): Loaded {
    if (this.#loaded === undefined) throw new InternalError('the run is still loading');
    return this.#loaded;
  }
}
