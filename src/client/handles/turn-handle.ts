import type { Client } from '@temporalio/client';
import {
  type Actor,
  LonghaulError,
  type RunTypes,
  type SendReply,
  type TurnView,
} from '../../protocol';
import { describeIfThere, patiently, pause } from '../server/calls';
import { cancelled } from '../server/failures';
import { RunHandle } from './run-handle';
import type { RunStreams } from '../stream/run-streams';
import type { ThreadView } from '../write/thread-calls';

const shortestPauseMs = 20;
const longestPauseMs = 500;

/**
 * One turn of a thread: the run that answers a message. While the turn is queued behind others, each method waits until its run has
 * started.
 */
export class TurnHandle<Types extends RunTypes = RunTypes> extends RunHandle<Types> {
  readonly messageId: string;
  /** Number of the turn in the thread, from 1. */
  readonly turn: number;
  readonly #start: TurnStart;

  constructor(
    client: Client,
    thread: ThreadView,
    {
      actor,
      streams,
      ...reply
    }: SendReply & { readonly actor?: Actor | undefined; readonly streams?: RunStreams },
  ) {
    const start = new TurnStart(client, thread, reply);
    super(client, reply.workflowId, { started: () => start.wait(), actor, streams });
    this.messageId = reply.messageId;
    this.turn = reply.turn;
    this.#start = start;
  }

  /** Resolves when the turn's run has started. Throws `RunCancelled` or `RunClosed` if it never will. */
  async started(): Promise<void> {
    await this.#start.wait();
  }
}

/** Waits for the run of a turn to start. */
class TurnStart {
  readonly #client: Client;
  readonly #thread: ThreadView;
  readonly #reply: SendReply;
  #started: Promise<void> | undefined;

  constructor(client: Client, thread: ThreadView, reply: SendReply) {
    this.#client = client;
    this.#thread = thread;
    this.#reply = reply;
  }

  /** Waits once for all callers; after a failure the next caller waits again. */
  async wait(): Promise<void> {
    this.#started ??= patiently(() => this.#waitForStart()).catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    await this.#started;
  }

  /** A turn behind another one waits for the end of that turn's run. */
  async #waitForStart(): Promise<void> {
    let pauseMs = shortestPauseMs;
    while (!(await this.#exists())) {
      const [view] = await this.#thread.turnsNow({ messageId: this.#reply.messageId });
      if (!(await this.#mayStart(view))) {
        if (await this.#exists()) return;
        throw this.#gone(view);
      }
      if (view?.behind !== undefined) await this.#ended(view.behind);
      await pause(pauseMs);
      pauseMs = Math.min(longestPauseMs, pauseMs * 1.5);
    }
  }

  /** A terminated thread still lists its queued turns, but they never start. */
  async #mayStart(view: TurnView | undefined): Promise<boolean> {
    if (view?.workflowId !== this.#reply.workflowId) return false;
    const isOpen = view.status === 'queued' || view.status === 'running';
    return isOpen && (await this.#thread.isOpen());
  }

  async #exists(): Promise<boolean> {
    return (await describeIfThere(this.#client, this.#reply)) !== undefined;
  }

  async #ended(workflowId: string): Promise<void> {
    await this.#client.workflow
      .getHandle(workflowId)
      .result()
      .catch(() => undefined);
  }

  /** The error for a turn without a run, which will never get one. */
  #gone(view: TurnView | undefined): LonghaulError {
    const { turn, messageId } = this.#reply;
    const name = `turn ${turn} ('${messageId}')`;
    if (view?.status === 'cancelled') {
      return cancelled(`${name} was cancelled before it started`);
    }
    const { code = 'InternalError', message } = view?.failure ?? {};
    if (message !== undefined)
      return new LonghaulError(code, `${name} could not start: ${message}`);
    return new LonghaulError('RunClosed', `the thread ended before ${name} started`);
  }
}
