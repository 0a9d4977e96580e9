import { createHash, randomUUID } from 'node:crypto';
import type { WorkflowStartOptions } from '@temporalio/client';
import { keyHashes } from '../../core/key-hashes';
import { readActor } from '../../core/people/actor';
import { checkRunInput } from '../../core/run-input';
import { startMemo } from '../../core/run-start';
import { plainLine } from '../../core/transcript/markdown';
import {
  type Actor,
  type AnsweredBy,
  type BudgetSpec,
  limits,
  LonghaulError,
  type PendingInput,
  type RunInput,
  type RunTypes,
  type SendInput,
  type SendReply,
  type ThreadInput,
  threadMemoKey,
  type TurnView,
  type TypeOf,
  updateNames,
  type WhenBusy,
} from '../../protocol';
import { defined, type Json } from '../../base';
import type { AuditEntry } from '../read/audit';
import { checkOptions } from '../server/check-options';
import { type ClientToolOptions, sentTools } from '../write/client-tools';
import type { SearchIndex } from '../server/executions';
import {
  type ApproveOptions,
  type ApproveReply,
  type ResumeOptions,
  RunHandle,
} from './run-handle';
import { type ThreadUpdate, ThreadView, updateThread } from '../write/thread-calls';
import { threadId } from '../write/thread-input';
import type { TraceOptions } from '../timeline/trace/read-trace';
import type { RunTrace } from '../timeline/trace/run-trace';
import type { RunStreams } from '../stream/run-streams';
import { TurnHandle } from './turn-handle';
import type { Why } from '../why/explain';
import type { RunReport } from '../why/report';
import { type ClientResults, sentInput } from '../server/upload';

export type SendOptions<Types extends RunTypes = RunTypes> = {
  /** Messages with the same id are one message and get one answer. 1 to 200 characters. Default: random. */
  readonly messageId?: string;
  /**
   * What to do while a turn runs. `queue` (default) waits for it and for the queue. `reject` throws `ThreadBusy`. `interrupt` cancels it,
   * and the thread forgets it. `steer` gives the text to that turn, and returns its handle. If the turn ends before its model got the
   * text, the text becomes a turn.
   */
  readonly whenBusy?: WhenBusy;
  /** JSON for tools only, never shown to the model. At most 16 KiB. */
  readonly context?: TypeOf<Types, 'context'>;
  /** Limits for this turn. */
  readonly budget?: BudgetSpec;
  /**
   * Tools that only this turn has, at most 16. This client gives their results. Only for an agent. A text that a running turn takes brings
   * none.
   */
  readonly clientTools?: readonly ClientToolOptions[];
  /** The sender. Default: the actor of `connect`. */
  readonly by?: Actor;
};

const sendOptionNames = {
  messageId: true,
  whenBusy: true,
  context: true,
  budget: true,
  clientTools: true,
  by: true,
} as const;

type ThreadPlace = {
  readonly index: SearchIndex;
  readonly taskQueue: string;
  readonly hashIds: string | undefined;
  readonly results: ClientResults | undefined;
  /** Who acts if a call has no `by`. */
  readonly actor: Actor | undefined;
  readonly streams: RunStreams;
};

/** One conversation, named by application, user and session. It need not exist yet: the first message starts it. */
export class ThreadHandle<Types extends RunTypes = RunTypes> {
  readonly threadId: string;
  readonly key: ThreadInput['key'];
  readonly #index: SearchIndex;
  readonly #input: ThreadInput;
  readonly #taskQueue: string;
  readonly #view: ThreadView;
  readonly #run: RunHandle;
  readonly #results: ClientResults | undefined;
  readonly #actor: Actor | undefined;
  readonly #streams: RunStreams;

  constructor(place: ThreadPlace, input: ThreadInput) {
    const { index, taskQueue, hashIds, results, actor, streams } = place;
    const { client } = index;
    this.threadId = threadId(input.key, hashIds);
    this.key = input.key;
    this.#index = index;
    this.#input = input;
    this.#taskQueue = taskQueue;
    this.#view = new ThreadView(client, this.threadId, taskQueue);
    this.#run = new RunHandle(client, this.threadId, { actor });
    this.#results = results;
    this.#actor = actor;
    this.#streams = streams;
  }

