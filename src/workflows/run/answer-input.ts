// What comes in as an answer, from anybody: checked before anything is changed.

import type { AgentMachine } from '../../core/machine/agent-machine';
import { answerText } from '../../core/machine/answer';
import { didYouMean, quote } from '../../base/problem';
import { checkExactJson, violationText } from '../../core/session';
import { oneLine, utf8Length } from '../../base/text';
import { LonghaulError } from '../../protocol/errors';
import { isJsonObject, type Json } from '../../base/json';
import { limits } from '../../protocol/limits';
import type { ApproveInput, InputAnswer, RejectInput, ResumeInput } from '../../protocol/run';

/** Of a reason for a cancellation, in characters. */
const longestReason = 500;

export function resumeInput(payload: unknown): ResumeInput {
  const input = objectOf(payload, ['answer', 'inputId']);
  const inputId = optionalText(input, 'inputId');
  return { answer: input['answer'] ?? null, ...(inputId !== undefined && { inputId }) };
}

export function approveInput(payload: unknown): ApproveInput {
  const input = objectOf(payload, ['inputId', 'args']);
  const { args } = input;
  if (args !== undefined && args !== null && !isJsonObject(args)) {
    throw new LonghaulError(
      'InvalidAnswer',
      'args must be a JSON object: the edited arguments of the call',
    );
  }
  if (isJsonObject(args)) checkSize('args', JSON.stringify(args), limits.toolArguments);
  return { inputId: requiredText(input, 'inputId'), ...(isJsonObject(args) && { args }) };
}

export function rejectInput(payload: unknown): RejectInput {
  const input = objectOf(payload, ['inputId', 'reason']);
  const reason = requiredText(input, 'reason');
  checkSize('reason', reason, limits.answer);
  return { inputId: requiredText(input, 'inputId'), reason };
}

/** A text, `{reason?}` or nothing at all. */
export function cancelReason(payload: unknown): string {
  if (payload === undefined || payload === null || payload === '') return 'cancelled';
  if (typeof payload === 'string') return oneLine(payload, longestReason);
  const reason = optionalText(objectOf(payload, ['reason']), 'reason');
  return reason === undefined || reason === '' ? 'cancelled' : oneLine(reason, longestReason);
}

/** An answer that another run took for this one. */
export function inputAnswer(payload: unknown): InputAnswer {
  const { kind, ...input } = objectOf(payload, ['kind', 'inputId', 'answer', 'args', 'reason']);
  switch (kind) {
    case 'answer': {
      const { inputId, answer } = resumeInput(input);
      return { kind, inputId: requiredText({ inputId: inputId ?? null }, 'inputId'), answer };
    }
    case 'approve':
      return { kind, ...approveInput(input) };
    case 'reject':
      return { kind, ...rejectInput(input) };
    default:
      throw new LonghaulError('InvalidAnswer', "kind must be 'answer', 'approve' or 'reject'");
  }
}

function checkSize(name: string, text: string, most: number): void {
  const bytes = utf8Length(text);
  if (bytes <= most) return;
  throw new LonghaulError('InvalidAnswer', `${name} has ${bytes} bytes; at most ${most} are taken`);
}

function objectOf(payload: unknown, members: readonly string[]): { [key: string]: Json } {
  const violation = checkExactJson(payload);
  if (violation !== undefined || !isJsonObject(payload)) {
    const found = violation === undefined ? '' : `; this is not JSON${violationText(violation)}`;
    throw new LonghaulError('InvalidAnswer', `expected {${members.join(', ')}} as JSON${found}`);
  }
  const stranger = Object.keys(payload).find((name) => !members.includes(name));
  if (stranger === undefined) return payload;
  throw new LonghaulError(
    'InvalidAnswer',
    `${quote(stranger)} is not a member of an answer${didYouMean(stranger, members)}`,
  );
}

function optionalText(input: { [key: string]: Json }, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new LonghaulError('InvalidAnswer', `${key} must be a text`);
  return value;
}

function requiredText(input: { [key: string]: Json }, key: string): string {
  const value = optionalText(input, key);
  if (value === undefined || value === '')
    throw new LonghaulError('InvalidAnswer', `${key} is missing`);
  return value;
}

/** Gives the machine a person's answer to what it asked. */
export function applyAnswer(machine: AgentMachine, inputId: string, answer: InputAnswer): void {
  switch (answer.kind) {
    case 'answer':
      return machine.answer({ inputId, text: answerText(answer) });
    case 'approve':
      return machine.approve(inputId, answer.args && { args: answer.args });
    case 'reject':
      return machine.reject(inputId, answer.reason);
  }
}
