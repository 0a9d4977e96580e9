// Makes the result of a run. A client that started the run gets the session. A run that called it gets the session's changes and the spend.
// Pure.
//
// 1. Both stay within their limits: see `fit-result`.

import type { RunSession } from './run-session';
import { defined } from '../../base';
import type { RunBudget } from '../../core/budget/budget';
import type { AgentMachine } from '../../core/machine/agent-machine';
import type { PlanResult } from '../../core/orchestration/plan';
import { sessionDelta } from '../../core/session';
import { toolTrace } from '../../core/transcript/tool-trace';
import { type AgentRunResult, type ChildResult, limits, type RunnerSpec } from '../../protocol';
import { fitReply, repeatsText } from '../../core/transcript/fit-reply';
import { fitTexts, jsonBytes, sizeInJsonText } from '../../core/transcript/fit-texts';

const steps: readonly FitStep[] = [
  withoutContent,
  withoutRepeat,
  withShorterTexts,
  withShorterReply,
];

type Ended = {
  readonly workflowId: string;
  readonly kind: RunnerSpec['kind'];
  readonly budget: RunBudget;
  readonly session: RunSession;
};

/** More facts about a turn, for its thread. */
export type TurnSummary = Pick<AgentRunResult, 'contextTokens' | 'summarised' | 'toolCalls'>;

export function turnSummary({
  completionCalls,
  log,
}: Pick<AgentMachine, 'completionCalls' | 'log'>): TurnSummary {
  const usage = completionCalls.at(-1)?.usage;
  const contextTokens = usage?.totalTokens ?? usage?.inputTokens ?? undefined;
  const toolCalls = toolTrace(log);
  return {
    ...(log.some(({ kind }) => kind === 'summary') && { summarised: true as const }),
    ...defined({ contextTokens }),
    ...(toolCalls.length > 0 && { toolCalls }),
  };
}

export function runResult(planned: PlanResult & TurnSummary, ended: Ended): AgentRunResult {
  const { budget, session } = ended;
  const { usage, costUsd } = budget.spend;
  const result = {
    ...withWarnings(planned, budget),
    usage,
    ...defined({ costUsd }),
    session: session.value,
  };
  return fitResult(result, { maxBytes: limits.result, source: sourceOf(ended) });
}

export function childResult(
  planned: PlanResult,
  ended: Ended,
  speakers: Pick<ChildResult, 'speakers'>,
): ChildResult {
  const { budget, session } = ended;
  const result = {
    ...withWarnings(planned, budget),
    delta: sessionDelta(session.initial, session.value),
    spend: budget.spend,
    ...speakers,
  };
  return fitResult(result, { maxBytes: limits.childResult, source: sourceOf(ended) });
}

function withWarnings<Planned extends PlanResult>(
  planned: Planned,
  { spend, hasCostLimit }: RunBudget,
): Planned {
  const notCounted = hasCostLimit ? (spend.unpriced ?? []) : [];
  const warnings = [
    ...(planned.warnings ?? []),
    ...notCounted.map((model) => `the price of ${model} is not known: its calls are not counted`),
  ];
  return { ...planned, ...(warnings.length > 0 && { warnings }) };
}

function sourceOf({ workflowId, kind }: Ended): string {
  return kind === 'agent'
    ? `read it from the transcript of run '${workflowId}'`
    : `read it from the runs below run '${workflowId}', which its tree() lists`;
}

// Cuts a result to the size that may travel. It never refuses a result that was paid for. It cuts or leaves out what is too long, and adds
// a warning with the place of the rest. Pure.
//
// 1. It leaves out no more than needed, in this order: the content; a value that the text repeats; the tails of the texts in
//    `combinedText`; the tail of the text, or the value.
// 2. `combinedText` stays JSON of the same shape, and has at least half of the room.

type Room = {
  readonly maxBytes: number;
  /** Where the rest is: "read it from …". */
  readonly source: string;
};

type FitStep = <Result extends PlanResult>(result: Result, room: Room) => Result;

export function fitResult<Result extends PlanResult>(result: Result, room: Room): Result {
  let fitted = result;
  for (const step of steps) {
    if (jsonBytes(fitted) <= room.maxBytes) break;
    fitted = step(fitted, room);
  }
  return fitted;
}

function withoutContent<Result extends PlanResult>(result: Result, { source }: Room): Result {
  if (result.finalResponse.content.length === 0) return result;
  const fitted = { ...result, finalResponse: { ...result.finalResponse, content: [] } };
  return warned(fitted, `finalResponse.content was left out for its size: ${source}`);
}

function withoutRepeat<Result extends PlanResult>(result: Result, { maxBytes }: Room): Result {
  const { structured: _structured, ...finalResponse } = result.finalResponse;
  const fitted = warned(
    { ...result, finalResponse },
    'finalResponse.structured was left out for its size: finalResponse.text is its JSON',
  );
  const { combinedText: _combined, ...alone } = fitted;
  return repeatsText(result.finalResponse) && jsonBytes(alone) <= maxBytes ? fitted : result;
}

function withShorterTexts<Result extends PlanResult>(result: Result, room: Room): Result {
  const { combinedText } = result;
  if (combinedText === undefined) return result;
  const fitted = warned(result, `texts of combinedText were cut for their size: ${room.source}`);
  const left = room.maxBytes - jsonBytes({ ...fitted, combinedText: '' });
  const shorter = fitCombined(combinedText, Math.max(left, Math.floor(room.maxBytes / 2)));
  return shorter === combinedText ? result : { ...fitted, combinedText: shorter };
}

function withShorterReply<Result extends PlanResult>(result: Result, room: Room): Result {
  const { finalResponse } = result;
  const fitted = warned(result, `finalResponse was cut for its size: ${room.source}`);
  const around = jsonBytes(fitted) - jsonBytes(finalResponse);
  return { ...fitted, finalResponse: fitReply(finalResponse, room.maxBytes - around) };
}

/** The JSON holds a list of texts, or an object with a text for each task. */
function fitCombined(combinedText: string, maxBytes: number): string {
  const texts = JSON.parse(combinedText) as Readonly<Record<string, string>> | readonly string[];
  const keys = Object.keys(texts);
  const withTexts = (all: readonly string[]): string =>
    JSON.stringify(
      Array.isArray(texts) ? all : Object.fromEntries(keys.map((key, at) => [key, all[at]])),
    );
  const empty = withTexts(keys.map(() => ''));
  const room = maxBytes - (jsonBytes(empty) - 2);
  return withTexts(fitTexts(Object.values(texts), room, sizeInJsonText));
}

function warned<Result extends PlanResult>(result: Result, warning: string): Result {
  return { ...result, warnings: [...(result.warnings ?? []), warning] };
}
