import type { Client } from '@temporalio/client';
import {
  checkAnswer,
  checkEdit,
  checkReason,
  checkResult,
  severalOpen,
} from '../../core/machine/answer';
import { readActor } from '../../core/people/actor';
import { knownId, sentSpec } from '../../core/run-start';
import { allMessages } from '../../core/transcript/fold-log';
import {
  type Actor,
  type AgentRunOutcome,
  type AgentRunResult,
  type AnsweredBy,
  type Cancelling,
  type KnownRunner,
  type LogEntry,
  type LonghaulError,
  type Message,
  type MigrateInput,
  type MigrateReply,
  type PendingInput,
  type RunnerWithSpec,
  type RunTypes,
  signalNames,
  type SteerReply,
  updateNames,
  type Usage,
} from '../../protocol';
import { defined, type Json, type JsonObject } from '../../base';
import type { StreamEvent } from '../../core/stream/events';
import { answeredByNames, AnswerSender, notWaiting } from '../write/answer-sender';
import { type AuditEntry, readAudit } from '../read/audit';
import { checkOptions } from '../server/check-options';
import { asLonghaulError, isNotFound, isUntaken } from '../server/failures';
import { type MigrateOptions, migrateRun } from '../write/migrate';
import { waitForOutcome } from '../read/outcome';
import { type ResetOptions, resetRun } from '../write/reset';
import type { ResetPlan } from '../timeline/reset-plan';
import { waitForResult } from '../read/result';
import { type RunEvent, RunView, type ViewOptions } from '../read/run-view';
import { type RunTree, TreeReader } from '../read/run-tree';
import { type SteerOptions, steerRun } from '../write/steer';
import { type FollowOptions, RunStreams, type StreamOptions } from '../stream/run-streams';
import { readTrace, type TraceOptions } from '../timeline/trace/read-trace';
import type { RunTrace } from '../timeline/trace/run-trace';
import type { Why } from '../why/explain';
import { reportOn, type RunReport, whyOf } from '../why/report';

/** `by` is the actor of `connect` if it is left out. */
export type ResumeOptions = AnsweredBy & { readonly inputId?: string };
export type ApproveOptions = AnsweredBy & { readonly args?: JsonObject };

/**
 * `missing` is the number of people who must still approve. With 0 the call runs. If `asksAnew` is true, the run asks again, about the
 * changed call: read `pending()` again.
 */
export type ApproveReply = { readonly missing: number; readonly asksAnew?: true };

type HandleOptions = ViewOptions & {
  readonly warning?: LonghaulError;
  /** The streams of the client. Handles with the same streams read a run once. */
  readonly streams?: RunStreams | undefined;
};

/** One run, by its workflow id. Always addresses the run's newest execution. */
export class RunHandle<Types extends RunTypes = RunTypes> {
  readonly workflowId: string;
  /** Set by `start` if no worker polled the task queue: the run waits for one. The client asks every five seconds at most. */
  readonly warning: LonghaulError | undefined;
  readonly #client: Client;
  readonly #options: HandleOptions;
  readonly #view: RunView;
  readonly #answers: AnswerSender;
  readonly #streams: RunStreams;

  constructor(client: Client, workflowId: string, options: HandleOptions = {}) {
    this.workflowId = workflowId;
    this.warning = options.warning;
    this.#client = client;
    this.#options = options;
    this.#view = new RunView(client, workflowId, options);
    this.#answers = new AnswerSender(client, workflowId, options);
    this.#streams = options.streams ?? new RunStreams(client);
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
    return outcome;
  }

  /** Waits for the end, through all pauses. Throws like `outcome`, but waits for a worker without a limit. */
  async result(): Promise<AgentRunResult<Types>> {
    await this.#options.started?.();
    const result: unknown = await this.#result();
    return result as AgentRunResult<Types>;
  }

