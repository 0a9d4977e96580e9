// The activities of one execution as steps of a trace.

import { defined, oneLine } from '../../../base';
import { toUsage } from '../../../core/budget/usage';
import {
  type CallModelInput,
  type CallModelResult,
  type CallToolResult,
  type Definition,
  limits,
  type SummariseResult,
} from '../../../protocol';
import type { Decoder } from '../payloads';
import type { Outcome, Step } from '../steps';
import { isToolCall, toolOfActivity } from '../tool-calls';
import type { TraceCall, TraceStep, TraceTool } from './run-trace';
import { spanMs } from './segments';

/** An activity that is open now, as the server describes it. `attempts`: those that have started. */
export type PendingAttempt = { readonly attempts: number; readonly error?: string };

/** What the steps of a trace need beside a call itself. */
type Context = {
  readonly decoder: Decoder;
  /** By activity id. */
  readonly pending: ReadonlyMap<string, PendingAttempt>;
  readonly definition?: Definition | undefined;
  readonly now: string;
  /** When the execution ended. */
  readonly closedAt?: string | undefined;
};

/** The step of an activity, and the tool calls that ran inside it. */
export async function stepsOfCall(
  activity: Step<'activity'>,
  outcome: Outcome | undefined,
  context: Context,
): Promise<readonly TraceStep[]> {
  const { name } = activity;
  const { decoder, definition } = context;
  const call = await callOf(activity, outcome, context);
  if (name !== 'callModel' && name !== 'summarise' && !isToolCall(name))
    return [{ kind: 'work', name, ...call }];
  const result = await decoder.value(outcome?.end?.result);
  if (name === 'summarise') {
    const { usage, costUsd } = (result as SummariseResult | undefined)?.spend ?? {};
    return [{ kind: 'summary', ...call, ...defined({ usage: usage && toUsage(usage), costUsd }) }];
  }
  const input = await decoder.value(activity.input);
  if (isToolCall(name)) {
    const tool = toolOfActivity(name, input, definition);
    return [{ kind: 'tool', name: tool, ...call, ...errorIn(result) }];
  }
  return chatSteps(call, { input, result, definition });
}

async function callOf(
  activity: Step<'activity'>,
  { attempt, end }: Outcome = {},
  context: Context,
): Promise<TraceCall> {
  if (end === undefined) return openCall(activity, context);
  const { decoder } = context;
  const { at } = activity;
  const error = (await decoder.text(end.failure)) ?? (await decoder.text(attempt?.failure));
  return {
    status: end.status === 'timed-out' ? 'failed' : end.status,
    startedAt: at,
    ms: spanMs(at, end.at),
    attempts: attempt?.attempt ?? 0,
    ...(attempt?.attempt === 1 && { waitMs: spanMs(at, attempt.at) }),
    ...(attempt && { attemptMs: spanMs(attempt.at, end.at) }),
    ...defined({ error }),
  };
}

/** The end of its run ends an open call, too. */
function openCall(
  { at, activityId }: Step<'activity'>,
  { pending, closedAt, now }: Context,
): TraceCall {
  const open = pending.get(activityId);
  const ms = spanMs(at, closedAt ?? now);
  return {
    status: closedAt === undefined ? 'open' : 'cancelled',
    startedAt: at,
    ms,
    attempts: open?.attempts ?? 0,
    ...(open?.attempts === 0 && { waitMs: ms }),
    ...defined({ error: open?.error }),
  };
}

type Chat = Pick<Context, 'definition'> & { readonly input: unknown; readonly result: unknown };

function chatSteps(call: TraceCall, { input, result, definition }: Chat): readonly TraceStep[] {
  const { turn = 0, agentId = '' } = (input ?? {}) as Partial<CallModelInput>;
  const { entry, costUsd, results = [] } = (result ?? {}) as Partial<CallModelResult>;
  const model = entry?.origin
    ? `${entry.origin.provider}/${entry.origin.model}`
    : modelOf(agentId, definition);
  const usage = entry && toUsage(entry.usage);
  return [
    { kind: 'chat', turn, ...call, ...defined({ model, usage, costUsd }) },
    ...results.map((inline): TraceStep => ({
      kind: 'inline-tool',
      name: inline.entry.result.name,
      ...errorIn(inline),
    })),
  ];
}

function modelOf(agentId: string, definition: Definition | undefined): string | undefined {
  const runner = definition?.runners[agentId];
  if (runner?.kind !== 'agent') return undefined;
  const { model } = runner;
  return typeof model === 'string' ? model : `${model.provider}/${model.model}`;
}

/** What the model got instead of a result. */
function errorIn(result: unknown): Pick<TraceTool, 'isError' | 'error'> {
  const { entry } = (result ?? {}) as Partial<CallToolResult>;
  if (entry?.result?.isError !== true) return {};
  const texts = entry.result.content.map((part) => (part.type === 'text' ? part.text : ''));
  return { isError: true, error: oneLine(texts.join(' '), limits.failureMessage) };
}
