// Checks a message to an agent that works, where it arrives. Anybody may send one. Pure.

import { textOfParts, utf8Length } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import type { UserInput } from '../../protocol/message';
import { type SteerInput, steerInputShape } from '../../protocol/run';
import { readMembers } from '../run-input';
import { checkExactJson } from '../session';

export const steerMembers = Object.keys(steerInputShape.properties);

/** Takes a message whole or not at all. */
export function readSteer(value: unknown): SteerInput {
  const message = readMembers(steerInputShape, value, 'a message to a run');
  checkSteerText(message.text);
  return message;
}

/** The text of a thread's message that steers a turn. Media cannot steer, because the run has its input already. */
export function steerText(input: UserInput): string {
  if (typeof input !== 'string' && input.some(({ type }) => type !== 'text'))
    throw invalid("a message that steers is a text: send media with whenBusy: 'queue'");
  const text = typeof input === 'string' ? input : textOfParts(input, '\n');
  checkSteerText(text);
  return text;
}

function checkSteerText(text: string): void {
  if (text.trim() === '') throw invalid('text must be a text that is not empty');
  if (checkExactJson(text) !== undefined) throw invalid('text has half of a surrogate pair');
  const bytes = utf8Length(text);
  if (bytes > limits.answer)
    throw invalid(`text has ${bytes} bytes; a message to a run has at most ${limits.answer}`);
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}
