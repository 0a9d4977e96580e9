// What a run may be started with. Checked by the client before anything is sent, and again by the workflow: anybody may start one. Pure.

import { inputProblem, typeName } from './input-parts';
import { checkExactJson, checkJson, violationText } from './session';
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
  checkSize('runner', runner, { maxBytes: limits.definition });
}

/** A child is given what a model or a step wrote, so it is taken as it comes. */
function checkInput(input: unknown, { isChild }: { readonly isChild: boolean }): void {
  const problem = inputProblem(input, { mayBeEmpty: isChild });
  if (problem !== undefined) throw invalid(`input${problem}`);
  checkSize('input', input, {
    maxBytes: limits.input,
    check: isChild ? checkJson : checkExactJson,
  });
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
  checkSize(name, field, { maxBytes });
}

type SizeCheck = { readonly maxBytes: number; readonly check?: typeof checkJson };

function checkSize(
  name: string,
  value: unknown,
  { maxBytes, check = checkExactJson }: SizeCheck,
): void {
  if (value === undefined) return;
  const violation = check(value);
  if (violation !== undefined) throw invalid(`${name} is not JSON${violationText(violation)}`);
  const bytes = utf8Length(JSON.stringify(value));
  if (bytes <= maxBytes) return;
  const code = name === 'session' ? 'SessionTooLarge' : 'PayloadTooLarge';
  throw errorOfCode(code, `${name} has ${bytes} bytes of JSON; at most ${maxBytes} are taken`);
}

function invalid(message: string): LonghaulError {
  return new InvalidInput(message);
}
