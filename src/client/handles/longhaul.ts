import { randomBytes } from 'node:crypto';
import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { codeMarkdown, plainLine, plainMarkdown } from '../../core/transcript/markdown';
import { keyHashes } from '../../core/key-hashes';
import { readActor } from '../../core/people/actor';
import { checkApplication, checkRunInput } from '../../core/run-input';
import {
  checkWorkflowId,
  knownId,
  sentSpec,
  startMemo,
  toRunInput,
  workflowTypeOf,
} from '../../core/run-start';
import { withApplication } from '../../core/stored-key';
import { clipText, type Json, oneLine } from '../../base';
import {
  type Actor,
  type BudgetSpec,
  type KnownRunner,
  limits,
  LonghaulError,
  type RunInput,
  type RunKey,
  type RunnerWithSpec,
  type RunTypes,
  type Stored,
  timeouts,
  type TypeOf,
} from '../../protocol';
import type { Deltas, StoredContent } from '../../stores/index';
import { checkOptions } from '../server/check-options';
import { type ClientToolOptions, sentTools } from '../write/client-tools';
import { asLonghaulError } from '../server/failures';
import { listInbox, type InboxFilter, type InboxItem } from '../read/inbox';
import { findOrphans, type OrphanRun } from '../server/orphans';
import { completeByToken, failByToken } from '../write/result-token';
import { RunHandle } from './run-handle';
import type { ReadOptions } from '../read/run-view';
import {
  listRuns,
  listThreads,
  type RunsFilter,
  type RunSummary,
  type ThreadsFilter,
  type ThreadSummary,
} from '../read/lists';
import { SearchIndex, type WhoseFilter } from '../server/executions';
import { RunStreams } from '../stream/run-streams';
import { ThreadHandle } from './thread-handle';
import { threadInput, type ThreadOptions } from '../write/thread-input';
import { type ClientResults, readContent, sentInput } from '../server/upload';
import { lookForWorker, noWorker } from '../server/workers';

export type StartOptions<Types extends RunTypes = RunTypes> = {
  /** Temporal's workflow id. Default: `<runner id>-<12 characters>`. The id of an open or completed run throws `RunAlreadyExists`. */
  readonly workflowId?: string;
  /** A JSON object that the run starts with. Tools and callbacks see the keys that they declare. */
  readonly session?: TypeOf<Types, 'session'>;
  /** The owner of the run. Lists and the inbox filter by it. */
  readonly key?: RunKey;
  readonly budget?: BudgetSpec;
  /** JSON for tools only, never shown to the model. At most 16 KiB. */
  readonly context?: TypeOf<Types, 'context'>;
  /** Tools that only this run has, at most 16. This client gives their results. Only for an agent. */
  readonly clientTools?: readonly ClientToolOptions[];
  /** Who asks for the run. Default: the actor of `connect`. */
  readonly by?: Actor;
};

const startOptionNames = {
  workflowId: true,
  session: true,
  key: true,
  budget: true,
  context: true,
  clientTools: true,
  by: true,
} as const;

/** The options as the run gets them. */
function sentOptions({ clientTools, ...options }: Pick<StartOptions, 'clientTools'>): object {
  return clientTools === undefined ? options : { ...options, clientTools: sentTools(clientTools) };
}

/** A client for one Temporal namespace and task queue. `connect` makes it. */
export class Longhaul {
  readonly client: Client;
  readonly taskQueue: string;
  /** The application of the runs that this client starts. Its workers run them. */
  readonly application: string;
  /** Streams of runs. All streams of one run share one reader. */
  readonly streams: RunStreams;
  readonly #index: SearchIndex;
  readonly #close: () => Promise<void>;
  readonly #hashIds: string | undefined;
  readonly #results: ClientResults | undefined;
  readonly #actor: Actor | undefined;
  #served: { readonly asked: ReturnType<typeof lookForWorker>; readonly until: number } | undefined;

  constructor(
    client: Client,
    options: {
      taskQueue: string;
      application?: string;
      hashIds?: string;
      results?: StoredContent;
      actor?: Actor;
      deltas?: Deltas;
      close?: () => Promise<void>;
    },
  ) {
    checkApplication(options.application);
    this.client = client;
    this.taskQueue = options.taskQueue;
    this.application = options.application ?? options.taskQueue;
    this.streams = new RunStreams(client, options.deltas);
    this.#index = new SearchIndex(client);
    this.#hashIds = options.hashIds;
    this.#actor = options.actor && readActor(options.actor);
    const { results: store } = options;
    this.#results = store && { namespace: client.options.namespace, store };
    this.#close = options.close ?? (() => Promise.resolve());
  }

