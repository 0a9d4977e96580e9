/*
 * Decides what follows from an accepted turn. The decision is pure, and the machine carries it out. The order of the checks is the rule:
 * abort and override, refused, paused, cut, skipped calls, malformed limit, rounds of tools, then text.
 */

import { type Json, textOfParts } from '../../base';
import type { CallAnswer, CriterionResult } from '../../protocol/log';
import type { AssistantPart, ToolCallPart } from '../../protocol/message';
import type { MachineFailure } from '../failure';
import type { StoredOptions } from './options';
import { askUserTool } from '../../protocol/names';
import { markedQuestion, questionProblem } from './questions';
import type { AcceptedTurn, CallSlot, Counters } from './run-state';
import { isRound } from './tool-batch';
import { callsOf, contentOf, isAnswerless, type WorkingPart } from './working-turn';
import type { CriterionSpec } from '../../protocol/agent-run';

export type TurnPlan =
  /** `keep`: the turn enters history before the run fails. */
  | { readonly kind: 'fail'; readonly failure: MachineFailure; readonly keep: boolean }
  | {
      readonly kind: 'complete';
      readonly reason: string;
      readonly text?: string;
      readonly structured?: Json;
    }
  /** No call runs. `outputRetry`: this uses one retry of the output. */
  | {
      readonly kind: 'answer-calls';
      readonly answers: readonly CallAnswer[];
      readonly outputRetry: boolean;
    }
  | {
      readonly kind: 'run-calls';
      readonly slots: readonly CallSlot[];
      /** Questions that nobody gets, because their arguments are wrong. */
      readonly refused: readonly CallAnswer[];
      readonly malformedInARow: number;
    }
  | { readonly kind: 'ask'; readonly question: string }
  | { readonly kind: 'go-on' }
  | { readonly kind: 'feedback'; readonly text: string; readonly outputRetry: boolean };

/** The reason of a run that completed without an answer, because the model refused to answer. */
export const refused = 'refused';

export type PlanInput = {
  readonly turn: AcceptedTurn;
  readonly parts: readonly WorkingPart[];
  readonly options: StoredOptions;
  readonly counters: Counters;
  readonly maxTurns: number;
};

export const planTurn = (input: PlanInput): TurnPlan => planEnding(input) ?? planAnswer(input);

/** The plan of a turn with nothing to check: no tools, no question, no answer. Undefined for any other turn. */
export function planEnding({ turn, parts }: PlanInput): TurnPlan | undefined {
  const { checks, finishReason } = turn.event;
  if (checks?.abort !== undefined)
    return {
      kind: 'fail',
      failure: { kind: 'callback-abort', reason: checks.abort },
      keep: true,
    };
  if (checks?.override !== undefined)
    return { kind: 'complete', reason: 'callback override', text: checks.override };
  const content = contentOf(parts);
  if (isRefusal(turn.event)) return { kind: 'complete', reason: refused };
  if (finishReason === 'pause') return { kind: 'go-on' };
  const answerless = isAnswerless(content);
  if (answerless && (finishReason === 'length' || finishReason === 'content_filter'))
    return { kind: 'fail', failure: { kind: 'turn-cut', finishReason }, keep: false };
  return answerless ? { kind: 'complete', reason: 'text response' } : undefined;
}

/** The plan of every other turn. */
export function planAnswer(input: PlanInput): TurnPlan {
  const content = contentOf(input.parts);
  const calls = callsOf(content);
  return calls.length > 0 ? planCalls(input, calls) : planText(input, content);
}

/** If the model refuses, its text before the refusal and its calls do not count. */
function isRefusal({ content, finishReason }: AcceptedTurn['event']): boolean {
  if (finishReason === 'refusal') return true;
  return isAnswerless(content) && content.some((part) => part.type === 'refusal');
}

function planCalls(input: PlanInput, calls: readonly ToolCallPart[]): TurnPlan {
  const { turn, parts } = input;
  if (turn.skips.length > 0)
    return { kind: 'answer-calls', answers: skipAnswers(turn, parts), outputRetry: false };
  return planBatch(input, calls);
}

function skipAnswers(turn: AcceptedTurn, parts: readonly WorkingPart[]): CallAnswer[] {
  const places = parts.flatMap(({ call }) => (call === undefined ? [] : [call]));
  return turn.skips.map(({ index, reason }) => ({ index: places.indexOf(index), text: reason }));
}

