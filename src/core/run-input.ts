// Checks the input of a run. The client checks before it sends anything. The workflow checks again, because anybody may start a run. Pure.
//
// 1. Only a parent workflow may send members for child runs. They may only name that parent's own data.
// 2. It refuses an unknown member, because a misspelt member must not be lost in silence.

import { clientToolsProblem } from './client-tools';
import { inputProblem, typeName } from './input-parts';
import { keyMembers } from './key-hashes';
import { readActor } from './people/actor';
import {
  didYouMean,
  formatProblem,
  isJsonObject,
  knownPart,
  quote,
  shapeProblem,
  utf8Length,
} from '../base';
import { checkExactJson, checkJson, violationText } from './session';
import { hasCode, LonghaulError } from '../protocol/errors';
import { limits } from '../protocol/limits';
import { idPatterns } from '../protocol/names';
import { readTraceparent } from '../protocol/trace';
import { childMembers, type RunInput, runInputShape } from '../protocol/run';
import type { Shaped } from '../protocol/shapes';
import type { RunnerSpec } from '../protocol/spec';

/** The workflow ids that a member names. Each must be the parent's: a parent may give only its own session, input, log and tree. */
const namedParents: {
  readonly [Name in keyof ParentMembers]: (member: ParentMembers[Name]) => readonly string[];
} = {
  lineage: ({ depth, root }) => (depth === 1 ? [root] : []),
  definition: () => [],
  sessionFrom: (workflowId) => [workflowId],
  origin: () => [],
  inputFrom: ({ workflowId }) => [workflowId],
  thread: ({ workflowId, memory }) => [workflowId, memory.workflowId],
};

/** Throws `InvalidInput` with a hint if a run's input is wrong. `parent` is the workflow that started the run, if any. */
export function checkRunInput(value: unknown, parent?: ParentWorkflow): asserts value is RunInput {
  if (!isJsonObject(value)) {
    throw invalid(
      `the input of a run must be {"runner": "<id>", "input": "<text>"}, not ${typeName(value)}`,
    );
  }
  checkKnown(value, "a run's start", Object.keys(runInputShape.properties));
  checkParentMembers(value, parent);
  checkRunner(value['runner']);
  checkInput(value['input'], { isChild: isGiven(value['lineage']) });
  checkObject(value, 'session', limits.session);
  checkObject(value, 'key', limits.failureMessage);
  checkKey(value['key']);
  checkObject(value, 'budget', limits.failureMessage);
  checkBudget(value['budget']);
  checkObject(value, 'context', limits.context);
  checkClientTools(value);
  checkApplication(value['application']);
  if (isGiven(value['by'])) readActor(value['by']);
  checkTrace(value['trace']);
}

function checkTrace(value: unknown): void {
  if (!isGiven(value) || readTraceparent(value) !== undefined) return;
  throw invalid('trace must be a W3C traceparent, such as 00-<32 hex>-<16 hex>-01');
}

/** Checks the name of an application, which is also part of the ids of threads. */
export function checkApplication(value: unknown): void {
  if (!isGiven(value) || (typeof value === 'string' && /^[^\p{Cc}]{1,200}$/u.test(value))) return;
  throw invalid('application must be a text of 1 to 200 characters without control characters');
}

/** Refuses unknown members of an object from outside. `what` names the object. */
export function checkKnown(value: object, what: string, known: readonly string[]): void {
  const stranger = Object.keys(value).find((name) => !known.includes(name));
  if (stranger === undefined) return;
  throw unknownMember(
    stranger,
    `${quote(stranger)} is not a member of ${what}${didYouMean(stranger, known)}`,
  );
}

/** The object without members that are null. Throws `InvalidInput` if it does not fit. `what` names it. */
export function readMembers<Value>(
  shape: Shaped<Value> & { readonly properties: object },
  value: unknown,
  what: string,
): Value {
  const names = Object.keys(shape.properties);
  if (!isJsonObject(value))
    throw invalid(`${what} must be a JSON object of ${names.join(', ')}, not ${typeName(value)}`);
  checkKnown(value, what, names);
  const given = withoutNullMembers(value);
  const problem = shapeProblem(shape, given);
  if (problem !== undefined) throw invalid(formatProblem(problem));
  return given as Value;
}

function unknownMember(unknown: string, message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message, { details: { unknown } });
}

/** Whether only a member that this version does not know is wrong. */
export function isUnknownMember(error: unknown): error is LonghaulError {
  return hasCode(error, 'InvalidInput') && typeof error.details['unknown'] === 'string';
}

/** Removes null members, because other languages write null for members that are not set. The caller has checked required members. */
export function withoutNullMembers<Input extends object>(input: Input): Input {
  const given = Object.entries(input).filter(([, member]) => member !== null);
  return Object.fromEntries(given) as Input;
}

function checkParentMembers(
  value: { [key: string]: unknown },
  parent: ParentWorkflow | undefined,
): void {
  for (const name of Object.keys(childMembers) as (keyof ParentMembers)[]) {
    if (!isGiven(value[name])) continue;
    if (parent === undefined) {
      throw invalid(`${name} is only for runs that start child runs: leave it out`);
    }
    const problem = parentProblem(parent, name, value[name]);
    if (problem !== undefined) throw invalid(problem);
  }
  if (parent !== undefined) checkDefinitionRoot(value, parent);
}

/** The root run is also the scope of the stored content that a run reads. */
function checkDefinitionRoot(
  { lineage, definition }: Partial<ParentMembers>,
  { workflowId }: ParentWorkflow,
): void {
  const root = lineage?.root ?? workflowId;
  const { root: named = root, holder = root } = definition ?? {};
  if (named !== root) throw invalid(`definition names '${named}', but the root run is '${root}'`);
  if (!isBelow(holder, root))
    throw invalid(`definition is held by '${holder}', which is no run below '${root}'`);
}

