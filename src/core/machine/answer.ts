// Checks a person's answers. The client checks before it sends, and a run checks before it takes anything. Pure.

import { isJsonObject, type Json, type JsonObject, utf8Length } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import { limits } from '../../protocol/limits';
import { checkExactJson, violationText } from '../session';

/** An answer is a text or any other JSON. Throws if it is empty or too long. */
export function checkAnswer(answer: unknown): asserts answer is Json {
  if (answer === undefined || answer === null)
    throw invalid('an answer is a text or any other JSON value but null');
  checkIsJson('the answer', answer);
  const text = answerText(answer);
  if (text.trim() === '') throw invalid('the answer is empty');
  checkSize('the answer', text, limits.answer);
}

/** Returns a string as it is, and any other value as JSON. */
export function answerText(answer: Json): string {
  return typeof answer === 'string' ? answer : JSON.stringify(answer);
}

/** Checks the arguments with which a person replaces those of a call. */
export function checkEdit(args: unknown): asserts args is JsonObject {
  checkIsJson('args', args);
  if (!isJsonObject(args)) throw invalid('args must be a JSON object: the edited arguments');
  checkSize('args', JSON.stringify(args), limits.toolArguments);
}

/** Checks the reason for which a person refuses a call. */
export function checkReason(reason: unknown): asserts reason is string {
  if (typeof reason !== 'string' || reason === '') throw invalid('reason must be a text');
  checkIsJson('reason', reason);
  checkSize('reason', reason, limits.answer);
}

/** Checks the result of a tool that comes from elsewhere. Any JSON, also null. */
export function checkResult(value: unknown): asserts value is Json {
  if (value === undefined) throw invalid('value must be any JSON value');
  checkIsJson('value', value);
  checkSize('value', JSON.stringify(value), limits.deferredResult);
}

/** Checks the note of a verdict. */
export function checkNote(note: string): void {
  checkIsJson('note', note);
  checkSize('note', note, limits.note);
}

/** Checks a text beside an answer that only machines read. */
export function checkProof(what: string, text: string): void {
  checkSize(what, text, limits.signature);
}

/** The error for an answer without an `inputId` while several inputs are open: it could answer any of them. */
export function severalOpen(
  pending: readonly { readonly inputId: string; readonly path: string }[],
): LonghaulError {
  return new LonghaulError(
    'AmbiguousInput',
    `several inputs are open, pass one as inputId: ${listInputs(pending)}`,
  );
}

export function listInputs(
  pending: readonly { readonly inputId: string; readonly path: string }[],
): string {
  return pending.map(({ inputId, path }) => `'${inputId}' (${path})`).join(', ');
}

function checkIsJson(what: string, value: unknown): asserts value is Json {
  const violation = checkExactJson(value);
  if (violation !== undefined) throw invalid(`${what} is not JSON${violationText(violation)}`);
}

function checkSize(what: string, text: string, most: number): void {
  const bytes = utf8Length(text);
  if (bytes > most) throw invalid(`${what} has ${bytes} bytes; at most ${most} are taken`);
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidAnswer', message);
}
