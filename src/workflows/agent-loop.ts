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
  defineQuery,
  isCancellation,
  makeContinueAsNewFunc,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { agentFacts } from '../core/agent-facts';
import { AgentRun } from '../core/agent-run';
import type { AgentRunStep } from '../core/steps';
import { checkRunInput } from '../core/run-input';
import { mergeDelta } from '../core/session';
import { oneLine } from '../core/text';
import type { AgentFacts, CallModelInput } from '../protocol/activities';
import { InputTimeout, InternalError } from '../protocol/error-classes';
import { isJsonObject, type JsonObject } from '../protocol/json';
import { limits } from '../protocol/limits';
import type { LogEvent } from '../protocol/log';
import { queryNames } from '../protocol/names';
import type { SessionDelta } from '../protocol/session';
import type { AgentRunResult, LogQuery, PendingInput, RunInput, RunState } from '../protocol/run';
import { controlActivities, modelActivities } from './activity-proxies';
import {
  isDue,
  machineOptions,
  openInputs,
  promptOf,
  resultOf,
  runnerId,
  stateOf,
  unavailableTool,
} from './agent-run-facts';
import { judgedArguments } from './activity-tool';
import { pack, unpack } from './carried-run';
import { waitForAnswer } from './input-wait';
import { loadDefinition, type LoadedDefinition } from './load-definition';
import { RunBoard } from './run-board';
import { setRunHandlers } from './run-handlers';
import { RunLog } from './run-log';
import { checkSessionSize, selectKeys } from './session-keys';
import { argumentsOf, contextOf } from './tool-input';
import { ToolRunner } from './tool-runner';
import { showAttributes, showDetails, showMemo, shownAtStart } from './visible-state';

const logQuery = defineQuery<unknown, [LogQuery]>(queryNames.log);
const definitionQuery = defineQuery<unknown>(queryNames.definition);
const contextQuery = defineQuery<unknown>(queryNames.context);

/** What exists once the definition is known. */
type Loaded = {
  readonly machine: AgentRun;
  readonly definition: LoadedDefinition;
  readonly facts: AgentFacts;
  readonly tools: ToolRunner;
};

export class AgentLoop {
  /** What the run was started with, by whomever: nobody has checked it yet. */
  readonly #given: unknown;
  readonly #input: RunInput;
  readonly #carried: Uint8Array | undefined;
  readonly #board = new RunBoard();
  readonly #info = workflowInfo();
  #log = new RunLog({ workflowId: this.#info.workflowId, executionRunId: this.#info.runId });
  #loaded: Loaded | undefined;
  #session: JsonObject = {};
  /** Session changes of the open batch, by index of the call. */
  readonly #deltas = new Map<number, SessionDelta>();
  #cancelReason: string | undefined;
  readonly #shown = { memo: shownAtStart(this.#info.memo), status: '' };

