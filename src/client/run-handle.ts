import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { checkAnswer, checkEdit, checkReason, severalOpen } from '../core/machine/answer';
import { allMessages } from '../core/transcript/fold-log';
import { LonghaulError } from '../protocol/errors';
import { canonicalJson, type Json, type JsonObject } from '../base/json';
import type { LogEntry } from '../protocol/log';
import type { Message, Usage } from '../protocol/message';
import { signalNames, updateNames } from '../protocol/names';
import type {
  AgentRunOutcome,
  AgentRunResult,
  ApproveInput,
  PendingInput,
  RejectInput,
  ResumeInput,
  RunState,
} from '../protocol/run';
import type { RunTypes } from '../protocol/spec';
import { grpcStatus } from '../base/grpc-status';
import { checkOptions } from './check-options';
import {
  asLonghaulError,
  cancelled,
  hasGrpcStatus,
  isCutOff,
  isNotFound,
  isTermination,
  isUntaken,
  readable,
  runFailure,
  runNotFound,
} from './failures';
import { waitForOutcome } from './outcome';
import { patiently, uninterrupted } from './calls';
import { type ResetOptions, resetRun } from './reset';
import type { ResetPlan } from './reset-plan';
import { hasEnded, memoOf, type RunEvent, RunView, type ViewOptions } from './run-view';
import { type RunTree, TreeReader } from './run-tree';
import { requireWorker, whileServed } from './workers';

type GivenAnswer = (ResumeInput | ApproveInput | RejectInput) & { readonly inputId: string };

type Sending = { readonly input: GivenAnswer; readonly signal: AbortSignal };

/** How often the client asks for the nonce of an input before it answers without it. */
const mostAsked = 3;

/** One run, by its workflow id. Always addresses the run's newest execution. */
export class RunHandle<Types extends RunTypes = RunTypes> {
  readonly workflowId: string;
  /** Set by `start` if no worker polled the task queue: the run waits for one. The client asks every five seconds at most. */
  readonly warning: LonghaulError | undefined;
  readonly #client: Client;
  readonly #options: ViewOptions;
  readonly #view: RunView;

  constructor(
    client: Client,
    workflowId: string,
    options: ViewOptions & { warning?: LonghaulError } = {},
  ) {
    this.workflowId = workflowId;
    this.warning = options.warning;
    this.#client = client;
    this.#options = options;
    this.#view = new RunView(client, workflowId, options);
  }