function planBatch(input: PlanInput, calls: readonly ToolCallPart[]): TurnPlan {
  const { options, counters } = input;
  const malformed = calls.find((call) => call.args === null);
  const malformedInARow = malformed ? counters.malformedInARow + 1 : 0;
  const limit = options.maxConsecutiveMalformedToolCalls;
  if (malformed && limit !== undefined && malformedInARow > limit)
    return malformedFailure(
      input,
      malformed,
      `This was tool step ${malformedInARow} in a row with such a call, of ${limit} allowed.`,
    );
  const slots = calls.map((call, index) => slotOf(input, call, index));
  const { maxIterations } = options;
  if (isRound(slots) && maxIterations !== undefined && counters.iterations >= maxIterations)
    return { kind: 'fail', failure: { kind: 'max-iterations', limit: maxIterations }, keep: true };
  const refused = calls.flatMap((call, index) => {
    const text = slots[index] === 'question' ? questionProblem(call) : undefined;
    return text === undefined ? [] : [{ index, text }];
  });
  return { kind: 'run-calls', slots, refused, malformedInARow };
}

/** Approvals count all calls of the provider, because the worker checked the calls before the machine ignored any. */
function slotOf({ turn, parts, options }: PlanInput, call: ToolCallPart, index: number): CallSlot {
  if (call.args === null) return 'malformed';
  if (options.askUser === 'tool' && call.name === askUserTool.name) return 'question';
  const place = parts.filter((part) => part.call !== undefined)[index]?.call;
  const needed =
    options.approvals?.includes(call.name) ||
    (place !== undefined && turn.event.checks?.approvals?.includes(place));
  return needed ? 'approval' : 'execute';
}

function planText(input: PlanInput, content: readonly AssistantPart[]): TurnPlan {
  const { turn, options } = input;
  const { checks } = turn.event;
  const text = textOfParts(content);
  const question = markedQuestion(text, options.askUser);
  if (question !== undefined) return { kind: 'ask', question };
  if (!options.criteria || options.criteria.length === 0)
    return { kind: 'complete', reason: 'text response' };
  const checked = checkCriteria(options.criteria, text, checks?.criteria ?? []);
  if (!checked.met) return { kind: 'feedback', text: checked.feedback, outputRetry: false };
  const { met: _met, ...completion } = checked;
  return { kind: 'complete', ...completion };
}

export function malformedFailure(
  { turn }: PlanInput,
  call: ToolCallPart,
  advice: string,
): TurnPlan {
  const problem = call.argsError ? ` (${call.argsError})` : '';
  const message = `The arguments of the call of "${call.name}" are not a JSON object${problem}. ${advice}`;
  const { tools: executable, allowed } = turn;
  const failure = {
    kind: 'invalid-tool-call',
    message,
    toolName: call.name,
    executable,
    allowed,
  } as const;
  return { kind: 'fail', failure, keep: false };
}

type CriteriaResult =
  | { readonly met: true; readonly reason: string; readonly structured?: Json }
  | { readonly met: false; readonly feedback: string };

/** One met criterion completes the run. This function checks keywords. The worker has checked the other criteria, in order. */
function checkCriteria(
  criteria: readonly CriterionSpec[],
  text: string,
  checks: readonly CriterionResult[],
): CriteriaResult {
  let used = 0;
  const checked = criteria.map((criterion) => {
    if (criterion.kind === 'keyword')
      return { criterion, result: { met: text.includes(criterion.keyword) } };
    const result: CriterionResult = checks[used] ?? { met: false };
    used += 1;
    return { criterion, result };
  });
  const met = checked.find(({ result }) => result.met);
  if (!met) {
    const missing = checked.map(({ criterion, result }) => describeUnmet(criterion, result));
    return { met: false, feedback: criteriaFeedback(missing) };
  }
  const valued = checked.find(
    ({ criterion, result }) => criterion.kind === 'structured-output' && result.met,
  );
  const structured = (valued?.result as CriterionResult | undefined)?.value;
  const reason = describeMet(met.criterion);
  return structured === undefined ? { met: true, reason } : { met: true, reason, structured };
}

function describeMet(criterion: CriterionSpec): string {
  switch (criterion.kind) {
    case 'keyword':
      return `keyword '${criterion.keyword}' found`;
    case 'structured-output':
      return 'structured output received';
    case 'custom':
      return `custom criterion '${criterion.name}' met`;
  }
}

function describeUnmet(criterion: CriterionSpec, result: CriterionResult): string {
  const missing = result.missing ? `: ${result.missing}` : '';
  switch (criterion.kind) {
    case 'keyword':
      return `the text does not contain the keyword '${criterion.keyword}'`;
    case 'structured-output':
      return `the text is not the structured output that was asked for${missing}`;
    case 'custom':
      return `the criterion '${criterion.name}' is not met${missing}`;
  }
}

function criteriaFeedback(missing: readonly string[]): string {
  const [only] = missing;
  if (missing.length === 1) return `The task is not complete yet: ${only}. Continue.`;
  const list = missing.map((line) => `- ${line}`).join('\n');
  return `The task is not complete yet. One of these must change:\n${list}\nContinue.`;
}