  constructor(input: RunInput, carried: Uint8Array | undefined) {
    this.#given = input;
    this.#input = isJsonObject(input) ? input : { runner: runnerId(input), input: '' };
    this.#carried = carried;
    setRunHandlers({
      board: this.#board,
      state: () => this.#state(),
      cancel: (reason) => this.#cancel(reason),
      port: {
        answer: (inputId, text) => this.#feed((machine) => machine.answer({ inputId, text })),
        approve: ({ inputId, args }) =>
          this.#feed((machine) => machine.approve(inputId, args && { args })),
        reject: ({ inputId, reason }) => this.#feed((machine) => machine.reject(inputId, reason)),
      },
    });
    setHandler(logQuery, (query) => this.#page(query), {
      description: 'Entries of the log, a page: {from}',
    });
    setHandler(definitionQuery, () => this.#loaded?.definition, {
      description: 'The definition this run pinned',
    });
    setHandler(contextQuery, () => this.#input.context ?? {}, {
      description: 'The context given at start',
    });
  }

  async run(): Promise<AgentRunResult> {
    try {
      await this.#load();
      const result = await this.#drive();
      this.#board.result = result;
      this.#end('completed');
      await condition(allHandlersFinished);
      return result;
    } catch (error) {
      if (!(error instanceof ContinueAsNew) && !this.#board.ended)
        this.#end(isCancellation(error) ? 'cancelled' : 'failed');
      await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
      throw error;
    }
  }

  async #load(): Promise<void> {
    if (this.#carried !== undefined) return this.#restore(await unpack(this.#carried));
    checkRunInput(this.#given);
    this.#session = this.#input.session ?? {};
    const definition = await loadDefinition({ runner: this.#input.runner });
    const facts = agentFacts(definition.definition, definition.definition.runner);
    const machine = new AgentRun(promptOf(this.#input), machineOptions(facts));
    this.#start(definition, facts, machine);
  }

  #restore(run: Awaited<ReturnType<typeof unpack>>): void {
    this.#session = run.session;
    this.#board.restore(run.board);
    run.deltas.forEach(([index, delta]) => this.#deltas.set(index, delta));
    this.#log = new RunLog({
      workflowId: this.#info.workflowId,
      executionRunId: this.#info.runId,
      entries: run.entries,
    });
    const log = run.entries.map(({ id: _id, ...event }): LogEvent => event);
    const facts = agentFacts(run.definition.definition, run.definition.definition.runner);
    this.#start(run.definition, facts, AgentRun.fromJSON({ ...run.machine, log }));
  }

  #start(definition: LoadedDefinition, facts: AgentFacts, machine: AgentRun): void {
    const tools = new ToolRunner({
      concurrency: facts.toolConcurrency ?? limits.toolConcurrency,
      tools: facts.tools,
      argumentsOf: (call) => argumentsOf(call, this.#log),
      judgedArguments: (call) => judgedArguments(call, this.#log),
      contextOf: (tool) =>
        contextOf({
          ...this.#address(definition),
          firstExecutionRunId: this.#info.firstExecutionRunId,
          executionRunId: this.#info.runId,
          context: this.#input.context,
          session: selectKeys(this.#session, tool.session),
        }),
    });
    this.#loaded = { machine, definition, facts, tools };
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
          await this.#waitForInput(step);
          break;
        case 'done':
          return resultOf(step.response, this.#session);
      }
    }
  }

  #nextStep(): AgentRunStep {
    const { machine } = this.#ready();
    try {
      const step = machine.nextStep();
      if (step.kind === 'call-model' || step.kind === 'done') this.#mergeDeltas();
      this.#publish(step);
      return step;
    } finally {
      this.#log.sync(machine.log);
      this.#show();
    }
  }

  async #callModel(turn: number): Promise<void> {
    const { machine, definition, facts } = this.#ready();
    const { provider, model } = facts.model;
    const { entry, session } = await modelActivities(`#${turn} ${provider}/${model}`).callModel({
      ...this.#address(definition),
      turn,
      log: this.#log.announce(),
    });
    const { id, kind: _kind, ...response } = entry;
    this.#log.expectTurn(id);
    try {
      let outcome = machine.modelResponse({
        ...response,
        tools: facts.tools.map((tool) => tool.name),
      });
      while (outcome.kind === 'needs-resolution') {
        const feedback = unavailableTool(outcome.context);
        outcome = machine.resolveInvalidToolCall({ kind: 'retry', feedback });
      }
    } finally {
      this.#log.sync(machine.log);
    }
    if (session !== undefined) this.#mergeSession(session);
  }

  async #runTools(step: Extract<AgentRunStep, { kind: 'call-tools' }>): Promise<void> {
    const { machine, tools } = this.#ready();
    const answers = this.#board.answers;
    tools.start(step.calls);
    await condition(() => tools.arrived.length > 0 || this.#board.answers !== answers);
    for (const { result, entryId, session } of tools.take()) {
      if (entryId !== undefined) this.#log.expectResult(result, entryId);
      machine.toolResults([result]);
      this.#log.sync(machine.log);
      if (session !== undefined) this.#deltas.set(result.index ?? 0, session);
    }
  }

  async #waitForInput(step: Extract<AgentRunStep, { kind: 'needs-input' }>): Promise<void> {
    const { facts } = this.#ready();
    const answers = this.#board.answers;
    const expired = await waitForAnswer({
      pending: this.#board.pending,
      timeoutMs: facts.inputTimeoutMs,
      answered: () => this.#board.answers !== answers,
    });
    if (expired === undefined) return;
    const input = step.inputs.find((candidate) => candidate.inputId === expired.inputId);
    if (input === undefined || this.#board.answers !== answers) return;
    this.#expire(expired, facts.onInputTimeout ?? 'fail');
  }

  #expire(input: PendingInput, rule: NonNullable<AgentFacts['onInputTimeout']>): void {
    if (rule === 'fail' || input.kind === 'approval') {
      throw new InputTimeout(
        `nobody answered '${input.inputId}' in time: ${oneLine(input.question, 300)}`,
        {
          details: { inputId: input.inputId, path: input.path },
        },
      );
    }
    this.#feed((machine) => machine.answer({ inputId: input.inputId, text: rule.answer }));
    this.#board.take(input.inputId, 'input-timeout');
  }

  /** Between steps, with nothing in flight: a call to come or a wait. */
  async #continueAsNewIfDue(step: AgentRunStep): Promise<void> {
    const { machine, definition, tools } = this.#ready();
    if (
      (step.kind !== 'call-model' && step.kind !== 'needs-input') ||
      !tools.idle ||
      !isDue(workflowInfo())
    )
      return;
    this.#board.moving = true;
    await condition(allHandlersFinished);
    const { runner: _runner, input: _input, session: _session, ...rest } = this.#input;
    const bytes = pack(
      {
        machine: { ...machine.toJSON(), log: [] },
        board: this.#board.carry(),
        definition,
        session: this.#session,
        deltas: [...this.#deltas],
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
  #feed(event: (machine: AgentRun) => void): void {
    const { machine } = this.#ready();
    event(machine);
    this.#log.sync(machine.log);
  }

  #mergeDeltas(): void {
    const inCallOrder = [...this.#deltas].sort(([left], [right]) => left - right);
    this.#deltas.clear();
    for (const [, delta] of inCallOrder) this.#mergeSession(delta);
  }

  #mergeSession(delta: SessionDelta): void {
    this.#session = mergeDelta(this.#session, delta);
    checkSessionSize(this.#session);
  }

  #publish(inputs: AgentRunStep): void {
    const known = new Map(this.#board.pending.map((input) => [input.inputId, input]));
    const since = new Date().toISOString();
    const { facts } = this.#ready();
    this.#board.publish(
      openInputs(inputs).map(
        (input) =>
          known.get(input.inputId) ?? { ...input, agentId: facts.id, path: this.#path(), since },
      ),
    );
  }

  #end(status: RunState['status']): void {
    this.#board.status = status;
    this.#board.publish([]);
    this.#show();
  }

  /** Memo and attributes only when the status or the open inputs changed; the details, which cost no event, every time. */
  #show(): void {
    const state = this.#state();
    const memo = [state.status, ...state.pending.map((input) => input.inputId)].join(' ');
    if (memo !== this.#shown.memo && state.status !== 'loading') {
      showMemo(state, this.#cancelReason);
      this.#shown.memo = memo;
    }
    if (this.#loaded?.definition.searchAttributes === true && state.status !== this.#shown.status) {
      showAttributes(state);
      this.#shown.status = state.status;
    }
    showDetails(state, this.#log.entries);
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
      runner: runnerId(this.#input),
      path: this.#path(),
      executionRunId: this.#info.runId,
      logLength: this.#log.length,
    });
  }

  #page(query: LogQuery | undefined): unknown {
    const from = query?.from ?? 0;
    return query?.deflate === true ? this.#log.deflatedPage(from) : this.#log.page(from);
  }

  /** Whose call it is. At the root the definition is this run's own and the path is the agent's id: neither travels. */
  #address({
    hash,
    definition,
  }: LoadedDefinition): Pick<CallModelInput, 'definition' | 'agentId' | 'path'> {
    const { root, path } = this.#input.lineage ?? {};
    return {
      definition: { hash: hash.slice(0, limits.hashLength), ...(root !== undefined && { root }) },
      agentId: definition.runner,
      ...(path !== undefined && { path }),
    };
  }

  #path(): string {
    return this.#input.lineage?.path ?? runnerId(this.#input);
  }

  #ready(): Loaded {
    if (this.#loaded === undefined) throw new InternalError('the run is still loading');
    return this.#loaded;
  }
}
