import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { keyHashes } from '../core/key-hashes';
import { checkRunInput } from '../core/run-input';
import { startMemo } from '../core/run-start';
import { plainLine } from '../core/transcript/markdown';
import { LonghaulError } from '../protocol/errors';
import type { Json, JsonObject } from '../base/json';
import { limits } from '../protocol/limits';
import { threadMemoKey, updateNames } from '../protocol/names';
import type { PendingInput, RunInput, RunState } from '../protocol/run';
import type { BudgetSpec, RunTypes, TypeOf } from '../protocol/spec';
import type { SendInput, SendReply, ThreadInput, TurnView, WhenBusy } from '../protocol/thread';
import { checkOptions } from './check-options';
import { RunHandle } from './run-handle';
import { type ThreadUpdate, ThreadView, updateThread } from './thread-calls';
import { threadId } from './thread-input';
import { TurnHandle } from './turn-handle';

export type SendOptions<Types extends RunTypes = RunTypes> = {
  /** The same id again is the same message, however often it is sent: it is answered once. Random by default. */
  readonly messageId?: string;
  /**
   * While a turn is running: wait for it and what waits before (`queue`, default), fail with `ThreadBusy` (`reject`), or cancel it
   * (`interrupt`), which leaves nothing of it.
   */
  readonly whenBusy?: WhenBusy;
  /** For tools only; never shown to the model. At most 16 KiB of JSON. */
  readonly context?: TypeOf<Types, 'context'>;
  /** Of this turn. */
  readonly budget?: BudgetSpec;
};

/** One conversation: of an application, a user and a session. It needs not exist: the first message starts it. */
export class ThreadHandle<Types extends RunTypes = RunTypes> {
  readonly threadId: string;
  readonly key: ThreadInput['key'];
  readonly #client: Client;
  readonly #input: ThreadInput;
  readonly #taskQueue: string;
  readonly #view: ThreadView;
  readonly #run: RunHandle;

  constructor(
    client: Client,
    { taskQueue, hashIds }: { readonly taskQueue: string; readonly hashIds: string | undefined },
    input: ThreadInput,
  ) {
    this.threadId = threadId(input.key, hashIds);
    this.key = input.key;
    this.#client = client;
    this.#input = input;
    this.#taskQueue = taskQueue;
    this.#view = new ThreadView(client, this.threadId, taskQueue);
    this.#run = new RunHandle(client, this.threadId);
  }

  /**
   * Sends a message and returns its turn as soon as the thread has taken it. Throws `ThreadBusy`, `InvalidInput`, `PayloadTooLarge`,
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
    checkOptions('send', options, { messageId: true, whenBusy: true, context: true, budget: true });
    const { messageId = randomUUID(), whenBusy, context, budget } = options;
    const message: SendInput = {
      messageId,
      input,
      ...(whenBusy && { whenBusy }),
      ...(context && { context }),
      ...(budget && { budget }),
    };
    checkMessage(message);
    const updateId = `send:${createHash('sha256').update(messageId).digest('hex')}`;
    const reply = await this.#update<SendReply>(updateNames.send, updateId, [message]);
    return new TurnHandle(this.#client, this.#view, reply);
  }

  /** The turns, the oldest first: at most the newest 200. Empty before the first message. Throws `NoWorker` when none can tell. */
  async turns(options: { last?: number } = {}): Promise<readonly TurnView[]> {
    checkOptions('turns', options, { last: true });
    return await this.#view.turns(options);
  }

  /** The handle of a turn that was sent before, here or anywhere. */
  turn({ messageId, turn, workflowId }: SendReply): TurnHandle<Types> {
    return new TurnHandle(this.#client, this.#view, { messageId, turn, workflowId });
  }

  /** The session as the last turn left it. */
  async session(): Promise<TypeOf<Types, 'session'>> {
    return await this.#view.session();
  }

  /**
   * Forgets what was said before, in the thread and in its store, and the session. Turns that are running or waiting are still
   * answered, and leave nothing.
   */
  async clear(): Promise<void> {
    await this.#update(updateNames.clear, `clear:${randomUUID()}`, []);
  }

  /** What its turns wait for: answered here, or on the turn. */
  async pending(): Promise<readonly PendingInput[]> {
    return (await this.state()).pending;
  }

  /** As on a run: of whichever turn asks. */
  async resume(answer: Json, options: { inputId?: string } = {}): Promise<void> {
    await this.#run.resume(answer, options);
  }

  async approve(inputId: string, options: { args?: JsonObject } = {}): Promise<void> {
    await this.#run.approve(inputId, options);
  }

  async reject(inputId: string, reason: string): Promise<void> {
    await this.#run.reject(inputId, reason);
  }

  /** Where the thread stands; `turn` counts its turns. Throws `RunNotFound` before the first message. */
  async state(): Promise<RunState> {
    return await this.#run.state();
  }

  async #update<Reply>(
    name: ThreadUpdate['name'],
    updateId: string,
    args: readonly unknown[],
  ): Promise<Reply> {
    const { runner, key } = this.#input;
    const agent = typeof runner === 'string' ? runner : runner.id;
    return await updateThread<Reply>({
      client: this.#client,
      start: {
        workflowId: this.threadId,
        taskQueue: this.#taskQueue,
        args: [this.#input],
        memo: { ...startMemo({ agent, key: keyHashes(key) }), [threadMemoKey]: key },
        staticSummary: plainLine(
          `${agent}: thread ${key.sessionId} of ${key.userId}, ${key.appName}`,
          limits.summary,
        ),
      },
      name,
      updateId,
      args,
    });
  }
}

function checkMessage({ messageId, input, context, budget }: SendInput): void {
  if (typeof messageId !== 'string' || !/^[^\p{Cc}]{1,200}$/u.test(messageId)) {
    throw new LonghaulError(
      'InvalidInput',
      'messageId must be a text of 1 to 200 characters without control characters',
    );
  }
  checkRunInput({ runner: 'any', input, context, budget });
}