  /**
   * Sends a message and returns its turn when the thread has accepted it. Throws `ThreadBusy`, `InvalidInput`, `PayloadTooLarge`,
   * `AgentNotFound`, and within 5 s `NoWorker` or `ServerUnavailable`.
   *
   * @example
   * const turn = await longhaul.thread({ agent: 'assistant', sessionId: 'chat-1' }).send('Hello');
   * const outcome = await turn.outcome();
   */
  async send(
    input: RunInput['input'],
    options: SendOptions<Types> = {},
  ): Promise<TurnHandle<Types>> {
    checkOptions('send', options, sendOptionNames);
    const { messageId = randomUUID(), whenBusy, context, budget, by = this.#actor } = options;
    const { clientTools } = options;
    const sent = sentInput(input, this.#results);
    const message: SendInput = {
      messageId,
      input: sent.input,
      ...(whenBusy && { whenBusy }),
      ...(context && { context }),
      ...defined({ budget }),
      ...(by && { by: readActor(by) }),
      ...(clientTools && { clientTools: sentTools(clientTools) }),
    };
    checkMessage(message);
    const updateId = `send:${createHash('sha256').update(messageId).digest('hex')}`;
    const reply = await this.#update<SendReply>(updateNames.send, updateId, async () => {
      if (sent.upload === undefined) return [message];
      const erasures = await this.#view.erasures();
      await sent.upload(this.threadId);
      return [{ ...message, ...defined({ erasures }) }];
    });
    return this.turn(reply);
  }

  /** The newest `last` turns, at most 200, the oldest first. Empty before the first message. Throws `NoWorker` if no worker answers. */
  async turns(options: { last?: number } = {}): Promise<readonly TurnView[]> {
    checkOptions('turns', options, { last: true });
    return await this.#view.turns(options);
  }

  /** The handle of an earlier turn, also one that another process sent. */
  turn({ messageId, turn, workflowId }: SendReply): TurnHandle<Types> {
    const reply = { messageId, turn, workflowId };
    const [actor, streams] = [this.#actor, this.#streams];
    return new TurnHandle(this.#index.client, this.#view, { ...reply, actor, streams });
  }

  /** The session after the last turn. */
  async session(): Promise<TypeOf<Types, 'session'>> {
    return await this.#view.session();
  }

  /** Forgets all messages and the session, in the thread and in its store. Running and queued turns still get answers, which it forgets. */
  async clear(): Promise<void> {
    await this.#update(updateNames.clear, `clear:${randomUUID()}`, () => []);
  }

  /** The open inputs of its turns. Answer them here or on the turn. */
  async pending(): Promise<readonly PendingInput[]> {
    return await this.#run.pending();
  }

  /** Like `resume` of a run, for any turn that asks. */
  async resume(answer: Json, options: ResumeOptions = {}): Promise<void> {
    await this.#run.resume(answer, options);
  }

  async approve(inputId: string, options: ApproveOptions = {}): Promise<ApproveReply> {
    return await this.#run.approve(inputId, options);
  }

  async reject(inputId: string, reason: string, options: AnsweredBy = {}): Promise<void> {
    await this.#run.reject(inputId, reason, options);
  }

  async complete(inputId: string, value: Json, options: AnsweredBy = {}): Promise<void> {
    await this.#run.complete(inputId, value, options);
  }

  async fail(inputId: string, reason: string, options: AnsweredBy = {}): Promise<void> {
    await this.#run.fail(inputId, reason, options);
  }

  /** What all its turns did, when, and at what cost: see `trace` of a run. */
  async trace(options: TraceOptions = {}): Promise<RunTrace> {
    return await this.#run.trace(options);
  }

  /** The audit of all its turns: see `audit` of a run. */
  async audit(): Promise<readonly AuditEntry[]> {
    return await this.#run.audit();
  }

  /** The thread's current state; `turn` is the number of its turns. Throws `RunNotFound` before the first message. */
  async state(): Promise<RunReport> {
    return await this.#run.state();
  }

  /** Why its turn does not move, in two sentences, or that the thread waits for a message. See `why` of a run. */
  async why(): Promise<Why> {
    return await this.#run.why();
  }

  async #update<Reply>(
    name: ThreadUpdate['name'],
    updateId: string,
    args: ThreadUpdate['args'],
  ): Promise<Reply> {
    const { runner, key } = this.#input;
    const shown = {
      agent: typeof runner === 'string' ? runner : runner.id,
      key: keyHashes(key),
    };
    const start = { ...this.#startOptions(shown), ...(await this.#index.attributes(shown)) };
    return await updateThread<Reply>({ client: this.#index.client, start, name, updateId, args });
  }

  #startOptions(shown: {
    readonly agent: string;
    readonly key: readonly string[];
  }): WorkflowStartOptions {
    const { key } = this.#input;
    return {
      workflowId: this.threadId,
      taskQueue: this.#taskQueue,
      args: [this.#input],
      memo: { ...startMemo(shown), [threadMemoKey]: key },
      staticSummary: plainLine(
        `${shown.agent}: thread ${key.sessionId} of ${key.userId}, ${key.appName}`,
        limits.summary,
      ),
    };
  }
}

function checkMessage({ messageId, input, context, budget, clientTools }: SendInput): void {
  if (typeof messageId !== 'string' || !/^[^\p{Cc}]{1,200}$/u.test(messageId)) {
    throw new LonghaulError(
      'InvalidInput',
      'messageId must be a text of 1 to 200 characters without control characters',
    );
  }
  checkRunInput({ runner: 'any', input, context, budget, clientTools });
}