  /**
   * Starts a run and returns at once. `runner` is the id of a runner that the workers know, or the runner itself; only its id is sent.
   * Throws `RunAlreadyExists`, `InvalidInput`, `PayloadTooLarge`, `ServerUnavailable`.
   */
  async start<Types extends RunTypes = RunTypes>(
    runner: KnownRunner<Types>,
    input: RunInput['input'],
    options: StartOptions<Types> = {},
  ): Promise<RunHandle<Types>> {
    checkOptions('start', options, startOptionNames);
    const runInput = toRunInput(knownId(runner), input, sentOptions(options));
    return await this.#start(workflowTypeOf(runner), runInput, options);
  }

  /**
   * Like `start`, but sends the whole spec, which may name any tool of the worker. The run fails with `InlineSpecRefused` unless the
   * worker's option `inlineSpecs` allows it. Never pass on a spec from a user.
   */
  async startSpec<Types extends RunTypes = RunTypes>(
    runner: RunnerWithSpec<Types>,
    input: RunInput['input'],
    options: StartOptions<Types> = {},
  ): Promise<RunHandle<Types>> {
    checkOptions('startSpec', options, startOptionNames);
    const runInput = toRunInput(sentSpec(runner), input, sentOptions(options));
    return await this.#start(workflowTypeOf(runInput.runner), runInput, options);
  }

