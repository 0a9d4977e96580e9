// What a thread is started with and what is sent to it: anybody may do either. Pure.

import { checkRunInput } from '../core/run-input';
import { InvalidInput } from '../protocol/error-classes';
import { isJsonObject } from '../protocol/json';
import type { SendInput, ThreadInput, WhenBusy } from '../protocol/thread';

const ways: readonly WhenBusy[] = ['queue', 'reject', 'interrupt'];
const idPattern = /^[^\p{Cc}]{1,200}$/u;

export function checkThreadInput(value: unknown): asserts value is ThreadInput {
  if (!isJsonObject(value)) throw invalid('a thread is started with {runner, key}');
  const { runner, key, session, idleTimeoutMs } = value;
  checkRunInput({ runner, input: 'checked', session });
  const names = ['appName', 'userId', 'sessionId'];
  const isKey = isJsonObject(key) && names.every((name) => isId(key[name]));
  if (!isKey)
    throw invalid('key must be {appName, userId, sessionId}: texts of 1 to 200 characters');
  const isTime = typeof idleTimeoutMs === 'number' && idleTimeoutMs > 0;
  if (idleTimeoutMs !== undefined && !isTime)
    throw invalid('idleTimeoutMs must be a number over 0');
}

export function checkSendInput(value: unknown): asserts value is SendInput {
  if (!isJsonObject(value)) throw invalid('a message is {messageId, input}');
  const { messageId, input, whenBusy, context, budget } = value;
  if (!isId(messageId)) throw invalid('messageId must be a text of 1 to 200 characters');
  const isKnown = whenBusy === undefined || ways.some((way) => way === whenBusy);
  if (!isKnown) {
    throw invalid("whenBusy must be 'queue', 'reject' or 'interrupt'");
  }
  checkRunInput({ runner: 'any', input, context, budget });
}

function isId(value: unknown): boolean {
  return typeof value === 'string' && idPattern.test(value);
}

function invalid(message: string): InvalidInput {
  return new InvalidInput(message);
}
