// The activities of one execution as steps of a trace.

import { defined } from '../../../base/json';
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
import { type Outcome, outcomesIn, type Step } from '../steps';
import { isToolCall, toolOfActivity } from '../tool-calls';
import type { Decoder } from './decoder';
import type { TraceCall, TraceStep, TraceTool } from './run-trace';
import { spanMs } from './segments';

/** An activity that is open now, as the server describes it. `attempts`: those that have started. */
export type PendingAttempt = { readonly attempts: number; readonly error?: string };

type Known = {
  /** By activity id. */
  readonly pending: ReadonlyMap<string, PendingAttempt>;
  readonly definition?: Definition | undefined;
  readonly now: string;
};

export class CallsOf {
  readonly #known: Known;
  readonly #decoder: Decoder;
  readonly #outcomes: ReadonlyMap<number, Outcome>;
  readonly #closedAt: string | undefined;

  constructor(steps: readonly Step[], known: Known, decoder: Decoder) {
    this.#known = known;
    this.#decoder = decoder;
    this.#outcomes = outcomesIn(steps);
    this.#closedAt = steps.findLast((step) => step.kind === 'close')?.at;
  }

  /** The step of an activity, and the tool calls that ran inside it. */
  async steps(activity: Step<'activity'>): Promise<readonly TraceStep[]> {
    const { id, name } = activity;
    const { definition } = this.#known;
    const { end, attempt } = this.#outcomes.get(id) ?? {};
    const call = end ? await this.#endedCall(activity, end, attempt) : this.#openCall(activity);
    if (name !== 'callModel' && name !== 'summarise' && !isToolCall(name))
      return [{ kind: 'work', name, ...call }];
    const result = await this.#decoder.value(end?.result);
    if (name === 'summarise') {
      const { usage, costUsd } = (result as SummariseResult | undefined)?.spend ?? {};
      const cost = defined({ usage: usage && toUsage(usage), costUsd });
      return [{ kind: 'summary', ...call, ...cost }];
    }
    const input = await this.#decoder.value(activity.input);
    if (name === 'callModel') return chatSteps(call, { input, result, definition });
    const tool = toolOfActivity(name, input, definition);
    return [{ kind: 'tool', name: tool, ...call, ...errorIn(result) }];
  }

  async #endedCall(
    { at }: Step<'activity'>,
    end: Step<'end'>,
    attempt: Step<'attempt'> | undefined,
  ): Promise<TraceCall> {
    const error =
      (await this.#decoder.text(end.failure)) ?? (await this.#decoder.text(attempt?.failure));
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
  #openCall({ at, activityId }: Step<'activity'>): TraceCall {
    const pending = this.#known.pending.get(activityId);
    const ms = spanMs(at, this.#closedAt ?? this.#known.now);
    const { attempts = 0, error } = pending ?? {};
    return {
      status: this.#closedAt === undefined ? 'open' : 'cancelled',
      startedAt: at,
      ms,
      attempts,
      ...(pending && attempts === 0 && { waitMs: ms }),
      ...defined({ error }),
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
      ...defined({ model, usage: entry && toUsage(entry.usage), costUsd }),
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
