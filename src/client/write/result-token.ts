// Sends the result of a deferred call for a caller that has only the call's token, such as a webhook.
//
// 1. Every wrong token gets the same error, which reveals nothing about runs. Only a caller with the right token gets the run's error about
//    a result.
// 2. A token names its run. The client asks that workflow before it sends anything, so that no token can reach another one.
// 3. The same result by another token of its call is the same answer, with the same update id. So the server may refuse a right token
//    together with a wrong one that came at the same time. A refused result goes once more, with an id that has the proof. It may have
//    been taken by that id, too.

import type { Client } from '@temporalio/client';
import type { Json } from '../../base';
import { proofOf, tokenPrefix } from '../../core/people/result-token';
import { checkReason, checkResult } from '../../core/machine/answer';
import {
  type ErrorCode,
  hasCode,
  limits,
  LonghaulError,
  timeouts,
  updateNames,
} from '../../protocol';
import { AnswerSender, type SentAnswer } from './answer-sender';
import { pause } from '../server/calls';
import { RunView } from '../read/run-view';

/** The sender of the result may be faster than the run, which still waits for the code that passed the token on. */
const askEveryMs = 100;

/** These errors reveal something about the run, so a caller with a wrong token does not get them. */
const hidden: ReadonlySet<ErrorCode> = new Set(['RunNotFound', 'RunClosed', 'TokenInvalid']);

export async function completeByToken(client: Client, token: string, value: Json): Promise<void> {
  checkResult(value);
  await giveByToken(client, token, (shown) => ({
    name: updateNames.complete,
    said: ['complete', value],
    input: { ...shown, value },
  }));
}

export async function failByToken(client: Client, token: string, reason: string): Promise<void> {
  checkReason(reason);
  await giveByToken(client, token, (shown) => ({
    name: updateNames.fail,
    said: ['fail', reason],
    input: { ...shown, reason },
  }));
}

async function giveByToken(
  client: Client,
  token: string,
  answer: (shown: { readonly inputId: string; readonly proof: string }) => SentAnswer,
): Promise<void> {
  const { workflowId, inputId } = readToken(token);
  const sender = new AnswerSender(client, workflowId);
  try {
    await sender.served((signal) => untilOpen(new RunView(client, workflowId), inputId, signal));
    const proof = proofOf(token);
    const given = answer({ inputId, proof });
    try {
      await sender.send(given);
    } catch (error) {
      if (!hasCode(error, 'TokenInvalid') && !hasCode(error, 'AlreadyAnswered')) throw error;
      await sender.send({ ...given, said: [given.said, proof] });
    }
  } catch (error) {
    throw LonghaulError.is(error) && hidden.has(error.code) ? tokenInvalid() : error;
  }
}

async function untilOpen(run: RunView, inputId: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + timeouts.serverCheck;
  for (;;) {
    const reply = await run.nonceOf(inputId);
    signal.throwIfAborted();
    if (reply?.nonce !== undefined) return;
    if (reply !== undefined && reply.isBeginning !== true) throw tokenInvalid();
    if (Date.now() > deadline) throw notBegun();
    await pause(askEveryMs, signal);
  }
}

/** The parts of a token. They prove nothing, because anybody may write such a text. */
function readToken(token: unknown): { readonly workflowId: string; readonly inputId: string } {
  if (typeof token !== 'string' || token.length > limits.resultToken) throw tokenInvalid();
  const [prefix, workflowId = '', inputId = '', secret = '', ...others] = token.split('.');
  const parts = [workflowId, inputId, secret];
  const isWhole = parts.every((part) => /^[\w-]+$/.test(part)) && others.length === 0;
  if (prefix !== tokenPrefix || !isWhole) throw tokenInvalid();
  return { workflowId: decoded(workflowId), inputId: decoded(inputId) };
}

function decoded(part: string): string {
  return Buffer.from(part, 'base64url').toString('utf8');
}

function tokenInvalid(): LonghaulError {
  return new LonghaulError(
    'TokenInvalid',
    'the token is wrong, or its call waits for no result any more: the run has ended, or was reset to before the call',
  );
}

function notBegun(): LonghaulError {
  const message = 'the call of the token has not begun yet: send the result again in a while';
  return new LonghaulError('NotWaiting', message, { retryable: true });
}
