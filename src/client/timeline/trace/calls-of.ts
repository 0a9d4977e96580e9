// The activities of one execution as steps of a trace. Pure.

import { oneLine } from '../../../base/text';
import { toUsage } from '../../../core/budget/usage';
import type {
  CallModelInput,
  CallModelResult,
  CallToolResult,
  SummariseResult,
} from '../../../protocol/activities';
import { limits } from '../../../protocol/limits';
import type { Definition } from '../../../protocol/spec';
import { isToolCall, toolOfActivity } from '../history-steps';
import { type PastEvent, spanMs } from './past-event';
import type { TraceCall, TraceStep, TraceTool } from './run-trace';

/** An activity that is open now, as the server describes it. `attempts`: those that have started. */
export type PendingAttempt = { readonly attempts: number; readonly error?: string };

type Activity = Extract<PastEvent, { kind: 'activity' }>;
type Attempt = Extract<PastEvent, { kind: 'attempt' }>;
type End = Extract<PastEvent, { kind: 'end' }>;

type Known = {
  /** By activity id. */
  readonly pending: ReadonlyMap<string, PendingAttempt>;
  readonly definition: Definition | undefined;
  readonly now: string;
};

export class CallsOf {
  readonly #known: Known;
  readonly #attempts = new Map<number, Attempt>();
  readonly #ends = new Map<number, End>();
  readonly #closed: string | undefined;

  constructor(events: readonly PastEvent[], known: Known) {
    this.#known = known;
    for (const event of events) {
      if (event.kind === 'attempt') this.#attempts.set(event.id, event);
      if (event.kind === 'end') this.#ends.set(event.id, event);
    }
    this.#closed = events.findLast((event) => event.kind === 'close')?.at;
  }

  /** The step of an activity, and the tool calls that ran inside it. */
  steps(activity: Activity): readonly TraceStep[] {
    const { name, input } = activity;
    const { definition } = this.#known;
    const result = this.#ends.get(activity.id)?.result;
    const call = this.#callOf(activity);
    if (name === 'callModel') return chatSteps(call, { input, result, definition });
    if (name === 'summarise') {
      const { usage, costUsd } = (result as SummariseResult | undefined)?.spend ?? {};
      return [
        {
          kind: 'summary',
          ...call,
          ...(usage && { usage: toUsage(usage) }),
          ...(costUsd !== undefined && { costUsd }),
        },
      ];
    }
    if (!isToolCall(name)) return [{ kind: 'work', name, ...call }];
    const tool = toolOfActivity(name, input, definition);
    return [{ kind: 'tool', name: tool, ...call, ...errorIn(result) }];
  }

  #callOf({ id, at, activityId }: Activity): TraceCall {
    const [attempt, end] = [this.#attempts.get(id), this.#ends.get(id)];
    if (end === undefined) return this.#openCall(at, this.#known.pending.get(activityId));
    const error = end.error ?? attempt?.error;
    return {
      status: end.status,
      startedAt: at,
      ms: spanMs(at, end.at),
      attempts: attempt?.attempt ?? 0,
      ...(attempt?.attempt === 1 && { waitMs: spanMs(at, attempt.at) }),
      ...(attempt && { attemptMs: spanMs(attempt.at, end.at) }),
      ...(error !== undefined && { error }),
    };
  }

  /** The end of its run ends an open call, too. */
  #openCall(at: string, pending: PendingAttempt | undefined): TraceCall {
    const ms = spanMs(at, this.#closed ?? this.#known.now);
    const { attempts = 0, error } = pending ?? {};
    return {
      status: this.#closed === undefined ? 'open' : 'cancelled',
      startedAt: at,
      ms,
      attempts,
      ...(pending && attempts === 0 && { waitMs: ms }),
      ...(error !== undefined && { error }),
    };
  }
}

function chatSteps(
  call: TraceCall,
  {
    input,
    result,
    definition,
  }: { readonly input: unknown; readonly result: unknown } & Pick<Known, 'definition'>,
): readonly TraceStep[] {
  const { turn = 0, agentId = '' } = (input ?? {}) as Partial<CallModelInput>;
  const { entry, costUsd, results = [] } = (result ?? {}) as Partial<CallModelResult>;
  const model = entry?.origin
    ? `${entry.origin.provider}/${entry.origin.model}`
    : modelOf(agentId, definition);
  return [
    {
      kind: 'chat',
      turn,
      ...call,
      ...(model !== undefined && { model }),
      ...(entry && { usage: toUsage(entry.usage) }),
      ...(costUsd !== undefined && { costUsd }),
    },
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
