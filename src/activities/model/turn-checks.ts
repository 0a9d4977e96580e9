// Makes the checks of a model's turn that need code: schemas, custom criteria, approval functions. The machine itself runs no code.

import {
  defined,
  isJsonObject,
  type Json,
  type JsonObject,
  oneLine,
  textOfParts,
} from '../../base';
import { criteriaOf } from '../../core/loop-config';
import { markedQuestion } from '../../core/machine/questions';
import { isAnswerless } from '../../core/machine/working-turn';
import { checkAgainst, forTools } from '../../core/schema/check-schema';
import { checkJson, pickKeys } from '../../core/session';
import type {
  AgentSpec,
  CallAnswer,
  CallModelInput,
  CriterionResult,
  Definition,
  LonghaulError,
  Message,
  ToolCallPart,
  ToolSpec,
  TurnChecks,
} from '../../protocol';
import type { ModelResponse } from '../../providers';
import type { AttemptTrace } from '../trace';
import type { ActivityDependencies } from '../dependencies';
import { callLog, logFailure } from '../call-log';
import { notHere } from '../failures';
import { askContext } from '../log/read-log';
import { checkAgainstSchema } from '../tool/check-arguments';
import { runUserCode, userCodeError } from '../user-code';

export type TurnToCheck = {
  readonly definition: Definition;
  readonly spec: AgentSpec;
  readonly response: ModelResponse;
  readonly checkApproval: (tool: ToolSpec, call: ToolCallPart) => Promise<boolean>;
  /** The problem with the arguments, if there is one. */
  readonly checkArguments: (tool: ToolSpec, args: JsonObject) => Promise<string | undefined>;
  readonly checkCriterion: (name: string, text: string) => Promise<CriterionResult>;
};

/** Undefined if the checks find nothing, as in most turns. */
export async function checkTurn(input: TurnToCheck): Promise<TurnChecks | undefined> {
  const calls = input.response.content.filter((part) => part.type === 'tool_call');
  if (calls.length > 0) return await checkCalls(input, calls);
  if (isWithoutCriteria(input)) return undefined;
  const criteria = await checkText(input);
  return criteria.length === 0 ? undefined : { criteria };
}

/** Criteria do not apply to a question, a paused turn, a refusal, or a turn without an answer. */
function isWithoutCriteria({ response, spec }: TurnToCheck): boolean {
  const { content, finishReason } = response;
  if (finishReason === 'pause' || finishReason === 'refusal') return true;
  return isAnswerless(content) || markedQuestion(textOfParts(content), spec.askUser) !== undefined;
}

async function checkCalls(
  input: TurnToCheck,
  calls: readonly ToolCallPart[],
): Promise<TurnChecks | undefined> {
  const approvals: number[] = [];
  const argumentProblems: CallAnswer[] = [];
  for (const [index, call] of calls.entries()) {
    const tool = input.definition.tools[call.name];
    if (tool === undefined || call.args === null) continue;
    const text = isMadeByUs(tool) ? undefined : await input.checkArguments(tool, call.args);
    if (text !== undefined) argumentProblems.push({ index, text });
    if (tool.needsApproval === 'ask' && (await input.checkApproval(tool, call)))
      approvals.push(index);
  }
  if (approvals.length === 0 && argumentProblems.length === 0) return undefined;
  return defined({
    approvals: approvals.length > 0 ? approvals : undefined,
    argumentProblems: argumentProblems.length > 0 ? argumentProblems : undefined,
  });
}

/** True if an activity of ours makes the call. It checks the arguments itself. */
const isMadeByUs = ({ activity, result }: ToolSpec): boolean =>
  activity === undefined && result !== 'client';

async function checkText({
  spec,
  response,
  checkCriterion,
}: TurnToCheck): Promise<CriterionResult[]> {
  const text = textOfParts(response.content);
  const checks: CriterionResult[] = [];
  for (const criterion of criteriaOf(spec)) {
    if (criterion.kind === 'structured-output')
      checks.push(checkStructured(text, criterion.schema));
    else if (criterion.kind === 'custom') checks.push(await checkCriterion(criterion.name, text));
  }
  return checks;
}

/** The whole text must be a JSON object or array. Removes one code fence around it. */
export function checkStructured(text: string, schema: Json | undefined): CriterionResult {
  const parsed = parseJson(stripFence(text));
  if (parsed === undefined) return { met: false, missing: 'it is not JSON' };
  if (typeof parsed.value !== 'object' || parsed.value === null) {
    return { met: false, missing: 'it is neither a JSON object nor a list' };
  }
  const violation = checkJson(parsed.value);
  if (violation !== undefined) {
    return { met: false, missing: oneLine(`${violation.path}: ${violation.problem}`, 1_000) };
  }
  if (schema === undefined) return { met: true, value: parsed.value };
  const problems = checkAgainst(schema, parsed.value, forTools);
  if (problems.length === 0) return { met: true, value: parsed.value };
  const missing = problems
    .slice(0, 5)
    .map((problem) => `${problem.path || 'it'} ${problem.message}`);
  return { met: false, missing: oneLine(missing.join('; '), 1_000) };
}

