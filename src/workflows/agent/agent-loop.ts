// Drives one agent: asks the machine for the next step, does the step, and reports the outcome to the machine. `drive` ends with the final
// answer, or throws.
//
// 1. It decides nothing: the machine makes every decision of the loop. This file knows activities, children, timers and the budget.
// 2. The machine gets only what an activity returned or a person answered, in the order it arrived.
// 3. Results of inline calls are used only by the step right after their model call.
// 4. No model call goes over the budget: the run asks a person first, or fails.
// 5. Await only what you must. The sandbox records a stack for every promise, and that is what a turn costs here.

import { CancellationScope, condition, patched } from '@temporalio/workflow';
import type { AgentMachine } from '../../core/machine/agent-machine';
import { answerText } from '../../core/machine/answer';
import type { MachineStep } from '../../core/machine/steps';
import { verdictOn } from '../../core/people/verdicts';
import { defined } from '../../base';
import { type AgentConfig, hasCode, LonghaulError, type Migration } from '../../protocol';
import type { Progress } from '../lifecycle/execution';
import { Approvals, type AskedInput } from '../people/approvals';
import { BudgetQuestions } from '../people/budget-questions';
import type { AdmittedAnswer } from '../people/open-inputs';
import { OwnInputs } from '../people/own-inputs';
import type { CarriedProgress } from '../run/carried-run';
import type { LoadedDefinition } from '../run/load';
import type { LoadedRun, LoopResult, RunLoop } from '../run/loaded-run';
import { planResultOf, resolveInvalidCalls } from '../run/machine-options';
import { migrationProblems } from '../run/migration';
import { turnSummary } from '../run/run-result';
import { ModelCalls } from './model-calls';
import { PromptCompaction } from './prompt-compaction';
import { callReviewer } from './review-calls';
import { ToolCalls } from './tool-calls';
import { endedInline, type InlineResults, ToolRunner } from './tool-runner';

type LoopOptions = {
  readonly config: AgentConfig;
  readonly machine: AgentMachine;
  /** From the execution before. */
  readonly carried: CarriedProgress | undefined;
};

export class AgentLoop implements RunLoop {
  readonly #run: LoadedRun;
  readonly #config: AgentConfig;
  readonly #machine: AgentMachine;
  readonly #tools: ToolRunner;
  readonly #models: ModelCalls;
  readonly #inputs: OwnInputs;
  readonly #approvals: Approvals;
  readonly #budget: BudgetQuestions;
  /** Only if the agent has a limit for its context. */
  readonly #prompt: PromptCompaction | undefined;

