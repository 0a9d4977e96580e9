// Sends answers of people, and results of deferred calls, to one run.
//
// 1. The same answer of the same actor has the same update id, so that the server and the run take a retry once. Two people who approve have
//    two ids, because each of them has a vote.
// 2. Without a worker it fails with `NoWorker` within 5 s.

import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { grpcStatus } from '../base/grpc-status';
import { canonicalJson, type Json } from '../base/json';
import { LonghaulError } from '../protocol/errors';
import type { updateNames } from '../protocol/names';
import type {
  ApproveInput,
  CompleteInput,
  FailInput,
  RejectInput,
  ResumeInput,
  ResumeReply,
  RunState,
} from '../protocol/run';
import { uninterrupted } from './calls';
import { asLonghaulError, hasGrpcStatus, isCutOff, isNotFound, isUntaken } from './failures';
import { hasEnded, RunView, type ViewOptions } from './run-view';
import { requireWorker, whileServed } from './workers';

type AnswerName = (typeof updateNames)['resume' | 'approve' | 'reject' | 'complete' | 'fail'];

type GivenAnswer = (ResumeInput | ApproveInput | RejectInput | CompleteInput | FailInput) & {
  readonly inputId: string;
};

/** `said`: what makes two answers the same. */
export type SentAnswer = {
  readonly name: AnswerName;
  readonly said: Json;
  readonly input: GivenAnswer;
};

/** How often the client asks for the nonce of an input before it answers without it. */
const mostAsked = 3;

export class AnswerSender {
  readonly #client: Client;
  readonly #workflowId: string;
  readonly #started: ViewOptions['started'];
  /** Asks the worker even if the run's handle reads without one. */
  readonly #view: RunView;

  constructor(client: Client, workflowId: string, { started }: Pick<ViewOptions, 'started'> = {}) {
    this.#client = client;
    this.#workflowId = workflowId;
    this.#started = started;
    this.#view = new RunView(client, workflowId);
  }

  async send(answer: SentAnswer): Promise<ResumeReply> {
    await this.#started?.();
    return await this.served(async (signal) => await this.#send(answer, signal));
  }

  /** Does the work while a worker polls. Says what its failure means. */
  async served<Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    try {
      return await whileServed((signal) => this.#requireWorker(signal), work);
    } catch (error) {
      if (isNotFound(error)) throw notWaiting(this.#workflowId, (await this.#view.state()).status);
      if (isUntaken(error)) throw await this.#view.unanswerable(error);
      throw asLonghaulError(error);
    }
  }

  /** A reset or continue-as-new may close the execution first. The next one then gets the answer; it knows answers already taken. */
  async #send(answer: SentAnswer, signal: AbortSignal): Promise<ResumeReply> {
    for (let asked = 1; ; asked += 1) {
      try {
        return await this.#sendOnce(answer, signal);
      } catch (error) {
        if (!isCutOff(error) || asked === mostAsked) throw error;
      }
    }
  }

  async #sendOnce({ name, said, input }: SentAnswer, signal: AbortSignal): Promise<ResumeReply> {
    const run = this.#client.workflow.getHandle(this.#workflowId);
    const update = (id: string): Promise<ResumeReply> =>
      uninterrupted(() =>
        this.#client.withAbortSignal(signal, () =>
          run.executeUpdate<ResumeReply, [GivenAnswer]>(name, { args: [input], updateId: id }),
        ),
      );
    const id = await this.#updateId(input, said, signal);
    try {
      return await update(id);
    } catch (error) {
      // The server answers so if a reset replayed this update and the run refused it.
      if (!hasGrpcStatus(error, grpcStatus.internal)) throw error;
      return await update(randomUUID());
    }
  }

  /** Without a nonce the id is random: the run still takes the answer, or says why not. */
  async #updateId({ inputId, by }: GivenAnswer, said: Json, signal: AbortSignal): Promise<string> {
    for (let asked = 0; asked < mostAsked; asked += 1) {
      const reply = await this.#view.nonceOf(inputId);
      signal.throwIfAborted();
      if (reply?.nonce !== undefined) return updateId(reply.nonce, said, by?.id);
      if (reply !== undefined) break;
    }
    return randomUUID();
  }

  async #requireWorker(signal: AbortSignal): Promise<void> {
    const { taskQueue } = await this.#view.describe();
    await requireWorker(this.#client, { taskQueue, workflowId: this.#workflowId, signal });
  }
}

export function notWaiting(workflowId: string, status: RunState['status']): LonghaulError {
  const code = hasEnded(status) ? 'RunClosed' : 'NotWaiting';
  return new LonghaulError(
    code,
    `run '${workflowId}' is not waiting for an answer: it is ${status}`,
  );
}

/**
 * The same answer of the same actor gets the same id, so that the server runs a retry once. History shows the id in clear text. Because of the nonce nobody
 * can guess the answer from it.
 */
export function updateId(nonce: string, answer: Json, by?: string): string {
  // Neither an actor's id nor JSON has a line break.
  const parts = [nonce, ...(by === undefined ? [] : [by]), canonicalJson(answer)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}