function stripFence(text: string): string {
  const fenced = /^\s*```[a-zA-Z0-9_-]*\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text);
  return fenced?.[1] ?? text;
}

function parseJson(text: string): { readonly value: Json } | undefined {
  try {
    return { value: JSON.parse(text) as Json };
  } catch {
    return undefined;
  }
}

/** A model call with its request. */
export type TurnCall = {
  readonly dependencies: ActivityDependencies;
  readonly input: CallModelInput;
  readonly definition: Definition;
  readonly spec: AgentSpec;
  /** The messages for the model. */
  readonly messages: readonly Message[];
  readonly signal: AbortSignal;
  readonly trace: AttemptTrace;
};

/** The checks that need code of this worker. */
export function checkedBy(
  call: TurnCall,
  response: ModelResponse,
): Pick<TurnToCheck, 'checkApproval' | 'checkArguments' | 'checkCriterion'> {
  const { tools } = call.dependencies.registry;
  return {
    checkApproval: async (spec, toolCall) => await needsPerson(call, spec, toolCall),
    checkArguments: async (spec, args) => {
      const checked = await checkAgainstSchema({ spec, tool: tools.get(spec.name) }, args);
      return checked.ok ? undefined : checked.problem;
    },
    checkCriterion: async (name, text) => await evaluate(call, response, { name, text }),
  };
}

/**
 * Whether a person must approve a call. Yes if in doubt: if the function throws, is missing on this worker, or does not take the
 * arguments, and if only the deployed tool takes them. No if they match neither schema: without an approval, a call runs only if they match
 * the pinned one.
 */
async function needsPerson(
  { dependencies, input }: TurnCall,
  spec: ToolSpec,
  { name, callId, args }: ToolCallPart,
): Promise<boolean> {
  if (args === null) return true;
  const pinned = await checkAgainstSchema({ spec, tool: undefined }, args);
  const tool = dependencies.registry.tools.get(name);
  const checked = await checkAgainstSchema({ spec, tool }, args);
  if (!pinned.ok) return checked.ok && tool !== undefined;
  if (!checked.ok || tool?.needsApproval === undefined) return true;
  const { agentId, path = agentId, log: ref, session = {} } = input;
  try {
    const context = {
      workflowId: ref.workflowId,
      agentId,
      path,
      callId,
      session: pickKeys(session, tool.spec.session ?? []),
      context: await askContext(ref.workflowId),
      log: callLog(),
    };
    return await tool.needsApproval(checked.value, context);
  } catch (error) {
    logFailure('error', `the approval function of tool '${name}' threw; a person is asked`, error);
    return true;
  }
}

/** Runs a custom criterion: code of the user that decides whether a text completes the run. */
async function evaluate(
  { dependencies, input, spec, messages, signal }: TurnCall,
  { content, origin }: ModelResponse,
  { name, text }: { readonly name: string; readonly text: string },
): Promise<CriterionResult> {
  const criterion = dependencies.registry.criteria.get(name);
  if (criterion === undefined) throw criterionNotHere(name);
  const context = {
    text,
    workflowId: input.log.workflowId,
    agentId: input.agentId,
    path: input.path ?? input.agentId,
    iteration: input.iteration ?? messages.filter(({ role }) => role === 'tool').length,
    messages: [...messages, { role: 'assistant' as const, parts: content, origin }],
    session: pickKeys(input.session ?? {}, declaredKeys(spec, name)),
    context: await askContext(input.log.workflowId),
  };
  const place = { name: `criterion '${name}'`, details: { criterion: name } };
  const answer: unknown = await runUserCode(place, () => criterion(context), signal);
  if (typeof answer === 'boolean') return { met: answer };
  if (isJsonObject(answer) && typeof answer['met'] === 'boolean' && !checkJson(answer))
    return answer as unknown as CriterionResult;
  throw userCodeError(place, 'must answer true, false or {met, missing?, value?} as JSON');
}

/** Throws before the model is called, if this worker lacks a criterion. Otherwise a turn that it cannot check would cost money in vain. */
export function requireCriteria({ registry }: ActivityDependencies, spec: AgentSpec): void {
  for (const criterion of spec.criteria ?? []) {
    if (criterion.kind === 'custom' && registry.criteria.get(criterion.name) === undefined)
      throw criterionNotHere(criterion.name);
  }
}

function criterionNotHere(name: string): LonghaulError {
  return notHere(`criterion '${name}'`);
}

function declaredKeys({ criteria = [] }: AgentSpec, name: string): readonly string[] {
  const found = criteria.find(
    (criterion) => criterion.kind === 'custom' && criterion.name === name,
  );
  return found?.kind === 'custom' ? (found.session ?? []) : [];
}
