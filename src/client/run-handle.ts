import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { checkAnswer, checkEdit, checkReason, severalOpen } from '../core/machine/answer';
import { foldLog } from '../core/transcript/fold-log';
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
} from './failures';
import { waitForOutcome } from './outcome';
import { patiently, uninterrupted } from './calls';
import { type ResetOptions, type ResetPlan, resetRun } from './reset';
import { followLog, hasEnded, memoOf, type ReadOptions, type RunEvent, RunView } from './run-view';
import { type RunTree, TreeReader } from './run-tree';
import { requireWorker } from './workers';

type GivenAnswer = (ResumeInput | ApproveInput | RejectInput) & { readonly inputId: string };

type Sending = { readonly input: GivenAnswer; readonly signal: AbortSignal };

/** How often a run is asked what the update id of an answer is made of, before it is answered without. */
const mostAsked = 3;

/** One run, by its workflow id. Always addresses the run's newest execution. */
export class RunHandle<Types extends RunTypes = RunTypes> {
  readonly workflowId: string;
  /** Set by `start` when no worker had polled the task queue: the run waits for one. */
  readonly warning: LonghaulError | undefined;
  readonly #client: Client;
  readonly #options: ReadOptions;
  readonly #view: RunView;

  constructor(
    client: Client,
    workflowId: string,
    options: ReadOptions & { warning?: LonghaulError } = {},
  ) {
    this.workflowId = workflowId;
    this.warning = options.warning;
    this.#client = client;
    this.#options = options;
    this.#view = new RunView(client, workflowId, options);
  }

