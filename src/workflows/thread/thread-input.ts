// Reads a thread's start and its messages. Anybody may send either. Pure.

import { broughtToolsProblem } from '../../core/client-tools';
import { keyMembers } from '../../core/key-hashes';
import { checkKnown, checkRunInput, withoutNullMembers } from '../../core/run-input';
import { steerText } from '../../core/people/steering';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject } from '../../base/json';
import { type WorkflowArguments, type StartInfo, type Taken, takeStart } from '../lifecycle/start';
import type {
  SendInput,
  ThreadInput,
  ThreadKey,
  TurnsQuery,
  TurnStatus,
  WhenBusy,
} from '../../protocol/thread';

const ways: readonly WhenBusy[] = ['queue', 'reject', 'interrupt', 'steer'];
const idPattern = /^[^\p{Cc}]{1,200}$/u;

/** The compiler checks this against the types. If you add a member to the type, add it here, too. */
const threadMembers: Readonly<Record<keyof ThreadInput, true>> = {
  runner: true,
  key: true,
  application: true,
  session: true,
  idleTimeoutMs: true,
};
const requiredOfKey = ['appName', 'userId', 'sessionId'] satisfies (keyof ThreadKey)[];
const messageMembers: Readonly<Record<keyof SendInput, true>> = {
  messageId: true,
  input: true,
  whenBusy: true,
  context: true,
  budget: true,
  by: true,
  clientTools: true,
  trace: true,
};

export function takeThreadStart(given: WorkflowArguments, origin: StartInfo): Taken<ThreadInput> {
  return takeStart(given, origin, checkThreadInput);
}

function checkThreadInput(value: unknown): void {
  if (!isJsonObject(value)) throw invalid('a thread is started with {runner, key}');
  checkKnown(value, "a thread's start", Object.keys(threadMembers));
  const { runner, key, session, application, idleTimeoutMs } = value;
  checkRunInput({ runner, input: 'checked', session, application });
  const isKey =
    isJsonObject(key) &&
    requiredOfKey.every((name) => isId(key[name])) &&
    (!isGiven(key['tenant']) || isId(key['tenant']));
  if (!isKey)
    throw invalid(
      'key must be {appName, userId, sessionId, tenant?}: texts of 1 to 200 characters',
    );
  checkKnown(key, 'key', keyMembers);
  const isTime = typeof idleTimeoutMs === 'number' && idleTimeoutMs > 0;
  if (isGiven(idleTimeoutMs) && !isTime) throw invalid('idleTimeoutMs must be a number over 0');
}

/** A message that arrives. A replay reads it with `sendInput`, because what was accepted stays accepted. */
export function newMessage(value: unknown): SendInput {
  const { clientTools } = isJsonObject(value) ? value : {};
  const problem = isGiven(clientTools) ? broughtToolsProblem(clientTools) : undefined;
  if (problem !== undefined) throw invalid(problem);
  return sendInput(value);
}

/** Takes a message whole or not at all. */
export function sendInput(value: unknown): SendInput {
  if (!isJsonObject(value)) throw invalid('a message is {messageId, input}');
  checkKnown(value, 'a message', Object.keys(messageMembers));
  const { messageId, input, whenBusy, context, budget, by, clientTools, trace } = value;
  if (!isId(messageId)) throw invalid('messageId must be a text of 1 to 200 characters');
  const isKnown = !isGiven(whenBusy) || ways.some((way) => way === whenBusy);
  if (!isKnown) {
    throw invalid("whenBusy must be 'queue', 'reject', 'interrupt' or 'steer'");
  }
  checkRunInput({ runner: 'any', input, context, budget, by, clientTools, trace });
  if (whenBusy === 'steer') steerText(input as SendInput['input']);
  return withoutNullMembers(value) as unknown as SendInput;
}

/** The id of a message that a turn gives back. A turn of a newer version may say more. */
export function givenBack(value: unknown): string {
  const messageId = isJsonObject(value) ? value['messageId'] : undefined;
  if (!isId(messageId)) throw invalid('a message is given back by {messageId}');
  return messageId;
}

const statuses: readonly TurnStatus[] = ['queued', 'running', 'completed', 'failed', 'cancelled'];

/** Which turns the query asks for. An empty query asks for all. */
export function turnsQuery(value: unknown): TurnsQuery {
  if (!isGiven(value)) return {};
  if (!isJsonObject(value)) throw invalid('turns are asked for by {last?, messageId?, status?}');
  checkKnown(value, 'a query of turns', ['last', 'messageId', 'status']);
  const { last, messageId, status } = value;
  const isCount = Number.isSafeInteger(last) && (last as number) >= 0;
  if (isGiven(last) && !isCount) throw invalid('last must be a whole number, 0 or more');
  if (isGiven(messageId) && !isId(messageId)) throw invalid('messageId must be a text');
  const isStatus = statuses.some((known) => known === status);
  if (isGiven(status) && !isStatus) throw invalid(`status must be one of ${statuses.join(', ')}`);
  return withoutNullMembers(value);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}
