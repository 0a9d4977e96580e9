// Reads a thread's start and its messages. Anybody may send either. Pure.

import { broughtToolsProblem } from '../../core/client-tools';
import { isJsonObject, shapeProblem } from '../../base';
import { checkKnown, checkRunInput, readMembers } from '../../core/run-input';
import { steerText } from '../../core/people/steering';
import {
  LonghaulError,
  type SendInput,
  sendInputShape,
  shortText,
  type ThreadInput,
  threadInputShape,
  threadKeyShape,
  type TurnsQuery,
  turnsQueryShape,
} from '../../protocol';
import { type WorkflowArguments, type StartInfo, type Taken, takeStart } from '../lifecycle/start';

export function takeThreadStart(given: WorkflowArguments, origin: StartInfo): Taken<ThreadInput> {
  return takeStart(given, origin, checkThreadInput);
}

function checkThreadInput(value: unknown): void {
  if (!isJsonObject(value)) throw invalid('a thread is started with {runner, key}');
  checkKnown(value, "a thread's start", Object.keys(threadInputShape.properties));
  const { runner, key, session, application, idleTimeoutMs } = value;
  checkRunInput({ runner, input: 'checked', session, application });
  readMembers(threadKeyShape, key, 'key');
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
  const message = readMembers(sendInputShape, value, 'a message');
  const { messageId: _messageId, erasures: _erasures, whenBusy, ...turn } = message;
  checkRunInput({ runner: 'any', ...turn });
  if (whenBusy === 'steer') steerText(turn.input);
  return message;
}

/** The id of a message that a turn gives back. A turn of a newer version may send more members. */
export function givenBack(value: unknown): string {
  const messageId = isJsonObject(value) ? value['messageId'] : undefined;
  if (shapeProblem(shortText, messageId) === undefined) return messageId as string;
  throw invalid('a message is given back by {messageId}');
}

/** Which turns the query asks for. An empty query asks for all. */
export function turnsQuery(value: unknown): TurnsQuery {
  return isGiven(value) ? readMembers(turnsQueryShape, value, 'a query of turns') : {};
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}
