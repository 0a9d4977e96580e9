// Sends answers of people, and results of deferred calls, to one run.
//
// 1. The same answer of the same actor has the same update id, so that the server and the run take a retry once. Two people who approve
//    are two updates.
// 2. Without a worker it fails with `NoWorker` within 5 s.

import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { canonicalJson, defined, grpcStatus, type Json } from '../../base';
import { checkNote } from '../../core/machine/answer';
import { readActor } from '../../core/people/actor';
import { checkRight } from '../../core/people/rights';
import {
  type Actor,
  type AnsweredBy,
  type ApproveInput,
  type CompleteInput,
  type FailInput,
  hasEnded,
  LonghaulError,
  type RejectInput,
  type ResumeInput,
  type ResumeReply,
  type RunState,
  type updateNames,
} from '../../protocol';
import { placeOf } from '../../server';
import { overExecutions, pause, uninterrupted } from '../server/calls';
import {
  asLonghaulError,
  hasGrpcStatus,
  isNotFound,
  isUntaken,
  updateRefusal,
} from '../server/failures';
import { readTaskFailure } from '../timeline/history';
import { RunView, type ViewOptions } from '../read/run-view';
import { requireWorker, whileServed } from '../server/workers';

type AnswerName = (typeof updateNames)['resume' | 'approve' | 'reject' | 'complete' | 'fail'];

type GivenAnswer = (ResumeInput | ApproveInput | RejectInput | CompleteInput | FailInput) & {
  readonly inputId: string;
};

/** Two answers with the same `said` are the same answer. */
export type SentAnswer = {
  readonly name: AnswerName;
  readonly said: Json;
  readonly input: GivenAnswer;
};

/** An answer with its actor. `said` is a text. */
type ReadyAnswer = Omit<SentAnswer, 'said'> & { readonly said: string };

/** The names of the options that every answer takes. */
export const answeredByNames = {
  by: true,
  note: true,
  seen: true,
  signature: true,
  may: true,
} as const;

/** How often the client asks for the nonce of an input before it answers without it. */
const mostAsked = 3;

/** Attempts at a task that may fail: in a rolling deploy, the worker of another version takes the next one. */
const mostFailed = 2;

const checkEveryMs = 1_000;

export class AnswerSender {
  readonly #client: Client;
  readonly #workflowId: string;
  readonly #started: ViewOptions['started'];
  readonly #actor: Actor | undefined;
  /** Asks the worker even if the run's handle reads without one. */
  readonly #view: RunView;

  /** `actor` answers if the answer has no `by`. */
  constructor(
    client: Client,
    workflowId: string,
    { started, actor }: Pick<ViewOptions, 'started' | 'actor'> = {},
  ) {
    this.#client = client;
    this.#workflowId = workflowId;
    this.#started = started;
    this.#actor = actor;
    this.#view = new RunView(client, workflowId);
  }

  async send({ name, said, input }: SentAnswer, options: AnsweredBy = {}): Promise<ResumeReply> {
    const besides = this.#besides(options);
    const texts = [said, ...(Object.keys(besides).length === 0 ? [] : [besides])];
    const { may } = options;
    const answer = {
      name,
      said: texts.map(canonicalJson).join('\n'),
      input: { ...input, ...besides, ...defined({ may }) },
    };
    await this.#started?.();
    return await this.served((signal) =>
      overExecutions(mostAsked, () => this.#sendOnce(answer, signal)),
    );
  }

  /** The options that are part of the answer. `may` is not: the same answer with other rights is the same answer. */
  #besides({ by = this.#actor, note, seen, signature }: AnsweredBy): AnsweredBy {
    if (note !== undefined) checkNote(note);
    return defined({ by: by && readActor(by), note, seen, signature });
  }

