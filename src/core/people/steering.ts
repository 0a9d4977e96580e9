// Checks a message to an agent that works, where it arrives. Anybody may send one. Pure.

import { isJsonObject } from '../../base/json';
import { textOfParts, utf8Length } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { UserInput } from '../../protocol/message';
import type { SteerInput } from '../../protocol/run';
import { checkKnown, withoutNullMembers } from '../run-input';
import { checkExactJson } from '../session';
import { readActor } from './actor';

const idPattern = /^[^\p{Cc}]{1,200}$/u;

/** The compiler checks this against the type. If you add a member to the type, add it here, too. */
export const steerMembers: readonly string[] = Object.keys({
  messageId: true,
  text: true,
  when: true,
  by: true,
} satisfies Readonly<Record<keyof SteerInput, true>>);

/** Takes a message whole or not at all. */
export function readSteer(value: unknown): SteerInput {
  if (!isJsonObject(value)) throw invalid('a message to a run is {messageId, text, when?, by?}');
  checkKnown(value, 'a message to a run', steerMembers);
  const { messageId, text, when, by } = withoutNullMembers(value);
  if (typeof messageId !== 'string' || !idPattern.test(messageId))
    throw invalid('messageId must be a text of 1 to 200 characters without control characters');
  checkSteerText(text);
  if (when !== undefined && when !== 'next' && when !== 'now')
    throw invalid("when must be 'next' or 'now'");
  return {
    messageId,
    text,
    ...(when !== undefined && { when }),
    ...(by !== undefined && { by: readActor(by) }),
  };
}

/** The text of a thread's message that steers a turn. Media cannot: the run has its input already. */
export function steerText(input: UserInput): string {
  if (typeof input !== 'string' && input.some(({ type }) => type !== 'text'))
    throw invalid("a message that steers is a text: send media with whenBusy: 'queue'");
  const text = typeof input === 'string' ? input : textOfParts(input, '\n');
  checkSteerText(text);
  return text;
}

function checkSteerText(text: unknown): asserts text is string {
  if (typeof text !== 'string' || text.trim() === '')
    throw invalid('text must be a text that is not empty');
  if (checkExactJson(text) !== undefined) throw invalid('text has half of a surrogate pair');
  const bytes = utf8Length(text);
  if (bytes > limits.answer)
    throw invalid(`text has ${bytes} bytes; a message to a run has at most ${limits.answer}`);
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}
