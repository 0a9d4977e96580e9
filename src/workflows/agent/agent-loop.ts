// Drives one AgentMachine: asks for the next step, does it, feeds the answer back.
//
// 1. Decides nothing: the machine makes every decision of the loop. This file knows activities, children, timers and the budget.
// 2. The machine gets only what an activity returned or a person answered, in the order it arrived.
// 3. No model call goes over the budget: the run asks a person first, or fails.
// 4. Await only what you must. The sandbox records a stack for every promise, and that is what a turn costs here.

import { CancellationScope, condition } from '@temporalio/workflow';
import type { AgentMachine } from '../../core/machine/agent-machine';
import type { UsedUp } from '../../core/budget/budget';
import type { PlanResult } from '../../core/orchestration/plan';
import type { MachineStep } from '../../core/machine/steps';
import { toolTrace } from '../../core/transcript/tool-trace';
import type { AgentConfig } from '../../protocol/activities';
import { hasCode, LonghaulError } from '../../protocol/errors';
import type { Migration } from '../../protocol/log';
import type { Verdict } from '../../protocol/people';
import type { InputAnswer, PendingInput } from '../../protocol/run';
import type { LoadedDefinition } from '../run/load';
import { openInputs, planResultOf, resolveInvalidCalls } from '../run/machine-options';
import { migrationProblems } from '../run/migration';
import { answerText } from '../../core/machine/answer';
import { missingApprovals, verdictOn } from '../../core/people/verdicts';
import { InputTimes } from '../people/input-times';
import { budgetExceeded, budgetQuestion } from '../people/input-wait';
import { Approvals, type AskedInput } from '../people/approvals';
import type { CarriedProgress } from '../run/carried-run';
import { inputSchema } from '../people/input-schema';
import { ModelCalls } from './model-calls';
import { PromptKeeper } from './prompt-compaction';
import { callReviewer } from './review-calls';
import { ToolCalls } from './tool-calls';
import { newNonce, type Progress } from '../lifecycle/execution';
import type { Asker } from '../people/pending-requests';
import type { DrivenRun, Driver, TurnSummary } from '../run/loaded-run';
import { ToolRunner } from './tool-runner';

type LoopOptions = {
  readonly config: AgentConfig;
  readonly machine: AgentMachine;
  /** From the execution before. */
  readonly carried: CarriedProgress | undefined;
};

export class AgentLoop implements Driver, Asker {
  readonly #run: DrivenRun;
  readonly #config: AgentConfig;
  readonly #machine: AgentMachine;
  readonly #tools: ToolRunner;
  readonly #models: ModelCalls;
  readonly #times: InputTimes;
  readonly #approvals: Approvals;
  /** Only if the agent has a context to keep within. */
  readonly #prompt: PromptKeeper | undefined;
  /** The limit that the run has used up. The run waits for a person to raise it. */
  #usedUp: (UsedUp & { readonly inputId: string }) | undefined;
  #stopped = false;