  async #result(): Promise<AgentRunResult> {
    return await waitForResult({
      client: this.#client,
      workflowId: this.workflowId,
      describe: () => this.#view.describe(),
    });
  }

  /**
   * The run's current state, the calls that it retries, what it waits for, and how it ended. Without a worker it comes from the memo:
   * `turn`, `iterations` and `usage` are then unknown.
   */
  async state(): Promise<RunReport> {
    try {
      return await reportOn(this.#client, this.#view);
    } catch (error) {
      throw asLonghaulError(error);
    }
  }

  /**
   * Why the run does not move, in two sentences: what it waits for or retries, and what to do about it. Needs no worker. Throws
   * `RunNotFound`.
   *
   * @example
   * const { reason, todo } = await run.why();
   */
  async why(): Promise<Why> {
    try {
      return await whyOf(this.#client, this.#view);
    } catch (error) {
      throw asLonghaulError(error);
    }
  }

  async pending(): Promise<readonly PendingInput[]> {
    return (await this.#view.state()).pending;
  }

  async usage(): Promise<Usage> {
    return (await this.#view.state()).usage;
  }

  /**
   * The run and all its child runs, at any depth, each with its state, usage and open inputs. Asks each run. Without a worker the states
   * come from memos, which have no counters.
   */
  async tree(): Promise<RunTree> {
    return await new TreeReader(this.#client, this.#options).read(this.workflowId);
  }

  /**
   * The conversation so far, as messages, with what later prompts leave out. Open tool calls have a placeholder result. Without a worker,
   * the conversation comes from the history of the newest execution. That history lacks the run's own decisions and people's answers.
   */
  async transcript(): Promise<Message[]> {
    return allMessages(await this.#view.entries());
  }

  /** The raw log entries from index `from` on. Without a worker: only those in history, as for `transcript`. */
  async log(options: { from?: number } = {}): Promise<LogEntry[]> {
    checkOptions('log', options, { from: true });
    return await this.#view.entries(options.from);
  }

  /**
   * Who decided what: starts, verdicts, messages and cancellations of this run and the runs below it, the oldest first. An entry of kind
   * `gap` stands for what it could not read: without a worker, that is every verdict. Verdicts that a reset undid are not in the list.
   */
  async audit(): Promise<readonly AuditEntry[]> {
    await this.#options.started?.();
    return await readAudit(this.#client, this.workflowId, this.#options);
  }

  /**
   * What the run and the runs below it did, when, and at what cost: model calls, tools, pauses, sub-agents. Reads only histories, so it
   * needs no worker. `gaps` lists what it could not read. A run has `cut` if a limit ended the reading of its history. A history holds no
   * times and costs of failed attempts that were tried again.
   */
  async trace(options: TraceOptions = {}): Promise<RunTrace> {
    checkOptions('trace', options, { runs: true, events: true });
    await this.#options.started?.();
    return await readTrace(this.#client, this.workflowId, options);
  }

  /**
   * The run's log entries as they happen, from index `from` on. Ends with the run. To continue, pass the last `index + 1` as `from`. Throws
   * like `state` if it cannot begin. Later it waits while no worker or no server answers. Throws `StreamCut` if somebody resets the run.
   */
  events(options: { from?: number; signal?: AbortSignal } = {}): AsyncIterable<RunEvent> {
    checkOptions('events', options, { from: true, signal: true });
    const { from, signal } = options;
    return entriesOf(this.#view, this.follow(defined({ log: from, signal })));
  }

  /**
   * What the run does, as it happens: text and calls while the model writes them, results, open inputs, and its end. Text streams if `connect`
   * and the workers share `deltas`; else each turn comes whole. To go on after a break, pass the `position` of the last event as `from`.
   * Asks the run only, so its history does not grow. Throws like `state`, and `StreamCut` if somebody resets the run.
   *
   * @example
   * for await (const event of run.stream()) {
   *   if (event.type === 'text') process.stdout.write(event.delta);
   * }
   */
  stream(options: StreamOptions = {}): AsyncIterable<StreamEvent> {
    return startedFirst(this.#options.started, this.#streams.open(this.workflowId, options));
  }

  /** `stream` and `events` in one: an entry comes after the events that it completes. */
  follow(options: FollowOptions = {}): AsyncIterable<StreamEvent | RunEvent> {
    checkOptions('follow', options, { tree: true, log: true, signal: true });
    return startedFirst(this.#options.started, this.#streams.follow(this.workflowId, options));
  }

  /**
   * Answers an open question. `inputId` may be left out if only one input is open; else it throws `AmbiguousInput`. Sending the same
   * answer again is accepted; a different one throws `AlreadyAnswered`. Also throws `InvalidAnswer`, `NotWaiting`, `RunClosed`, `NoWorker`.
   */
  async resume(answer: Json, options: ResumeOptions = {}): Promise<void> {
    checkOptions('resume', options, { inputId: true, ...answeredByNames });
    checkAnswer(answer);
    const inputId = options.inputId ?? (await this.#onlyPending());
    const input = { answer, inputId };
    await this.#answers.send({ name: updateNames.resume, said: answer, input }, options);
  }

  /**
   * Lets a waiting tool call run. `args` replaces its arguments. Returns whether the call runs. Throws `NotPermitted` if this actor may not
   * approve it, and `InputChanged` if `seen` is not the digest of the open input.
   *
   * @example
   * const { inputId, digest: seen } = item;
   * await run.approve(inputId, { by: { id: 'ada', roles: ['finance'] }, seen, note: 'as the contract says' });
   */
  async approve(inputId: string, options: ApproveOptions = {}): Promise<ApproveReply> {
    checkOptions('approve', options, { args: true, ...answeredByNames });
    const { args } = options;
    if (args !== undefined) checkEdit(args);
    const said = ['approve', args ?? null];
    const input = { inputId, ...defined({ args }) };
    const { missing = 0, asksAnew } = await this.#answers.send(
      { name: updateNames.approve, said, input },
      options,
    );
    return { missing, ...(asksAnew && { asksAnew }) };
  }

  /** Refuses a waiting tool call. The model gets the reason. One rejection is enough, even if others have approved. */
  async reject(inputId: string, reason: string, options: AnsweredBy = {}): Promise<void> {
    checkOptions('reject', options, answeredByNames);
    checkReason(reason);
    const said = ['reject', reason];
    const input = { inputId, reason };
    await this.#answers.send({ name: updateNames.reject, said, input }, options);
  }

  /**
   * Gives the result of a tool call that waits for one: any JSON. Sending the same result again is accepted; a different one throws
   * `AlreadyAnswered`.
   */
  async complete(inputId: string, value: Json, options: AnsweredBy = {}): Promise<void> {
    checkOptions('complete', options, answeredByNames);
    checkResult(value);
    const said = ['complete', value];
    const input = { inputId, value };
    await this.#answers.send({ name: updateNames.complete, said, input }, options);
  }

  /** Reports that a tool call that waits for a result failed elsewhere. The model gets the reason. */
  async fail(inputId: string, reason: string, options: AnsweredBy = {}): Promise<void> {
    checkOptions('fail', options, answeredByNames);
    checkReason(reason);
    const said = ['fail', reason];
    const input = { inputId, reason };
    await this.#answers.send({ name: updateNames.fail, said, input }, options);
  }

  /**
   * Sends a message to the agent while it works. The model gets the text before its next call, and after the results of running tools. A
   * run that would end takes one more turn. A message never answers an open question. Throws `RunClosed` if the run has ended, `RunFull` if
   * too many messages wait, and `InvalidInput` for an orchestration: name an agent below it with `path`.
   *
   * @example
   * await run.send('Use the staging account.', { when: 'now' });
   */
  async send(text: string, options: SteerOptions = {}): Promise<SteerReply> {
    await this.#options.started?.();
    const { by = this.#options.actor, ...rest } = options;
    const said = { text, options: { ...rest, ...defined({ by }) } };
    return await steerRun(this.#client, this.workflowId, said);
  }

  /** Cancels the run and everything it is doing. Provider calls are aborted. A run that has ended does not change. */
  async cancel(
    reason = 'cancelled by the caller',
    options: { readonly by?: Actor } = {},
  ): Promise<void> {
    checkOptions('cancel', options, { by: true });
    const { by = this.#options.actor } = options;
    const cancelling: Cancelling = { reason, ...(by && { by: readActor(by) }) };
    await this.#options.started?.();
    try {
      await this.#handle().signal(signalNames.cancelRun, cancelling);
      await this.#handle().cancel();
    } catch (error) {
      if (!isNotFound(error)) throw asLonghaulError(error);
      await this.#view.describe();
    }
  }

  /**
   * Takes the run back to before a turn or step. The run may have ended. `confirm` gets the plan and may refuse it. The run first ends its
   * open calls and child runs, so that no call runs twice at once. Repeated calls have the same idempotency keys as before. Questions asked
   * since then are asked again. Returns the plan, or undefined if `confirm` refused. Throws `InvalidInput` if the run has no such turn or
   * step. Throws `RunClosed` for a child run if its caller already has its result.
   *
   * @example
   * await run.reset({ to: 3, confirm: ({ calls }) => calls.every(({ effect }) => effect !== 'once') });
   */
  async reset(options: ResetOptions): Promise<ResetPlan | undefined> {
    checkOptions('reset', options, { to: true, confirm: true, reason: true });
    return await resetRun(this.#client, this.workflowId, options);
  }

  /**
   * Moves the waiting run of an agent to the definition that the workers have now, if its open calls fit that definition. `to` must be the
   * id of the run's own agent. Open inputs keep their ids. Throws `MigrationRefused` with the reason; then nothing has changed.
   *
   * @example
   * const { from, to } = await run.migrate('refunds', { note: 'the amount is in cents now' });
   */
  async migrate(to: KnownRunner, options: MigrateOptions = {}): Promise<MigrateReply> {
    return await this.#migrate(knownId(to, 'migrate'), options);
  }

  /** Like `migrate`, but to a spec that travels with the request. Only workers with `inlineSpecs` take it. */
  async migrateSpec(spec: RunnerWithSpec, options: MigrateOptions = {}): Promise<MigrateReply> {
    return await this.#migrate(sentSpec(spec, 'migrate'), options);
  }

  async #migrate(runner: MigrateInput['runner'], options: MigrateOptions): Promise<MigrateReply> {
    const { actor: by } = this.#options;
    const run = { workflowId: this.workflowId, answers: this.#answers };
    return await migrateRun(this.#client, run, {
      runner,
      options: { ...defined({ by }), ...options },
    });
  }

  async #onlyPending(): Promise<string> {
    const { status, pending } = await this.#view.open();
    const [first, ...others] = pending;
    if (first === undefined) throw notWaiting(this.workflowId, status);
    if (others.length === 0) return first.inputId;
    throw severalOpen(pending);
  }

  #handle(): ReturnType<Client['workflow']['getHandle']> {
    return this.#client.workflow.getHandle(this.workflowId);
  }
}

/** Throws if it cannot begin. A stream would wait, and tell that it does. */
async function* entriesOf(
  view: RunView,
  told: AsyncIterable<StreamEvent | RunEvent>,
): AsyncGenerator<RunEvent, void, void> {
  await view.describe();
  for await (const event of told) if ('entry' in event) yield event;
}

/** A queued turn has no run yet. */
async function* startedFirst<Event>(
  started: ViewOptions['started'],
  events: AsyncIterable<Event>,
): AsyncGenerator<Event, void, void> {
  await started?.();
  yield* events;
}