  /** Does the work while a worker polls, and turns a failure into an error with a code. */
  async served<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    try {
      return await whileServed(
        (signal, since) => this.#requireWorker(signal, since),
        (signal) => Promise.race([work(signal), this.#failedReplay(signal)]),
      );
    } catch (error) {
      if (isNotFound(error)) throw notWaiting(this.#workflowId, (await this.#view.state()).status);
      if (isUntaken(error)) throw await this.#view.unanswerable(error);
      throw asLonghaulError(error);
    }
  }

  async #sendOnce({ name, said, input }: ReadyAnswer, signal: AbortSignal): Promise<ResumeReply> {
    const run = this.#client.workflow.getHandle(this.#workflowId);
    const update = (id: string): Promise<ResumeReply> =>
      uninterrupted(() =>
        this.#client.withAbortSignal(signal, () =>
          run.executeUpdate<ResumeReply, [GivenAnswer]>(name, { args: [input], updateId: id }),
        ),
      );
    const id = await this.#updateId(input.inputId, said, signal);
    try {
      return await update(id);
    } catch (error) {
      if (knowsNoRights(error) && input.may !== undefined)
        return await this.#sendOnce({ name, said, input: await this.#withinRights(input) }, signal);
      // The server answers with this code if a reset replayed this update and the run refused it.
      if (!hasGrpcStatus(error, grpcStatus.internal)) throw error;
      return await update(randomUUID());
    }
  }

  /**
   * For a run on a worker of 0.2, which cannot check the rights. An input does not change, so the client can check it before it sends the
   * answer.
   */
  async #withinRights({ may, ...answer }: GivenAnswer): Promise<GivenAnswer> {
    const { status, pending } = await this.#view.state();
    const input = pending.find(({ inputId }) => inputId === answer.inputId);
    if (input === undefined) throw notWaiting(this.#workflowId, status);
    checkRight(input, { ...answer, ...defined({ may }) });
    return answer;
  }

  /** Without a nonce the id is random. The run still takes the answer, or refuses it with a reason. */
  async #updateId(inputId: string, said: string, signal: AbortSignal): Promise<string> {
    for (let asked = 0; asked < mostAsked; asked += 1) {
      const reply = await this.#view.nonceOf(inputId);
      signal.throwIfAborted();
      if (reply?.nonce !== undefined) return updateId(reply.nonce, said);
      if (reply !== undefined) break;
    }
    return randomUUID();
  }

  async #requireWorker(signal: AbortSignal, since?: Date): Promise<Date | undefined> {
    const place = placeOf(await this.#view.describe());
    const sought = { ...place, workflowId: this.#workflowId, signal, since };
    return await requireWorker(this.#client, sought);
  }

  /** Rejects if no worker can replay the run: the server refuses the answer only after half a minute. */
  async #failedReplay(signal: AbortSignal): Promise<never> {
    while (await pause(checkEveryMs, signal)) {
      const { raw } = await this.#view.describe();
      const attempt = raw.pendingWorkflowTask?.attempt ?? 1;
      if (attempt <= mostFailed) continue;
      const failure = await readTaskFailure(this.#client, this.#workflowId);
      if (failure?.cause === 'nondeterminism')
        throw await this.#view.unanswerable(new Error(failure.message));
    }
    return await new Promise<never>(() => undefined);
  }
}

/** The worker is of a version that refuses `may` as a member that it does not know. */
function knowsNoRights(error: unknown): boolean {
  const refusal = updateRefusal(error);
  return refusal?.code === 'InvalidAnswer' && refusal.message.startsWith("'may' is not a member");
}

export function notWaiting(workflowId: string, status: RunState['status']): LonghaulError {
  const code = hasEnded(status) ? 'RunClosed' : 'NotWaiting';
  return new LonghaulError(
    code,
    `run '${workflowId}' is not waiting for an answer: it is ${status}`,
  );
}

/**
 * The same answer gets the same id, so that the server runs a retry once. History shows the id in clear text. Because of the nonce nobody
 * can guess the answer from it.
 */
export function updateId(nonce: string, answer: string): string {
  return createHash('sha256').update(`${nonce}\n${answer}`).digest('hex').slice(0, 32);
}
