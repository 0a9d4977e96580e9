// What must be judged beside the model call, because the machine can run no code: schemas, custom criteria, approval functions.

import { criteriaOf } from '../../core/agent-facts';
import { markedQuestion } from '../../core/machine/questions';
import { checkJson } from '../../core/session';
import type { Json, JsonObject } from '../../base/json';
import type { CallAnswer, CriterionVerdict, Verdicts } from '../../protocol/log';
import type { ToolCallPart } from '../../protocol/message';
import type { AgentSpec, Definition, ToolSpec } from '../../protocol/spec';
import type { ModelResponse } from '../../providers/provider';
import { compileSchema } from '../../define/arguments/compile';
import { oneLine, textOfParts } from '../../base/text';
import { isAnswerless } from '../../core/machine/working-turn';

export type JudgeApproval = (tool: ToolSpec, call: ToolCallPart) => Promise<boolean>;
export type JudgeArguments = (tool: ToolSpec, args: JsonObject) => Promise<string | undefined>;
export type JudgeCustom = (name: string, text: string) => Promise<CriterionVerdict>;

export type VerdictsInput = {
  readonly definition: Definition;
  readonly spec: AgentSpec;
  readonly response: ModelResponse;
  readonly judgeApproval: JudgeApproval;
  readonly judgeArguments: JudgeArguments;
  readonly judgeCustom: JudgeCustom;
};

/** Undefined when there is nothing to say: most turns. */
export async function judge(input: VerdictsInput): Promise<Verdicts | undefined> {
  const calls = input.response.content.filter((part) => part.type === 'tool_call');
  if (calls.length > 0) return await judgeCalls(input, calls);
  if (isBeyondCriteria(input)) return undefined;
  const criteria = await judgeText(input);
  return criteria.length === 0 ? undefined : { criteria };
}

/** A question always pauses, a paused turn goes on, and one that is refused or has no answer ends the run: none is judged. */
function isBeyondCriteria({ response, spec }: VerdictsInput): boolean {
  const { content, finishReason } = response;
  if (finishReason === 'pause' || finishReason === 'refusal') return true;
  return isAnswerless(content) || markedQuestion(textOfParts(content), spec.askUser) !== undefined;
}

async function judgeCalls(
  input: VerdictsInput,
  calls: readonly ToolCallPart[],
): Promise<Verdicts | undefined> {
  const approvals: number[] = [];
  const argumentProblems: CallAnswer[] = [];
  for (const [index, call] of calls.entries()) {
    const tool = input.definition.tools[call.name];
    if (tool === undefined || call.args === null) continue;
    const text = tool.activity && (await input.judgeArguments(tool, call.args));
    if (text !== undefined) argumentProblems.push({ index, text });
    if (tool.needsApproval === 'ask' && (await input.judgeApproval(tool, call)))
      approvals.push(index);
  }
  if (approvals.length === 0 && argumentProblems.length === 0) return undefined;
  return {
    ...(approvals.length > 0 && { approvals }),
    ...(argumentProblems.length > 0 && { argumentProblems }),
  };
}

async function judgeText({
  spec,
  response,
  judgeCustom,
}: VerdictsInput): Promise<CriterionVerdict[]> {
  const text = textOfParts(response.content);
  const verdicts: CriterionVerdict[] = [];
  for (const criterion of criteriaOf(spec)) {
    if (criterion.kind === 'structured-output')
      verdicts.push(judgeStructured(text, criterion.schema));
    else if (criterion.kind === 'custom') verdicts.push(await judgeCustom(criterion.name, text));
  }
  return verdicts;
}

/** The text as a whole must be a JSON object or array; one code fence around it is stripped. */
export function judgeStructured(text: string, schema: Json | undefined): CriterionVerdict {
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