/** Ids of runs below a run begin with its id, as far as it fits. */
const isBelow = (workflowId: string, root: string): boolean =>
  workflowId.startsWith(root.slice(0, limits.idPrefix));

function isGiven(member: unknown): boolean {
  return member !== undefined && member !== null;
}

/** Throws `InvalidInput` unless it is an id, or a spec with an id that is not too large. */
export function checkRunner(runner: unknown): asserts runner is string | RunnerSpec {
  if (typeof runner === 'string') {
    if (idPatterns.agent.test(runner)) return;
    throw invalid(
      `runner '${runner.slice(0, 120)}' is not an id: it must match ${idPatterns.agent.source}`,
    );
  }
  if (!isJsonObject(runner))
    throw invalid(`runner must be the id of a runner or its spec, not ${typeName(runner)}`);
  const { id } = runner;
  if (typeof id !== 'string' || !idPatterns.agent.test(id))
    throw invalid(`runner must be a spec with an id that matches ${idPatterns.agent.source}`);
  checkSize('runner', runner, { maxBytes: limits.definition });
}

/** A child's input may be empty, because a model or a step wrote it. */
function checkInput(input: unknown, { isChild }: { readonly isChild: boolean }): void {
  const problem = inputProblem(input, { mayBeEmpty: isChild });
  if (problem !== undefined) throw invalid(`input${problem}`);
  checkSize('input', input, {
    maxBytes: limits.input,
    check: isChild ? checkJson : checkExactJson,
    more: '. A client that connects with a result store, connect({ results }), sends larger ones',
  });
}

/** Client tools are only for a run that a client starts, and for a turn of a thread. Child runs have none. */
function checkClientTools({ clientTools, lineage, runner }: { [key: string]: unknown }): void {
  if (!isGiven(clientTools)) return;
  if (isGiven(lineage))
    throw invalid('clientTools are for the run that a client starts: leave them out');
  if (isJsonObject(runner) && runner['kind'] !== 'agent')
    throw invalid('clientTools are for agents, and this runner is none: leave them out');
  const problem = clientToolsProblem(clientTools);
  if (problem !== undefined) throw invalid(problem);
}

/** Each part must be of the right type, because any other value would name nobody's state. */
function checkKey(key: unknown): void {
  if (!isJsonObject(key)) return;
  checkKnown(key, 'key', keyMembers);
  for (const name of keyMembers) {
    const part = key[name];
    if (part === undefined || part === null || typeof part === 'string') continue;
    throw invalid(`key.${name} must be a text, not ${typeName(part)}`);
  }
}

/** A child's share may be 0. */
function checkBudget(budget: unknown): void {
  if (!isJsonObject(budget)) return;
  const { maxTokens, maxCostUsd, onExceeded, ...unknown } = budget;
  const isAmount = (value: unknown): boolean =>
    value === undefined || (typeof value === 'number' && value >= 0);
  const isRule = onExceeded === undefined || onExceeded === 'ask' || onExceeded === 'fail';
  const [stranger] = Object.keys(unknown);
  const hasLimit = maxTokens !== undefined || maxCostUsd !== undefined;
  const expected =
    "budget must be {maxTokens?, maxCostUsd?, onExceeded?: 'ask' | 'fail'} with at least one limit";
  if (stranger !== undefined) throw unknownMember(stranger, expected);
  if (isAmount(maxTokens) && isAmount(maxCostUsd) && isRule && hasLimit) return;
  throw invalid(expected);
}

function checkObject(value: { [key: string]: unknown }, name: string, maxBytes: number): void {
  const field = value[name];
  if (field === undefined || field === null) return;
  if (!isJsonObject(field)) throw invalid(`${name} must be a JSON object, not ${typeName(field)}`);
  checkSize(name, field, { maxBytes });
}

type SizeCheck = {
  readonly maxBytes: number;
  readonly check?: typeof checkJson;
  /** Ends the message. */
  readonly more?: string;
};

function checkSize(
  name: string,
  value: unknown,
  { maxBytes, check = checkExactJson, more = '' }: SizeCheck,
): void {
  if (value === undefined) return;
  const violation = check(value);
  if (violation !== undefined) throw invalid(`${name} is not JSON${violationText(violation)}`);
  const bytes = utf8Length(JSON.stringify(value));
  if (bytes <= maxBytes) return;
  const code = name === 'session' ? 'SessionTooLarge' : 'PayloadTooLarge';
  throw new LonghaulError(
    code,
    `${name} has ${bytes} bytes of JSON; the limit is ${maxBytes}${more}`,
  );
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('InvalidInput', message);
}

/** The workflow that started a run as its child. */
type ParentWorkflow = { readonly workflowId: string };

type ParentMembers = Required<Pick<RunInput, keyof typeof childMembers>>;

/** The problem of a member from a parent, or undefined. */
function parentProblem<Name extends keyof ParentMembers>(
  parent: ParentWorkflow,
  name: Name,
  member: unknown,
): string | undefined {
  const shape = childMembers[name];
  const problem = shapeProblem(shape, member, [name]);
  if (problem !== undefined) {
    const known = knownPart(shape, member);
    if (shapeProblem(shape, known) !== undefined) return formatProblem(problem);
    throw unknownMember(name, formatProblem(problem));
  }
  const stranger = namedParents[name](member as ParentMembers[Name]).find(
    (workflowId) => workflowId !== parent.workflowId,
  );
  if (stranger === undefined) return undefined;
  return `${name} names '${stranger}', but '${parent.workflowId}' started this run`;
}
