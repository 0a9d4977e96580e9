// What must be checks beside the model call, because the machine can run no code: schemas, custom criteria, approval functions.

import { criteriaOf } from '../../core/loop-config';
import { markedQuestion } from '../../core/machine/questions';
import { checkJson } from '../../core/session';
import type { Json, JsonObject } from '../../base/json';
import type { CallAnswer, CriterionResult, TurnChecks } from '../../protocol/log';
import type { ToolCallPart } from '../../protocol/message';
import type { AgentSpec, Definition, ToolSpec } from '../../protocol/spec';
import type { ModelResponse } from '../../providers/provider';
import { compileSchema } from '../../define/arguments/compile';
import { oneLine, textOfParts } from '../../base/text';
import { isAnswerless } from '../../core/machine/working-turn';

export type CheckApproval = (tool: ToolSpec, call: ToolCallPart) => Promise<boolean>;
export type CheckArguments = (tool: ToolSpec, args: JsonObject) => Promise<string | undefined>;
export type CheckCriterion = (name: string, text: string) => Promise<CriterionResult>;

export type TurnToCheck = {
  readonly definition: Definition;
  readonly spec: AgentSpec;
  readonly response: ModelResponse;
  readonly checkApproval: CheckApproval;
  readonly checkArguments: CheckArguments;
  readonly checkCriterion: CheckCriterion;
};

/** Undefined when there is nothing to say: most turns. */
export async function checkTurn(input: TurnToCheck): Promise<TurnChecks | undefined> {
  const calls = input.response.content.filter((part) => part.type === 'tool_call');
  if (calls.length > 0) return await checkCalls(input, calls);
  if (isBeyondCriteria(input)) return undefined;
  const criteria = await checkText(input);
  return criteria.length === 0 ? undefined : { criteria };
}

/** A question always pauses, a paused turn goes on, and one that is refused or has no answer ends the run: none is checks. */
function isBeyondCriteria({ response, spec }: TurnToCheck): boolean {
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
    const text = tool.activity && (await input.checkArguments(tool, call.args));
    if (text !== undefined) argumentProblems.push({ index, text });
    if (tool.needsApproval === 'ask' && (await input.checkApproval(tool, call)))
      approvals.push(index);
  }
  if (approvals.length === 0 && argumentProblems.length === 0) return undefined;
  return {
    ...(approvals.length > 0 && { approvals }),
    ...(argumentProblems.length > 0 && { argumentProblems }),
  };
}

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

/** The text as a whole must be a JSON object or array; one code fence around it is stripped. */
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
  const problems = compileSchema(schema)(parsed.value);
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