  constructor(run: DrivenRun, options: LoopOptions) {
    this.#run = run;
    this.#config = options.config;
    this.#machine = options.machine;
    this.#tools = new ToolRunner(new ToolCalls(run, options));
    this.#times = new InputTimes(run, options);
    const { config, carried } = options;
    this.#approvals = new Approvals({
      tools: config.tools,
      machine: options.machine,
      requester: run.position.lineage.requester,
      speakers: () => run.children.speakers,
      remembered: carried?.remembered ?? [],
      isPublished: (id) => run.execution.requests.isOwn(run.position.inputId(id)),
      review: callReviewer(run, config),
    });
    const { context } = config;
    this.#prompt =
      context && new PromptKeeper(run, { ...options, carried: carried?.prompt, context });
    this.#models = new ModelCalls(run, { ...options, prompt: this.#prompt });
    run.execution.requests.answersTo(this);
  }

  get progress(): Progress {
    return { turn: this.#machine.turn, iterations: this.#machine.iterations };
  }

  get turnSummary(): TurnSummary {
    const usage = this.#machine.completionCalls.at(-1)?.usage;
    const contextTokens = usage?.totalTokens ?? usage?.inputTokens ?? undefined;
    const { log } = this.#machine;
    const toolCalls = toolTrace(log);
    return {
      ...(log.some(({ kind }) => kind === 'summary') && { summarised: true as const }),
      ...(contextTokens !== undefined && { contextTokens }),
      ...(toolCalls.length > 0 && { toolCalls }),
    };
  }

  get noneRunning(): boolean {
    return this.#tools.noneRunning && this.#approvals.idle;
  }

  /** Gets answers only for published inputs. */
  feed(answer: InputAnswer, asked: PendingInput): void {
    const inputId = this.#run.position.machineId(asked.inputId);
    const at = new Date().toISOString();
    const verdict = verdictOn(asked, { answer, inputId, at });
    if (asked.inputId === this.#usedUp?.inputId)
      return this.#feedBudget(this.#usedUp, answer, verdict);
    this.#machine.note(verdict);
    if (missingApprovals(asked, answer) === 0) this.#decide(asked, { ...answer, inputId });
  }

  #decide(asked: PendingInput, answer: InputAnswer): void {
    const { inputId } = answer;
    switch (answer.kind) {
      case 'answer':
        return this.#machine.answer({ inputId, text: answerText(answer.answer) });
      case 'approve':
        // No call that waited for a person ran inline, whatever a worker says.
        this.#tools.ranInline({});
        return this.#approvals.approve(asked, answer);
      case 'reject':
        return this.#machine.reject(inputId, answer.reason);
      case 'complete':
        return this.#machine.complete(inputId, { value: answer.value, isError: false });
      case 'fail':
        return this.#machine.complete(inputId, { value: answer.reason, isError: true });
    }
  }

  async drive(): Promise<PlanResult> {
    for (;;) {
      const step = this.#nextStep();
      const moving = this.#continueAsNewIfDue(step);
      if (moving !== undefined) await moving;
      switch (step.kind) {
        case 'call-model':
          await this.#nextModelCall(step.turn);
          break;
        case 'call-tools':
          await this.#runTools(step);
          break;
        case 'needs-input':
          await this.#waitForInput();
          break;
        case 'done':
          if (this.#run.steering.hasUnread && (await this.#goesOn())) break;
          return planResultOf(step.response);
      }
    }
  }

  #nextStep(): MachineStep {
    try {
      for (;;) {
        const step = this.#machine.nextStep();
        if (step.kind === 'call-model' || step.kind === 'done') this.#run.session.mergeDeferred();
        const asked = this.#approvals.ask(openInputs(step));
        if (asked === undefined) continue;
        this.#publish(asked);
        return step;
      }
    } finally {
      this.#run.execution.show();
    }
  }

  /** The call, or what must come before it. The loop then comes back. */
  #nextModelCall(turn: number): Promise<void> {
    const { usedUp } = this.#run.budget;
    if (usedUp !== undefined) return this.#askForBudget(usedUp, turn);
    this.#steer();
    return this.#prompt?.compactIfDue() ?? this.#callModel(turn);
  }

  /** False if the model cannot get the unread messages now. They then stay unread. */
  #steer(): boolean {
    const { steering } = this.#run;
    if (!steering.hasUnread || !this.#machine.steer(steering.said)) return false;
    steering.given();
    return true;
  }

  /** A final answer with unread messages becomes one more turn, if one is left. */
  async #goesOn(): Promise<boolean> {
    const { execution, budget } = this.#run;
    const { usedUp } = budget;
    const mayAsk = budget.onExceeded === 'ask' && this.#machine.hasTurnLeft;
    if (usedUp !== undefined && mayAsk && (await this.#isGranted(usedUp))) return true;
    return usedUp === undefined && !execution.requests.isDetached && this.#steer();
  }

  async #isGranted(usedUp: UsedUp): Promise<boolean> {
    try {
      await this.#askForMore(usedUp, this.#machine.turn + 1);
      return !this.#stopped;
    } catch (error) {
      if (hasCode(error, 'InputTimeout')) return false;
      throw error;
    }
  }

  async #callModel(turn: number): Promise<void> {
    const { budget, session } = this.#run;
    const { tools, subAgents = [], onInvalidToolCall } = this.#config;
    const result = await this.#models.call(turn);
    if (result === undefined) return;
    const { entry, costUsd } = result;
    budget.record({
      usage: entry.usage,
      ...(costUsd === undefined ? { unpriced: [this.#models.name] } : { costUsd }),
    });
    const names = [...tools, ...subAgents].map((tool) => tool.name);
    const outcome = this.#machine.modelResponse({ ...entry, tools: names });
    resolveInvalidCalls(this.#machine, outcome, { turn: entry, rule: onInvalidToolCall });
    if (result.session !== undefined) session.merge(result.session);
    this.#tools.ranInline(result);
    if (this.#models.isLast) await this.#endTurn();
  }

  /** The run is cancelled. What ran inline belongs into the log all the same. */
  async #endTurn(): Promise<void> {
    const step = this.#machine.nextStep();
    const calls = step.kind === 'call-tools' ? step.calls : [];
    for (const { entry } of this.#tools.endedInline(calls)) this.#machine.toolResult(entry);
    await CancellationScope.current().cancelRequested;
  }

  async #runTools(step: Extract<MachineStep, { kind: 'call-tools' }>): Promise<void> {
    const { execution, position, log, session: own } = this.#run;
    const { requests, history } = execution;
    const answers = requests.answers;
    this.#tools.start(step.calls);
    const isMore = (): boolean =>
      this.#tools.arrived.length > 0 ||
      requests.answers !== answers ||
      this.#approvals.hasNews ||
      history.isOver;
    if (this.#times.next !== undefined) {
      const due = await this.#times.wait(isMore);
      if (due !== undefined && !isMore()) return this.#times.pass(due);
    } else if (!isMore()) {
      await condition(isMore);
    }
    for (const outcome of this.#tools.take()) {
      if (outcome.kind === 'begun')
        requests.tokens.keep(position.inputId(this.#machine.defer(outcome)), outcome.tokens);
      else this.#machine.toolResult(outcome.entry);
      const index = outcome.kind === 'begun' ? outcome.index : (outcome.entry.result.index ?? 0);
      if (outcome.session !== undefined) own.defer(index, outcome.session);
    }
    if (history.isOver) throw history.tooLarge(log);
  }

  /** After an answer, the loop checks the budget again. */
  async #askForBudget(usedUp: UsedUp, turn: number): Promise<void> {
    if (this.#run.budget.onExceeded === 'fail') throw budgetExceeded(usedUp);
    await this.#askForMore(usedUp, turn);
    if (this.#stopped) throw budgetExceeded(usedUp);
  }

  async #askForMore(usedUp: UsedUp, turn: number): Promise<void> {
    const { execution, position } = this.#run;
    const question = budgetQuestion(usedUp, turn, (id) =>
      execution.requests.wasAnswered(position.inputId(id)),
    );
    this.#usedUp = { ...usedUp, inputId: position.inputId(question.inputId) };
    this.#publish([question]);
    execution.show();
    await this.#waitForInput();
    this.#usedUp = undefined;
  }

  /** The run checked the answer when it took it. */
  #feedBudget(usedUp: UsedUp, answer: InputAnswer, verdict: Verdict): void {
    if (answer.kind !== 'answer') return;
    const added = this.#run.budget.answer(usedUp, answer.answer);
    this.#stopped = added === undefined;
    this.#machine.note({ ...verdict, ...(added && { added }) });
  }

  async #waitForInput(): Promise<void> {
    const { requests } = this.#run.execution;
    const answers = requests.answers;
    const answered = (): boolean => requests.answers !== answers || this.#approvals.hasNews;
    const isMoving = (): boolean => this.#isIdle && this.#run.isAtItsEnd;
    const due = await this.#times.wait(() => answered() || requests.isDetached || isMoving());
    if (answered()) return;
    if (requests.isDetached) {
      throw new LonghaulError(
        'RunCancelled',
        'nobody needs the answer any more: another branch was first',
      );
    }
    if (due !== undefined) this.#times.pass(due);
  }

  /** Moves only between steps: before a model call or during a wait. */
  #continueAsNewIfDue(step: MachineStep): Promise<void> | undefined {
    const goesOn = step.kind === 'done' && this.#run.steering.hasUnread;
    const isBetween = step.kind === 'call-model' || step.kind === 'needs-input' || goesOn;
    if (!isBetween || !this.#isIdle) return undefined;
    return this.#run.continueAsNewIfDue(this.#carried);
  }

  readonly #carried = (): CarriedProgress => {
    const { remembered } = this.#approvals;
    return {
      machine: this.#machine.toJSON(),
      ...(this.#prompt && { prompt: this.#prompt.carried }),
      ...(remembered.length > 0 && { remembered }),
    };
  };

  moveTo(to: LoadedDefinition, note: Migration): readonly string[] {
    if (!this.#isIdle) return ['it works'];
    const { pendingInputs: inputs, turn } = this.#machine;
    const problems = migrationProblems(this.#run, { inputs, turn }, to);
    if (problems.length > 0) return problems;
    this.#run.moveTo(to, this.#carried);
    this.#machine.note(note);
    return [];
  }

  get #isIdle(): boolean {
    return this.#tools.idle && this.#approvals.idle;
  }

  #publish(inputs: readonly AskedInput[]): void {
    const { execution, position } = this.#run;
    const { requests } = execution;
    const known = new Map(requests.pending.map((input) => [input.inputId, input]));
    const shared = {
      agentId: this.#config.id,
      path: position.path,
      since: new Date().toISOString(),
    };
    requests.publish(
      inputs.map((input) => {
        const inputId = position.inputId(input.inputId);
        const asked = known.get(inputId);
        if (asked !== undefined) return asked;
        const schema = inputSchema(input, this.#config, this.#run.definition.definition);
        const deadline = this.#times.deadline(input, shared.since);
        return { ...input, ...schema, inputId, ...shared, ...deadline, nonce: newNonce() };
      }),
    );
    this.#run.notices.follow();
  }
}
