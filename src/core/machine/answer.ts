// What counts as an answer to a question. Checked by the client before it is sent, and again by the run. Pure.

import { LonghaulError } from '../../protocol/errors';
import type { Json } from '../../base/json';
import { limits } from '../../protocol/limits';
import { checkExactJson, violationText } from '../session';
import { utf8Length } from '../../base/text';

/** The text of an answer: a string as it is, any other JSON as JSON. Empty and oversized answers are refused. */
export function answerText({ answer }: { readonly answer?: Json }): string {
  if (answer === undefined || answer === null) {
    throw new LonghaulError(
      'InvalidAnswer',
      'an answer is a text or any other JSON value but null',
    );
  }
  const violation = checkExactJson(answer);
  if (violation !== undefined)
    throw new LonghaulError('InvalidAnswer', `the answer is not JSON${violationText(violation)}`);
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  if (text.trim() === '') throw new LonghaulError('InvalidAnswer', 'the answer is empty');
  const bytes = utf8Length(text);
  if (bytes > limits.answer) {
    throw new LonghaulError(
      'InvalidAnswer',
      `the answer has ${bytes} bytes; at most ${limits.answer} are taken`,
    );
  }
  return text;
}