  /**
   * Waits for the run to end or to ask something: at the first pause, and again at the next. Throws the run's own typed error when it
   * failed, `RunCancelled` when it was cancelled, `NoWorker` within 5 s when nothing polls its task queue. Waits on while the server
   * restarts or refuses it for its limits; throws `ServerUnavailable` after five minutes without a server.
   */
  async outcome(): Promise<AgentRunOutcome<Types>> {
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

  /** Waits for the end, through any number of pauses. Throws as `outcome` does, but waits for a worker as long as it takes. */
  async result(): Promise<AgentRunResult<Types>> {
    const result: unknown = await this.#result();
    return result as AgentRunResult<Types>;
  }

  async #result(): Promise<AgentRunResult> {
    try {
      return readable(await this.#newestResult());
    } catch (error) {
      if (isNotFound(error)) throw notFound(this.workflowId, error);
      const failure = runFailure(error);
      if (failure === undefined) throw asLonghaulError(error);
      throw failure.code === 'RunCancelled' ? await this.#cancelled(failure) : failure;
    }
  }

  /** A reset terminates the execution that is waited for, and the run goes on in another one. */
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

  /** Where the run stands. Without a worker it comes from the memo, which has no counters. */
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
   * The run with all it called, at any depth: where each stands, what it has used, what it asks. Each run is asked; what no worker
   * answers for comes from memos, which have no counters.
   */
  async tree(): Promise<RunTree> {
    return await new TreeReader(this.#client, this.#options).read(this.workflowId);
  }

  /**
   * The conversation so far; an open batch of tool calls is shown closed. Where no worker answers, it is what the history of the newest
   * execution tells: without what the run decided itself and what people answered.
   */
  async transcript(): Promise<Message[]> {
    return foldLog(await this.#view.entries());
  }

  /** The raw entries of the log from index `from` on; where no worker answers, those that history has, as `transcript`. */
  async log(options: { from?: number } = {}): Promise<LogEntry[]> {
    checkOptions('log', options, { from: true });
    return await this.#view.entries(options.from);
  }

  /** The run's steps as they happen, from log index `from` on; ends with the run. Resume with the last `index + 1`. */
  events(options: { from?: number; signal?: AbortSignal } = {}): AsyncIterable<RunEvent> {
    checkOptions('events', options, { from: true, signal: true });
    return followLog(this.#view, options);
  }

  /**
   * Answers an open question. With one open question `inputId` may be left out. An honest retry of the same answer is accepted again;
   * another answer is refused with `AlreadyAnswered`.
   */
  async resume(answer: Json, options: { inputId?: string } = {}): Promise<void> {
    checkOptions('resume', options, { inputId: true });
    checkAnswer(answer);
    const inputId = options.inputId ?? (await this.#onlyPending());
    await this.#update(updateNames.resume, answer, { answer, inputId });
  }

  /** Lets a waiting tool call run, with other arguments if they are given. */
  async approve(inputId: string, options: { args?: JsonObject } = {}): Promise<void> {
    checkOptions('approve', options, { args: true });
    const { args } = options;
    if (args !== undefined) checkEdit(args);
    await this.#update(updateNames.approve, ['approve', args ?? null], {
      inputId,
      ...(args && { args }),
    });
  }

  /** Refuses a waiting tool call; the model is told the reason. */
  async reject(inputId: string, reason: string): Promise<void> {
    checkReason(reason);
    await this.#update(updateNames.reject, ['reject', reason], { inputId, reason });
  }

  /** Cancels the run and what it is doing; provider calls are aborted. Of a run that has ended, nothing changes. */
  async cancel(reason = 'cancelled by the caller'): Promise<void> {
    try {
      await this.#handle().signal(signalNames.cancelRun, { reason });
      await this.#handle().cancel();
    } catch (error) {
      if (!isNotFound(error)) throw asLonghaulError(error);
      await this.#view.describe();
    }
  }

  /**
   * Takes the run back to before a turn or a step, also one that has ended. `confirm` is shown what would be undone. Then the run ends
   * what is under way, below it, too, and only then is it reset: no call is made twice at a time. Calls that are made again have the
   * idempotency keys they had; what was asked since is asked again. Resolves with what was undone; with nothing when `confirm` says no.
   * Throws `InvalidInput` where the run has no such turn or step, `RunClosed` for a run below another that has its result already.
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
    const watch = new AbortController();
    try {
      const sent = this.#send(name, answer, { input, signal: watch.signal });
      await Promise.race([sent, this.#rejectWithoutWorker(watch.signal)]);
    } catch (error) {
      if (isNotFound(error)) throw this.#notWaiting((await this.state()).status);
      if (isUntaken(error)) throw await this.#view.unanswerable(error);
      throw asLonghaulError(error);
    } finally {
      watch.abort();
    }
  }

  /** An execution that a reset or continue-as-new closed answers nothing: the next one is asked, and knows an answer it has taken. */
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
      // How the server answers for an update that a reset made it give again, and that the run refused then.
      if (!hasGrpcStatus(error, grpcStatus.internal)) throw error;
      await update(randomUUID());
    }
  }

  /** What the run never asked, or forgot, it refuses under any id; one that does not tell takes an answer all the same, or says why not. */
  async #updateId(inputId: string, answer: Json, signal: AbortSignal): Promise<string> {
    const view = new RunView(this.#client, this.workflowId);
    for (let asked = 0; asked < mostAsked; asked += 1) {
      const reply = await view.nonceOf(inputId);
      signal.throwIfAborted();
      if (reply?.nonce !== undefined) return updateId(reply.nonce, answer);
      if (reply !== undefined) break;
    }
    return randomUUID();
  }

  /** Never resolves: rejects when the update has no worker to go to. */
  async #rejectWithoutWorker(signal: AbortSignal): Promise<never> {
    const { taskQueue } = await this.#view.describe();
    await requireWorker(this.#client, { taskQueue, workflowId: this.workflowId, signal });
    return await new Promise<never>(() => undefined);
  }

  #notWaiting(status: RunState['status']): LonghaulError {
    if (hasEnded(status))
      return new LonghaulError(
        'RunClosed',
        `run '${this.workflowId}' is not waiting: it is ${status}`,
      );
    return new LonghaulError(
      'NotWaiting',
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

function notFound(workflowId: string, cause?: unknown): LonghaulError {
  return new LonghaulError('RunNotFound', `there is no run '${workflowId}'`, { cause });
}

/**
 * The same for an honest retry of an answer, another for another answer: the server runs each once. It stands in clear in history; the
 * nonce does not.
 */
export function updateId(nonce: string, answer: Json): string {
  return createHash('sha256')
    .update(`${nonce}\n${canonicalJson(answer)}`)
    .digest('hex')
    .slice(0, 32);
}
