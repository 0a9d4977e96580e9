// What comes in as an answer, from anybody: checked before anything is changed.

import type { AgentRun } from '../core/agent-run';
import { answerText } from '../core/answer';
import { checkExactJson, violationText } from '../core/session';
import { oneLine, utf8Length } from '../core/text';
import { InvalidAnswer } from '../protocol/error-classes';
import { isJsonObject, type Json } from '../protocol/json';
import { limits } from '../protocol/limits';
import type { ApproveInput, Delivery, RejectInput, ResumeInput } from '../protocol/run';

export function resumeInput(payload: unknown): ResumeInput {
  const input = objectOf(payload, '{answer, inputId?}');
  const inputId = optionalText(input, 'inputId');
  return { answer: input['answer'] ?? null, ...(inputId !== undefined && { inputId }) };
}

export function approveInput(payload: unknown): ApproveInput {
  const input = objectOf(payload, '{inputId, args?}');
  const { args } = input;
  if (args !== undefined && args !== null && !isJsonObject(args)) {
    throw new InvalidAnswer('args must be a JSON object: the edited arguments of the call');
  }
  if (isJsonObject(args)) checkSize('args', JSON.stringify(args), limits.toolArguments);
  return { inputId: requiredText(input, 'inputId'), ...(isJsonObject(args) && { args }) };
}

export function rejectInput(payload: unknown): RejectInput {
  const input = objectOf(payload, '{inputId, reason}');
  const reason = requiredText(input, 'reason');
  checkSize('reason', reason, limits.answer);
  return { inputId: requiredText(input, 'inputId'), reason };
}

function checkSize(name: string, text: string, most: number): void {
  const bytes = utf8Length(text);
  if (bytes <= most) return;
  throw new InvalidAnswer(`${name} has ${bytes} bytes; at most ${most} are taken`);
}

function objectOf(payload: unknown, shape: string): { [key: string]: Json } {
  const violation = checkExactJson(payload);
  if (violation === undefined && isJsonObject(payload)) return payload;
  const found = violation === undefined ? '' : `; this is not JSON${violationText(violation)}`;
  throw new InvalidAnswer(`expected ${shape} as JSON${found}`);
}

function optionalText(input: { [key: string]: Json }, key: string): string | undefined {
  const value = input[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new InvalidAnswer(`${key} must be a text`);
  return value;
}

function requiredText(input: { [key: string]: Json }, key: string): string {
  const value = optionalText(input, key);
  if (value === undefined || value === '') throw new InvalidAnswer(`${key} is missing`);
  return value;
}

export function cancelReason(input: unknown): string {
  const reason = isJsonObject(input) ? input['reason'] : input;
  return typeof reason === 'string' && reason !== '' ? oneLine(reason, 500) : 'cancelled';
}

/** Gives the machine a person's answer to what it asked. */
export function deliver(machine: AgentRun, inputId: string, delivery: Delivery): void {
  switch (delivery.kind) {
    case 'answer':
      return machine.answer({ inputId, text: answerText(delivery) });
    case 'approve':
      return machine.approve(inputId, delivery.args && { args: delivery.args });
    case 'reject':
      return machine.reject(inputId, delivery.reason);
  }
}