  constructor(run: LoadedRun, options: LoopOptions) {
    const { config, machine, carried } = options;
    const { execution, position, children } = run;
    this.#run = run;
    this.#config = config;
    this.#machine = machine;
    this.#tools = new ToolRunner(new ToolCalls(run, options));
    this.#inputs = new OwnInputs(run, options);
    this.#budget = new BudgetQuestions(run);
    this.#approvals = new Approvals({
      tools: config.tools,
      machine,
      requester: position.lineage.requester,
      speakers: () => children.speakers,
      remembered: carried?.remembered ?? [],
      isPublished: (id) => execution.inputs.isOwn(position.inputId(id)),
      review: callReviewer(run, config),
    });
    const { context } = config;
    this.#prompt =
      context && new PromptCompaction(run, { ...options, carried: carried?.prompt, context });
    this.#models = new ModelCalls(run, { ...options, prompt: this.#prompt });
  }

  get progress(): Progress {
    return { turn: this.#machine.turn, iterations: this.#machine.iterations };
  }

  get noneRunning(): boolean {
    return this.#tools.noneRunning && this.#approvals.idle;
  }

  async drive(): Promise<LoopResult> {
    const { input, steering } = this.#run;
    let inline: InlineResults | undefined;
    for (;;) {
      const step = this.#nextStep();
      if (isBetweenSteps(step, steering.hasUnread) && this.#isIdle) {
        const moving = this.#run.continueAsNewIfDue(this.#carry);
        if (moving !== undefined) await moving;
      }
      switch (step.kind) {
        case 'call-model':
          inline = await this.#nextModelCall(step.turn);
          break;
        case 'call-tools':
          await this.#runTools(step, inline);
          inline = undefined;
          break;
        case 'needs-input':
          await this.#waitForInput();
          inline = undefined;
          break;
        case 'done':
          if (steering.hasUnread && (await this.#goesOn())) break;
          return {
            ...planResultOf(step.response),
            ...(input.thread && turnSummary(this.#machine)),
          };
      }
    }
  }

  #nextStep(): MachineStep {
    try {
      const { step, asked } = this.#approvals.nextStep();
      if (step.kind === 'call-model' || step.kind === 'done') this.#run.session.mergeDeferred();
      this.#inputs.publish(asked);
      return step;
    } finally {
      this.#run.execution.show();
    }
  }

  /** Makes the model call, or does what must come before it. In the second case, the loop calls this again. */
  #nextModelCall(turn: number): Promise<InlineResults | undefined> {
    const { usedUp } = this.#run.budget;
    if (usedUp !== undefined) return this.#budget.require(usedUp, turn, this.#ask);
    this.#steer();
    return this.#prompt?.compactIfDue() ?? this.#callModel(turn);
  }

  readonly #ask = (question: AskedInput): Promise<void> => {
    this.#inputs.publish([question]);
    this.#run.execution.show();
    return this.#waitForInput({ isOwn: false });
  };

  /** False if the model cannot get the unread messages now. They then stay unread. */
  #steer(): boolean {
    const { steering } = this.#run;
    if (!steering.hasUnread || !this.#machine.steer(steering.unreadEvents)) return false;
    steering.given();
    return true;
  }

  /** Returns true if the run goes on after a final answer, because there are unread messages and a turn is left. */
  async #goesOn(): Promise<boolean> {
    const { execution, budget } = this.#run;
    const { usedUp } = budget;
    if (usedUp === undefined) return !execution.phase.isDetached && this.#steer();
    if (budget.onExceeded !== 'ask' || !this.#machine.hasTurnLeft) return false;
    try {
      return await this.#budget.mayGoOn(usedUp, this.#machine.turn + 1, this.#ask);
    } catch (error) {
      if (hasCode(error, 'InputTimeout')) return false;
      throw error;
    }
  }

  /** Returns the results of inline calls. */
  async #callModel(turn: number): Promise<InlineResults | undefined> {
    const { budget, session } = this.#run;
    const { tools, subAgents = [], onInvalidToolCall } = this.#config;
    const result = await this.#models.call(turn);
    if (result === undefined) return undefined;
    const { entry, costUsd } = result;
    const unpriced = costUsd === undefined ? [this.#models.name] : undefined;
    budget.record({ usage: entry.usage, ...defined({ unpriced, costUsd }) });
    const names = [...tools, ...subAgents].map((tool) => tool.name);
    const outcome = this.#machine.modelResponse({ ...entry, tools: names });
    resolveInvalidCalls(this.#machine, outcome, { turn: entry, rule: onInvalidToolCall });
    if (result.session !== undefined) session.merge(result.session);
    if (!this.#models.isLast) return result;
    // The run is cancelled. The log still needs the results of inline calls.
    const step = this.#machine.nextStep();
    const calls = step.kind === 'call-tools' ? step.calls : [];
    for (const { entry: ended } of endedInline(calls, result)) this.#machine.toolResult(ended);
    await CancellationScope.current().cancelRequested;
    return undefined;
  }

  /**
   * `inline` is given only right after the model call. A call that waited for a person did not run inline, so a worker's result for it does
   * not count.
   */
  async #runTools(
    step: Extract<MachineStep, { kind: 'call-tools' }>,
    inline: InlineResults | undefined,
  ): Promise<void> {
    const { execution, position, log, session } = this.#run;
    const { inputs, tokens, history } = execution;
    const { answers } = inputs;
    this.#tools.start(step.calls, inline);
    const isMore = (): boolean =>
      this.#tools.arrived.length > 0 ||
      inputs.answers !== answers ||
      this.#approvals.hasNews ||
      history.isOver;
    if (this.#inputs.next !== undefined) {
      const due = await this.#inputs.wait(isMore);
      if (due !== undefined && !isMore()) return this.#inputs.pass(due);
    } else if (!isMore()) {
      await condition(isMore);
    }
    for (const outcome of this.#tools.take()) {
      if (outcome.kind === 'begun')
        tokens.keep(position.inputId(this.#machine.defer(outcome)), outcome.tokens);
      else this.#machine.toolResult(outcome.entry);
      const index = outcome.kind === 'begun' ? outcome.index : (outcome.entry.result.index ?? 0);
      if (outcome.session !== undefined) session.defer(index, outcome.session);
    }
    if (history.isOver) throw history.tooLarge(log);
  }

  /** `isOwn`: the machine asks. It does not know of any other question, and the loop would close that before the run moves. */
  async #waitForInput({ isOwn = true } = {}): Promise<void> {
    const { inputs, phase } = this.#run.execution;
    const { answers } = inputs;
    const answered = (): boolean => inputs.answers !== answers || this.#approvals.hasNews;
    const isDone = (): boolean => answered() || phase.isDetached || this.#isMoving;
    const due = await this.#inputs.wait(isDone);
    if (answered()) return;
    if (phase.isDetached) {
      throw new LonghaulError(
        'RunCancelled',
        'nobody needs the answer any more: another branch was first',
      );
    }
    if (due !== undefined) return this.#inputs.pass(due);
    if (!isOwn && patched('longhaul:moves-while-it-asks'))
      await this.#run.continueAsNewIfDue(this.#carry);
  }

  /** Takes an answer to a published input. */
  feed(admitted: AdmittedAnswer): void {
    const { asked, answer, missing } = admitted;
    const inputId = this.#run.position.machineId(asked.inputId);
    const verdict = verdictOn(asked, { answer, inputId, at: new Date().toISOString() });
    const raised = this.#budget.take(admitted);
    this.#machine.note({ ...verdict, ...raised });
    if (raised !== undefined || missing > 0) return;
    switch (answer.kind) {
      case 'answer':
        return this.#machine.answer({ inputId, text: answerText(answer.answer) });
      case 'approve':
        return this.#approvals.approve(asked, { ...answer, inputId });
      case 'reject':
        return this.#machine.reject(inputId, answer.reason);
      case 'complete':
        return this.#machine.complete(inputId, { value: answer.value, isError: false });
      case 'fail':
        return this.#machine.complete(inputId, { value: answer.reason, isError: true });
    }
  }

  moveTo(to: LoadedDefinition, note: Migration): readonly string[] {
    if (!this.#isIdle) return ['it works'];
    const { pendingInputs: inputs, turn } = this.#machine;
    const problems = migrationProblems(this.#run, { inputs, turn }, to);
    if (problems.length > 0) return problems;
    this.#run.moveTo(to, this.#carry);
    this.#machine.note(note);
    return [];
  }

  get #isMoving(): boolean {
    return this.#isIdle && this.#run.isAtItsEnd;
  }

  get #isIdle(): boolean {
    return this.#tools.idle && this.#approvals.idle;
  }

  readonly #carry = (): CarriedProgress => {
    const { remembered } = this.#approvals;
    return {
      machine: this.#machine.toJSON(),
      ...defined({ prompt: this.#prompt?.carried }),
      ...(remembered.length > 0 && { remembered }),
    };
  };
}

/** The run moves only before a model call or during a wait. */
function isBetweenSteps({ kind }: MachineStep, hasUnread: boolean): boolean {
  return kind === 'call-model' || kind === 'needs-input' || (kind === 'done' && hasUnread);
}
