import type { Client } from '@temporalio/client';
import { LonghaulError } from '../protocol/errors';
import type { Json, JsonObject } from '../base/json';
import { timeouts } from '../protocol/limits';
import type { LogEntry } from '../protocol/log';
import type { Message, Usage } from '../protocol/message';
import type { AgentRunOutcome, AgentRunResult, PendingInput, RunState } from '../protocol/run';
import type { RunTypes } from '../protocol/spec';
import type { SendReply, TurnView } from '../protocol/thread';
import { asLonghaulError, cancelled, isNotFound } from './failures';
import { patiently } from './calls';
import type { RunEvent } from './run-view';
import { RunHandle } from './run-handle';
import type { ThreadView } from './thread-calls';

const shortestPauseMs = 20;
const longestPauseMs = 500;

/**
 * One turn of a thread: the run that answers a message. It may be queued behind other turns: what is asked of it then waits until its
 * run has started.
 */
export class TurnHandle<Types extends RunTypes = RunTypes> extends RunHandle<Types> {
  readonly messageId: string;
  /** 1-based, over the whole thread. */
  readonly turn: number;
  readonly #client: Client;
  readonly #thread: ThreadView;
  #started: Promise<void> | undefined;

  constructor(client: Client, thread: ThreadView, reply: SendReply) {
    super(client, reply.workflowId);
    this.messageId = reply.messageId;
    this.turn = reply.turn;
    this.#client = client;
    this.#thread = thread;
  }

  /** Resolves when the turn's run has started; throws `RunCancelled` or `RunClosed` when it never will. */
  async started(): Promise<void> {
    this.#started ??= patiently(() => this.#waitForStart()).catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    await this.#started;
  }

  override async outcome(): Promise<AgentRunOutcome<Types>> {
    await this.started();
    return await super.outcome();
  }

  override async result(): Promise<AgentRunResult<Types>> {
    await this.started();
    return await super.result();
  }

  override async state(): Promise<RunState> {
    await this.started();
    return await super.state();
  }

  override async pending(): Promise<readonly PendingInput[]> {
    await this.started();
    return await super.pending();
  }

  override async usage(): Promise<Usage> {
    await this.started();
    return await super.usage();
  }

  override async transcript(): Promise<Message[]> {
    await this.started();
    return await super.transcript();
  }

  override async log(options: { from?: number } = {}): Promise<LogEntry[]> {
    await this.started();
    return await super.log(options);
  }

  override async *events(
    options: { from?: number; signal?: AbortSignal } = {},
  ): AsyncGenerator<RunEvent, void, void> {
    await this.started();
    yield* super.events(options);
  }

  override async resume(answer: Json, options: { inputId?: string } = {}): Promise<void> {
    await this.started();
    await super.resume(answer, options);
  }

  override async approve(inputId: string, options: { args?: JsonObject } = {}): Promise<void> {
    await this.started();
    await super.approve(inputId, options);
  }

  override async reject(inputId: string, reason: string): Promise<void> {
    await this.started();
    await super.reject(inputId, reason);
  }

  override async cancel(reason?: string): Promise<void> {
    await this.started();
    await super.cancel(reason);
  }

  /** Behind another turn, by waiting for the end of that one's run. */
  async #waitForStart(): Promise<void> {
    let pauseMs = shortestPauseMs;
    while (!(await this.#exists())) {
      const [view] = await this.#thread.turnsNow({ messageId: this.messageId });
      if (!(await this.#mayStart(view))) {
        if (await this.#exists()) return;
        throw this.#gone(view);
      }
      if (view?.behind !== undefined) await this.#ended(view.behind);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
    }
  }

  /** A thread that was terminated still tells of what waited in it. */
  async #mayStart(view: TurnView | undefined): Promise<boolean> {
    if (view?.workflowId !== this.workflowId) return false;
    const isOpen = view.status === 'queued' || view.status === 'running';
    return isOpen && (await this.#thread.isOpen());
  }

  async #exists(): Promise<boolean> {
    try {
      const handle = this.#client.workflow.getHandle(this.workflowId);
      const deadline = Date.now() + timeouts.serverCheck;
      await this.#client.withDeadline(deadline, () => handle.describe());
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw asLonghaulError(error);
    }
  }

  async #ended(workflowId: string): Promise<void> {
    await this.#client.workflow
      .getHandle(workflowId)
      .result()
      .catch(() => undefined);
  }

  /** Why there is no run, and never will be. */
  #gone(view: TurnView | undefined): LonghaulError {
    const name = `turn ${this.turn} ('${this.messageId}')`;
    if (view?.status === 'cancelled') {
      return cancelled(`${name} was cancelled before it started`);
    }
    const { code = 'InternalError', message } = view?.failure ?? {};
    if (message !== undefined)
      return new LonghaulError(code, `${name} could not start: ${message}`);
    return new LonghaulError('RunClosed', `the thread ended before ${name} started`);
  }
}
