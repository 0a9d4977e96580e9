/*
 * Plans a turn when an output tool is set. The decision is pure. It comes after the endings and before the rest of `turn-plan.ts`. A call
 * of the tool is the output, even if the turn makes other calls. A text is the output, too, unless it asks a question.
 */
import { isJsonObject, type JsonObject, textOfParts } from '../base';
import type { ToolCallPart } from '../protocol';
import type { OutputOptions } from '../core/machine/options';
import { markedQuestion } from '../core/machine/questions';
import type { PlanInput, TurnPlan } from '../core/machine/turn-plan';
import { malformedFailure, planAnswer, planEnding } from '../core/machine/turn-plan';
import { callsOf, contentOf } from '../core/machine/working-turn';

/** Like `planTurn`, but an output ends the run. */
export const planWithOutput = (input: PlanInput): TurnPlan =>
  planEnding(input) ?? planOutput(input) ?? planAnswer(input);

function planOutput(input: PlanInput): TurnPlan | undefined {
  const { output } = input.options;
  if (output === undefined) return undefined;
  const content = contentOf(input.parts);
  const calls = callsOf(content);
  const index = calls.findIndex((call) => call.name === output.tool);
  const call = calls[index];
  if (call !== undefined) return planOutputCall(input, output, { call, index });
  const text = textOfParts(content);
  const isText = calls.length === 0 && markedQuestion(text, input.options.askUser) === undefined;
  return isText ? planOutputText(input, output, text) : undefined;
}

function planOutputCall(
  input: PlanInput,
  output: OutputOptions,
  { call, index }: { readonly call: ToolCallPart; readonly index: number },
): TurnPlan {
  const result = checkOutputCall(output, call, input.turn.event.checks?.outputViolation);
  if (result.kind !== 'valid' && mayRetryOutput(input)) {
    const text = `The output was not accepted: ${result.problem}. Call ${call.name} again with corrected arguments.`;
    return { kind: 'answer-calls', answers: [{ index, text }], outputRetry: true };
  }
  if (result.kind === 'malformed')
    return malformedFailure(input, call, `No try of the output is left: ${result.problem}.`);
  const { value } = result;
  const text = JSON.stringify(value);
  return { kind: 'complete', reason: 'structured output received', text, structured: value };
}

function planOutputText(
  input: PlanInput,
  output: OutputOptions,
  text: string,
): TurnPlan | undefined {
  const result = checkOutputText(output, text, input.turn.event.checks?.outputViolation);
  if (result.kind === 'valid')
    return { kind: 'complete', reason: 'structured output received', structured: result.value };
  if (!mayRetryOutput(input)) return undefined;
  const feedback = `The answer was not accepted as the output: ${result.problem}. Call ${output.tool} with the final output.`;
  return { kind: 'feedback', text: feedback, outputRetry: true };
}

const mayRetryOutput = ({ options, counters, maxTurns }: PlanInput): boolean =>
  counters.outputRetries < (options.output?.retries ?? 1) && counters.turn < maxTurns;

/** The kind of an output. `malformed` means that it is not even a JSON object, so the run cannot take it. */
type OutputResult =
  | { readonly kind: 'valid'; readonly value: JsonObject }
  | { readonly kind: 'violation'; readonly problem: string; readonly value: JsonObject }
  | { readonly kind: 'malformed'; readonly problem: string };

/** Checks the required fields of the top level. `violation` is what the worker's check of the whole schema found. */
function checkOutputCall(
  output: OutputOptions,
  call: ToolCallPart,
  violation: string | undefined,
): OutputResult {
  if (call.args === null) {
    const problem = call.argsError ?? 'the arguments are not a JSON object';
    return { kind: 'malformed', problem };
  }
  return checkValue(output, call.args, violation);
}

/** A text that parses to an object with the required fields is an output, too. */
function checkOutputText(
  output: OutputOptions,
  text: string,
  violation: string | undefined,
): OutputResult {
  const value = parseObject(text);
  if (!value) return { kind: 'malformed', problem: 'the text is not a JSON object' };
  return checkValue(output, value, violation);
}

function checkValue(
  output: OutputOptions,
  value: JsonObject,
  violation: string | undefined,
): OutputResult {
  const missing = requiredFields(output).filter((field) => !Object.hasOwn(value, field));
  if (missing.length > 0) {
    const problem = `missing required ${missing.length === 1 ? 'field' : 'fields'}: ${missing.join(', ')}`;
    return { kind: 'violation', problem, value };
  }
  if (violation !== undefined) return { kind: 'violation', problem: violation, value };
  return { kind: 'valid', value };
}

function requiredFields(output: OutputOptions): string[] {
  const required = output.schema?.['required'];
  if (!Array.isArray(required)) return [];
  return required.filter((field) => typeof field === 'string');
}

function parseObject(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  const fenced = /^```[a-zA-Z]*\s*\n([\s\S]*)\n\s*```$/.exec(trimmed);
  try {
    const value: unknown = JSON.parse(fenced?.[1] ?? trimmed);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
