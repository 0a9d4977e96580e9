// Makes an agent's model calls.
//
// 1. A message may cut a call. The call is then made again, with the message. The cut call counts by an estimate of its prompt.
// 2. If inline calls of the turn may act, the run always waits for the end of the model call: it is cut, or it returns the turn with the
//    results of its calls.
// 3. If the worker is lost and there is no other attempt, the turn that the worker reported to the server stands.

import { ActivityFailure, CancellationScope, patched, TimeoutFailure } from '@temporalio/workflow';
import { emptyUsage } from '../../core/budget/usage';
import { PromptMeter } from '../../core/context/prompt-meter';
import { turnIn } from '../../core/kept-turn';
import { mayActInline } from '../../core/loop-config';
import type { AgentMachine } from '../../core/machine/agent-machine';
import type { AgentConfig, CallModelInput, CallModelResult } from '../../protocol';
import { modelActivities } from '../activity-proxies';
import { failureSpend } from '../children/child-failure';
import { hintAtCancelledCalls } from '../lifecycle/cancellation';
import type { LoadedRun } from '../run/loaded-run';
import { besideModelCall } from './call-inputs';
import type { PromptCompaction } from './prompt-compaction';

type Options = {
  readonly config: AgentConfig;
  readonly machine: AgentMachine;
  readonly prompt: PromptCompaction | undefined;
};

export class ModelCalls {
  readonly #run: LoadedRun;
  readonly #config: AgentConfig;
  readonly #machine: AgentMachine;
  readonly #prompt: PromptCompaction | undefined;
  readonly #mayAct: boolean;
  #isAwaited = false;
  #hints = false;

  constructor(run: LoadedRun, { config, machine, prompt }: Options) {
    this.#run = run;
    this.#config = config;
    this.#machine = machine;
    this.#prompt = prompt;
    this.#mayAct = mayActInline(config);
  }

  get name(): string {
    const { provider, model } = this.#config.model;
    return `${provider}/${model}`;
  }

  /** True if the run was cancelled while it awaited the call. */
  get isLast(): boolean {
    return this.#isAwaited && CancellationScope.current().consideredCancelled;
  }

  /** Undefined if the call is to be made again. */
  async call(turn: number): Promise<CallModelResult | undefined> {
    const { steering } = this.#run;
    const input = this.#input(turn);
    this.#isAwaited = this.#mayAct && input.inline !== undefined && patched('longhaul:calls-stand');
    if (this.#isAwaited) this.#hintAtOnce();
    const { callModel } = modelActivities(`#${turn} ${this.name}`, this.#isAwaited);
    const call = (): Promise<CallModelResult> => callModel(input);
    const result = await (this.#machine.isPaused ? call() : steering.call(call)).catch(
      (error: unknown) => turnOfLost(error) ?? this.#failed(error),
    );
    steering.ended(result !== undefined);
    if (result !== undefined) this.#prompt?.answered();
    return result;
  }

  /** Other runs send the hint when they stop waiting for their calls. This run goes on waiting for the call, so it sends the hint now. */
  #hintAtOnce(): void {
    if (this.#hints) return;
    this.#hints = true;
    CancellationScope.current().cancelRequested.catch(hintAtCancelledCalls);
  }

  #input(turn: number): CallModelInput {
    const { position, log, session, input } = this.#run;
    return {
      ...this.#run.address,
      turn,
      log: log.nextRef(),
      ...(input.thread && { memory: input.thread.memory }),
      ...besideModelCall(this.#config, {
        origin: position.origin,
        session: session.value,
        context: input.context,
        iterations: this.#machine.iterations,
      }),
    };
  }

  /** Throws unless the call is to be made again. */
  #failed(error: unknown): undefined {
    const { budget, steering } = this.#run;
    if (steering.wasCut) return this.#countCut();
    // The model call was paid for even if its answer could not be checked.
    const spend = failureSpend(error);
    if (spend !== undefined) budget.record(spend);
    if (this.#prompt?.takes(error) === true) return undefined;
    throw error;
  }

  /** The provider bills a cut call, but no count arrives. */
  #countCut(): undefined {
    if (!patched('longhaul:cut-calls-count')) return;
    const meter = new PromptMeter();
    meter.read(this.#run.log.entries);
    const tokens = Math.ceil(meter.tokensOf(meter.bytes));
    const usage = { ...emptyUsage, inputTokens: tokens, totalTokens: tokens };
    this.#run.budget.record({ usage, unpriced: [this.name] });
  }
}

/** The server made no other attempt after the last one was lost. */
function turnOfLost(error: unknown): CallModelResult | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure ? turnIn(cause.lastHeartbeatDetails) : undefined;
}