  async #start<Types extends RunTypes>(
    type: string,
    given: RunInput,
    options: StartOptions<Types>,
  ): Promise<RunHandle<Types>> {
    const { input, upload } = sentInput(given.input, this.#results);
    const { by = this.#actor } = given;
    const runInput = { ...given, input, ...this.#own, ...(by && { by: readActor(by) }) };
    checkRunInput(runInput);
    const agent = typeof runInput.runner === 'string' ? runInput.runner : runInput.runner.id;
    const workflowId =
      options.workflowId ??
      `${agent}-${randomBytes(9).toString('base64url').replace(/[-_]/g, 'x')}`;
    checkWorkflowId(workflowId);
    await upload?.(workflowId);
    const shown = { agent, key: keyHashes(withApplication(runInput.key, this.application)) };
    const served = this.#lookForWorker();
    await this.#send(type, {
      ...this.#startOptions(agent, runInput, workflowId),
      memo: startMemo(shown),
      ...(await this.#index.attributes(shown)),
    });
    const { isServed, idle } = await served;
    return new RunHandle(this.client, workflowId, {
      actor: this.#actor,
      streams: this.streams,
      ...(!isServed && { warning: noWorker({ taskQueue: this.taskQueue, idle }, workflowId) }),
    });
  }

  /** The handle of an existing run, also one that another process started. Does not ask the server. */
  run<Types extends RunTypes = RunTypes>(
    workflowId: string,
    options: ReadOptions = {},
  ): RunHandle<Types> {
    checkOptions('run', options, { withoutWorker: true });
    if (typeof workflowId !== 'string' || workflowId === '')
      throw new LonghaulError('InvalidInput', 'workflowId must be a text that is not empty');
    const { streams } = this;
    return new RunHandle(this.client, workflowId, { ...options, actor: this.#actor, streams });
  }

  /**
   * Gives the result of a tool call by its token, for example in a webhook: any JSON. The token names the run. Sending the same result
   * again is accepted; a different one throws `AlreadyAnswered`. Throws `TokenInvalid` if the token is wrong, or if its run has ended.
   *
   * @example
   * app.post('/done/:token', async (request) => longhaul.completeByToken(request.params.token, request.body));
   */
  async completeByToken(token: string, value: Json): Promise<void> {
    await completeByToken(this.client, token, value);
  }

  /** Like `completeByToken`, for work that failed. The model gets the reason. */
  async failByToken(token: string, reason: string): Promise<void> {
    await failByToken(this.client, token, reason);
  }

  /** Lists runs, the newest first. A new run shows up after about a second. Needs no worker. */
  runs(filter: RunsFilter = {}): AsyncGenerator<RunSummary, void, void> {
    return listRuns(this.#index, filter);
  }

  /**
   * Lists the open inputs of all runs and threads, including their child runs: the oldest first, among a thousand waiting runs at a time.
   * A new input shows up after about a second. Without `key` it lists everybody's. Asks a worker only if a run has more inputs than the
   * server keeps.
   *
   * @example
   * for await (const { workflowId, inputId, question } of longhaul.inbox({ key: { userId: 'ada' } })) {
   *   console.log(workflowId, inputId, question);
   * }
   */
  inbox(filter: InboxFilter = {}): AsyncGenerator<InboxItem, void, void> {
    return listInbox(this.#index, filter);
  }

  /**
   * Lists open runs that a workflow reset left behind: their caller is gone, or was reset to before the call. Nobody waits for them.
   * `run(workflowId).cancel()` ends one with its child runs.
   */
  async orphans(filter: WhoseFilter = {}): Promise<readonly OrphanRun[]> {
    try {
      return (await findOrphans(this.client, filter)).orphans;
    } catch (error) {
      throw asLonghaulError(error);
    }
  }

  /**
   * The handle of a conversation with an agent that remembers earlier turns. It need not exist yet: the first message starts it.
   *
   * @example
   * const thread = longhaul.thread({ agent: 'assistant', userId: 'ada', sessionId: 'chat-1' });
   * const turn = await thread.send('Hello');
   */
  thread<Types extends RunTypes = RunTypes>(options: ThreadOptions<Types>): ThreadHandle<Types> {
    const input = { ...threadInput(options, this.application), ...this.#own };
    const { taskQueue, streams } = this;
    const [hashIds, results, actor] = [this.#hashIds, this.#results, this.#actor];
    const shared = { index: this.#index, taskQueue, hashIds, results, actor, streams };
    return new ThreadHandle(shared, input);
  }

  /** Lists open threads, the newest first. A new thread shows up after about a second. Needs no worker. */
  threads(filter: ThreadsFilter = {}): AsyncGenerator<ThreadSummary, void, void> {
    return listThreads(this.#index, filter);
  }

  /**
   * Reads stored content: large results, media and parts of inputs, as transcripts and logs name them (`stored`, or a `source` of this
   * kind). `workflowId` is that of the run or thread. Needs `connect({ results })`. Throws `StoreError` if the content is gone.
   *
   * @example
   * const bytes = await longhaul.content(run.workflowId, part.source);
   */
  async content(workflowId: string, stored: Stored): Promise<Uint8Array> {
    return await readContent(this.client, { results: this.#results, workflowId, stored });
  }

  /** Whether a worker polls. Asks the server at most once in `timeouts.serverCheck` if one does. */
  async #lookForWorker(): ReturnType<typeof lookForWorker> {
    if (this.#served === undefined || Date.now() > this.#served.until) {
      const asked = lookForWorker(this.client, this).catch(() => ({ isServed: true, idle: [] }));
      this.#served = { asked, until: Date.now() + timeouts.serverCheck };
    }
    const { asked } = this.#served;
    if (!(await asked).isServed) this.#served = undefined;
    return await asked;
  }

  /** Ends all streams, and closes the connection if `connect` opened it. Does not end runs. */
  async close(): Promise<void> {
    this.streams.close();
    await this.#close();
  }

  /** The application, unless it is the task queue's name, which is the default. */
  get #own(): Pick<RunInput, 'application'> {
    return this.application === this.taskQueue ? {} : { application: this.application };
  }

  #startOptions(agent: string, input: RunInput, workflowId: string): WorkflowStartOptions {
    const text = typeof input.input === 'string' ? input.input : JSON.stringify(input.input);
    return {
      workflowId,
      taskQueue: this.taskQueue,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary: plainLine(`${agent}: ${text}`, limits.summary),
      staticDetails: clipText(
        `**Agent** ${codeMarkdown(agent)}\n\n**Input**\n\n> ${plainMarkdown(oneLine(text, limits.details / 2))}`,
        limits.details,
      ),
    };
  }

  async #send(type: string, options: WorkflowStartOptions): Promise<void> {
    const { workflowId } = options;
    try {
      await this.client.withDeadline(Date.now() + timeouts.serverCheck, () =>
        this.client.workflow.start(type, options),
      );
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) {
        const message = `run '${workflowId}' already exists. Get it with run('${workflowId}'), or start with another workflowId`;
        throw new LonghaulError('RunAlreadyExists', message, {
          cause: error,
          details: { workflowId },
        });
      }
      throw asLonghaulError(error);
    }
  }
}
