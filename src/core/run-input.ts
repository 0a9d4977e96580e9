// What a run may be started with. Checked by the client before anything is sent, and again by the workflow: anybody may start one. Pure.

import { checkJson } from './session';
import { utf8Length } from './text';
import { errorOfCode, InvalidInput } from '../protocol/error-classes';
import type { LonghaulError } from '../protocol/errors';
import { isJsonObject } from '../protocol/json';
import { limits } from '../protocol/limits';
import { idPatterns } from '../protocol/names';
import type { RunInput, RunKey } from '../protocol/run';

const keyNames = ['appName', 'userId', 'sessionId'] as const satisfies (keyof RunKey)[];

/** Throws what is wrong with a run's input, and what would be right. */
export function checkRunInput(value: unknown): asserts value is RunInput {
  if (!isJsonObject(value)) {
    throw invalid(
      `a run is started with {"runner": "<id>", "input": "<text>"}, not with ${typeName(value)}`,
    );
  }
  checkRunner(value['runner']);
  checkInput(value['input'], { isChild: value['lineage'] !== undefined });
  checkObject(value, 'session', limits.session);
  checkObject(value, 'key', limits.failureMessage);
  checkKey(value['key']);
  checkObject(value, 'budget', limits.failureMessage);
  checkBudget(value['budget']);
  checkObject(value, 'context', limits.context);
}

/** What other languages say of members they have not set; those that must be there were refused. */
export function withoutNulls<Input extends object>(input: Input): Input {
  const given = Object.entries(input).filter(([, member]) => member !== null);
  return Object.fromEntries(given) as Input;
}

function checkRunner(runner: unknown): void {
  if (typeof runner === 'string') {
    if (idPatterns.agent.test(runner)) return;
    throw invalid(`runner '${runner.slice(0, 120)}' is not an id: ${idPatterns.agent.source}`);
  }
  if (!isJsonObject(runner))
    throw invalid(`runner must be the id of a runner or its spec, not ${typeName(runner)}`);
  const { id } = runner;
  if (typeof id !== 'string' || !idPatterns.agent.test(id))
    throw invalid(`runner is no spec of a runner: its id must match ${idPatterns.agent.source}`);
  checkSize('runner', runner, limits.definition);
}

/** A step may be given the text of one that said nothing. */
function checkInput(input: unknown, { isChild }: { readonly isChild: boolean }): void {
  const isParts = Array.isArray(input) && input.length > 0 && input.every(isInputPart);
  if (typeof input !== 'string' && !isParts) {
    throw invalid(`input must be a text or a list of text and media parts, not ${typeName(input)}`);
  }
  if (typeof input === 'string' && input.trim() === '' && !isChild) throw invalid('input is empty');
  checkSize('input', input, limits.input);
}

function isInputPart(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  if (part['type'] === 'text') return typeof part['text'] === 'string';
  return (
    part['type'] === 'media' &&
    typeof part['mediaType'] === 'string' &&
    isJsonObject(part['source'])
  );
}

/** Of another type it would name the state of nobody. */
function checkKey(key: unknown): void {
  if (!isJsonObject(key)) return;
  for (const name of keyNames) {
    const part = key[name];
    if (part === undefined || part === null || typeof part === 'string') continue;
    throw invalid(`key.${name} must be a text, not ${typeName(part)}`);
  }
}

/** A child's share may be nothing. */
function checkBudget(budget: unknown): void {
  if (!isJsonObject(budget)) return;
  const { maxTokens, maxCostUsd, onExceeded, ...unknown } = budget;
  const isAmount = (value: unknown): boolean =>
    value === undefined || (typeof value === 'number' && value >= 0);
  const isRule = onExceeded === undefined || onExceeded === 'ask' || onExceeded === 'fail';
  const isKnown = Object.keys(unknown).length === 0;
  const hasLimit = maxTokens !== undefined || maxCostUsd !== undefined;
  if (isAmount(maxTokens) && isAmount(maxCostUsd) && isRule && isKnown && hasLimit) return;
  throw invalid(
    "budget must be {maxTokens?, maxCostUsd?, onExceeded?: 'ask' | 'fail'} with at least one limit",
  );
}

function checkObject(value: { [key: string]: unknown }, name: string, maxBytes: number): void {
  const field = value[name];
  if (field === undefined || field === null) return;
  if (!isJsonObject(field)) throw invalid(`${name} must be a JSON object, not ${typeName(field)}`);
  checkSize(name, field, maxBytes);
}

function checkSize(name: string, value: unknown, maxBytes: number): void {
  if (value === undefined) return;
  const violation = checkJson(value);
  if (violation !== undefined)
    throw invalid(`${name} is not JSON at ${violation.path}: ${violation.problem}`);
  const bytes = utf8Length(JSON.stringify(value));
  if (bytes <= maxBytes) return;
  const code = name === 'session' ? 'SessionTooLarge' : 'PayloadTooLarge';
  throw errorOfCode(code, `${name} has ${bytes} bytes of JSON; at most ${maxBytes} are taken`);
}

function invalid(message: string): LonghaulError {
  return new InvalidInput(message);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