  /**
   * Waits until the run ends or asks for input. After an answer, call it again. Throws the run's own error if the run failed,
   * `RunCancelled` if it was cancelled, and `NoWorker` within 5 s if no worker polls its task queue. Keeps waiting while the server
   * restarts or refuses the call for its limits. Throws `ServerUnavailable` after five minutes without a server.
   */
  async outcome(): Promise<AgentRunOutcome<Types>> {
    await this.#options.started?.();
    const outcome = await waitForOutcome({
      client: this.#client,
      workflowId: this.workflowId,
      describe: () => this.#view.describe(),
      state: () => this.#view.state(),
      result: () => this.#result(),
      untaken: async (error) => (isUntaken(error) ? await this.#view.unanswerable(error) : error),
    });
    return outcome as AgentRunOutcome<Types>;
  }

  /** Waits for the end, through all pauses. Throws like `outcome`, but waits for a worker without a limit. */
  async result(): Promise<AgentRunResult<Types>> {
    await this.#options.started?.();
    const result: unknown = await this.#result();
    return result as AgentRunResult<Types>;
  }

  async #result(): Promise<AgentRunResult> {
    try {
      return readable(await this.#newestResult());
    } catch (error) {
      if (isNotFound(error)) throw runNotFound(this.workflowId, error);
      const failure = runFailure(error);
      if (failure === undefined) throw asLonghaulError(error);
      throw failure.code === 'RunCancelled' ? await this.#cancelled(failure) : failure;
    }
  }

  /** A reset terminates the execution that this waits for. The run goes on in a new execution. */
  async #newestResult(): Promise<AgentRunResult> {
    for (;;) {
      try {
        return (await patiently(() => this.#handle().result())) as AgentRunResult;
      } catch (error) {
        if (!isTermination(error) || (await this.#view.describe()).status.name === 'TERMINATED')
          throw error;
      }
    }
  }

  /** The run's current state. Without a worker it comes from the memo: `turn`, `iterations` and `usage` are then unknown. */
  async state(): Promise<RunState> {
    return await this.#view.state();
  }

  async pending(): Promise<readonly PendingInput[]> {
    return (await this.state()).pending;
  }

  async usage(): Promise<Usage> {
    return (await this.state()).usage;
  }

  /**
   * The run and all its child runs, at any depth, each with its state, usage and open inputs. Asks each run. Without a worker the states
   * come from memos, which have no counters.
   */
  async tree(): Promise<RunTree> {
    return await new TreeReader(this.#client, this.#options).read(this.workflowId);
  }

  /**
   * The conversation so far, as messages, with what later prompts leave out. Open tool calls have a placeholder result. Without a worker it comes from the history of the
   * newest execution, which lacks the run's own decisions and people's answers.
   */
  async transcript(): Promise<Message[]> {
    return allMessages(await this.#view.entries());
  }

  /** The raw log entries from index `from` on. Without a worker: only those in history, as for `transcript`. */
  async log(options: { from?: number } = {}): Promise<LogEntry[]> {
    checkOptions('log', options, { from: true });
    return await this.#view.entries(options.from);
  }

  /** The run's log entries as they happen, from index `from` on. Ends with the run. To continue, pass the last `index + 1` as `from`. */
  events(options: { from?: number; signal?: AbortSignal } = {}): AsyncIterable<RunEvent> {
    checkOptions('events', options, { from: true, signal: true });
    return this.#view.events(options);
  }

  /**
   * Answers an open question. `inputId` may be left out if only one input is open; else it throws `AmbiguousInput`. Sending the same
   * answer again is accepted; a different one throws `AlreadyAnswered`. Also throws `InvalidAnswer`, `NotWaiting`, `RunClosed`, `NoWorker`.
   */
  async resume(answer: Json, options: { inputId?: string } = {}): Promise<void> {
    checkOptions('resume', options, { inputId: true });
    checkAnswer(answer);
    const inputId = options.inputId ?? (await this.#onlyPending());
    await this.#update(updateNames.resume, answer, { answer, inputId });
  }

  /** Lets a waiting tool call run. `args` replaces its arguments. */
  async approve(inputId: string, options: { args?: JsonObject } = {}): Promise<void> {
    checkOptions('approve', options, { args: true });
    const { args } = options;
    if (args !== undefined) checkEdit(args);
    await this.#update(updateNames.approve, ['approve', args ?? null], {
      inputId,
      ...(args && { args }),
    });
  }

  /** Refuses a waiting tool call. The model gets the reason. */
  async reject(inputId: string, reason: string): Promise<void> {
    checkReason(reason);
    await this.#update(updateNames.reject, ['reject', reason], { inputId, reason });
  }

  /** Cancels the run and everything it is doing. Provider calls are aborted. A run that has ended does not change. */
  async cancel(reason = 'cancelled by the caller'): Promise<void> {
    await this.#options.started?.();
    try {
      await this.#handle().signal(signalNames.cancelRun, { reason });
      await this.#handle().cancel();
    } catch (error) {
      if (!isNotFound(error)) throw asLonghaulError(error);
      await this.#view.describe();
    }
  }

  /**
   * Takes the run back to before a turn or step. The run may have ended. `confirm` gets the plan and may refuse it. The run first ends
   * its open calls and child runs, so that no call runs twice at once. Repeated calls have the same idempotency keys as before. Questions
   * asked since then are asked again. Returns the plan, or undefined if `confirm` refused. Throws `InvalidInput` if the run has no such
   * turn or step, and `RunClosed` for a child run whose caller already has its result.
   *
   * @example
   * await run.reset({ to: 3, confirm: ({ calls }) => calls.every(({ effect }) => effect !== 'once') });
   */
  async reset(options: ResetOptions): Promise<ResetPlan | undefined> {
    checkOptions('reset', options, { to: true, confirm: true, reason: true });
    return await resetRun(this.#client, this.workflowId, options);
  }

  async #onlyPending(): Promise<string> {
    const { status, pending } = await this.#view.open();
    const [first, ...others] = pending;
    if (first === undefined) throw this.#notWaiting(status);
    if (others.length === 0) return first.inputId;
    throw severalOpen(pending);
  }

  async #update(name: string, answer: Json, input: GivenAnswer): Promise<void> {
    await this.#options.started?.();
    try {
      await whileServed(
        (signal) => this.#requireWorker(signal),
        (signal) => this.#send(name, answer, { input, signal }),
      );
    } catch (error) {
      if (isNotFound(error)) throw this.#notWaiting((await this.state()).status);
      if (isUntaken(error)) throw await this.#view.unanswerable(error);
      throw asLonghaulError(error);
    }
  }

  /** A reset or continue-as-new may close the execution first. The next one then gets the answer; it knows answers already taken. */
  async #send(name: string, answer: Json, sending: Sending): Promise<void> {
    for (let asked = 1; ; asked += 1) {
      try {
        return await this.#sendOnce(name, answer, sending);
      } catch (error) {
        if (!isCutOff(error) || asked === mostAsked) throw error;
      }
    }
  }

  async #sendOnce(name: string, answer: Json, { input, signal }: Sending): Promise<void> {
    const update = (id: string): Promise<unknown> =>
      uninterrupted(() =>
        this.#client.withAbortSignal(signal, () =>
          this.#handle().executeUpdate(name, { args: [input], updateId: id }),
        ),
      );
    const id = await this.#updateId(input.inputId, answer, signal);
    try {
      await update(id);
    } catch (error) {
      // The server answers so if a reset replayed this update and the run refused it.
      if (!hasGrpcStatus(error, grpcStatus.internal)) throw error;
      await update(randomUUID());
    }
  }

  /** Without a nonce the id is random: the run still takes the answer, or says why not. */
  async #updateId(inputId: string, answer: Json, signal: AbortSignal): Promise<string> {
    // Asks the worker even if this handle reads without one.
    const view = new RunView(this.#client, this.workflowId);
    for (let asked = 0; asked < mostAsked; asked += 1) {
      const reply = await view.nonceOf(inputId);
      signal.throwIfAborted();
      if (reply?.nonce !== undefined) return updateId(reply.nonce, answer);
      if (reply !== undefined) break;
    }
    return randomUUID();
  }

  async #requireWorker(signal: AbortSignal): Promise<void> {
    const { taskQueue } = await this.#view.describe();
    await requireWorker(this.#client, { taskQueue, workflowId: this.workflowId, signal });
  }

  #notWaiting(status: RunState['status']): LonghaulError {
    const code = hasEnded(status) ? 'RunClosed' : 'NotWaiting';
    return new LonghaulError(
      code,
      `run '${this.workflowId}' is not waiting for an answer: it is ${status}`,
    );
  }

  async #cancelled(failure: LonghaulError): Promise<LonghaulError> {
    const { reason } = memoOf(await this.#view.describe());
    const details = reason === undefined ? {} : { reason };
    return cancelled(reason ?? failure.message, { cause: failure, details });
  }

  #handle(): ReturnType<Client['workflow']['getHandle']> {
    return this.#client.workflow.getHandle(this.workflowId);
  }
}

/**
 * The same answer gets the same id, so that the server runs a retry once. History shows the id in clear text. Because of the nonce nobody
 * can guess the answer from it.
 */
export function updateId(nonce: string, answer: Json): string {
  return createHash('sha256')
    .update(`${nonce}\n${canonicalJson(answer)}`)
    .digest('hex')
    .slice(0, 32);
}
