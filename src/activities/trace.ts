// Reports the calls of one attempt of an activity to telemetry.

import { Context } from '@temporalio/activity';
import { defined, hashOf } from '../base';
import type { CallModelInput, Traced } from '../protocol';
import { costOf, type ModelResponse, type PriceTable } from '../providers';
import {
  type CallEnd,
  type CallStart,
  type CallWatch,
  type ModelCall,
  type Telemetry,
  type ToolCall,
  unwatched,
} from '../telemetry';
import { ownWorkflowId } from './definition/pinned-definition';
import { lastTimeout } from './last-timeout';

type Listener = { readonly telemetry?: Telemetry; readonly prices: PriceTable };

/** The members of an activity's input that spans need. */
type TracedInput = Traced &
  Pick<CallModelInput, 'agentId' | 'path' | 'turn'> &
  Partial<Pick<CallModelInput, 'definition'>>;

type Call = ModelCall | ToolCall;

type Attempt = Pick<CallStart, 'attempt' | 'startedAt' | 'workerWaitMs'>;

/** Make one when the attempt begins. It does nothing without telemetry, and for a run that is in no trace. */
export class AttemptTrace {
  readonly #listener: Listener;
  readonly #input: TracedInput;
  readonly #workerWaitMs: number;

  constructor(listener: Listener, input: TracedInput) {
    const { currentAttemptScheduledTimestampMs } = Context.current().info;
    this.#listener = listener;
    this.#input = input;
    this.#workerWaitMs = Math.max(0, Date.now() - currentAttemptScheduledTimestampMs);
  }

  /** Call it when the attempt makes a call. `place` distinguishes it from other calls of the activity. */
  begin(call: Call, place = ''): CallWatch {
    const { telemetry } = this.#listener;
    const { trace } = this.#input;
    if (telemetry === undefined || trace === undefined) return unwatched;
    const { attempt } = Context.current().info;
    const now = { attempt, startedAt: Date.now(), workerWaitMs: this.#workerWaitMs };
    const watch = telemetry.begin(this.#start(trace, { call, place }, now));
    return {
      run: (code) => watch.run(code),
      firstToken: () => watch.firstToken(),
      end: (end) => watch.end({ ...end, ...this.#costOf(call, end) }),
    };
  }

  /**
   * Reports the attempt before this one, if its worker was lost and could not report it. Only the server knows that. `response` is the
   * response that the lost attempt had got.
   */
  async tellLost(call: Call, response?: ModelResponse, place = ''): Promise<void> {
    const { telemetry } = this.#listener;
    const { trace } = this.#input;
    const { info } = Context.current();
    if (telemetry === undefined || trace === undefined || info.attempt === 1) return;
    const reason = await lastTimeout();
    if (reason === undefined) return;
    const endedAt = info.currentAttemptScheduledTimestampMs;
    const startedAt = info.attempt === 2 ? info.scheduledTimestampMs : endedAt;
    const before = { attempt: info.attempt - 1, startedAt, workerWaitMs: 0 };
    const end = { ...defined({ response }), endedAt, reason };
    telemetry.lost(this.#start(trace, { call, place }, before), {
      ...end,
      ...this.#costOf(call, end),
    });
  }

  #start(
    above: string,
    { call, place }: { readonly call: Call; readonly place: string },
    attempt: Attempt,
  ): CallStart {
    const { activityId, workflowExecution, scheduledTimestampMs, taskQueue } =
      Context.current().info;
    const { definition, agentId, path = agentId, turn } = this.#input;
    const workflowId = ownWorkflowId();
    const runId = workflowExecution?.runId ?? '';
    const { hash, root = workflowId, thread } = definition ?? {};
    const id = ['call', runId, activityId, scheduledTimestampMs, attempt.attempt, place];
    return {
      span: hashOf(id.join(' ')),
      above,
      run: { workflowId, runId, root, path, agentId, ...defined({ definition: hash, thread }) },
      taskQueue,
      turn,
      ...attempt,
      call,
    };
  }

  #costOf(call: Call, { response }: Pick<CallEnd, 'response'>): Pick<CallEnd, 'costUsd'> {
    if (call.kind !== 'model' || response === undefined) return {};
    const { provider, model } = call;
    return defined({ costUsd: costOf(this.#listener.prices, { provider, model }, response.usage) });
  }
}
