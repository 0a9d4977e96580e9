// The events of a history that a trace needs, decoded. What this client cannot decode is absent, and noted.

import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { isJsonObject } from '../../../base/json';
import { oneLine } from '../../../base/text';
import { limits } from '../../../protocol/limits';
import { memoKey, signalNames, updateNames } from '../../../protocol/names';
import type { RunMemo } from '../../../protocol/run';
import { asLonghaulError, readable } from '../../server/failures';
import { decode, type HistoryEvent, type HistoryPayload, timeOf } from '../history';
import { endedStep } from '../history-steps';
import { memoOf } from '../../read/run-view';
import type { TracePause, TraceStatus } from './run-trace';

type EndStatus = Exclude<TraceStatus, 'open'>;
type AnswerKind = NonNullable<TracePause['end']>;

/** An activity or child run as its history begins it. `id`: the event that did. `name`: its type. */
type Called = { readonly id: number; readonly name: string; readonly input: unknown };

type Ended = { readonly status: EndStatus; readonly error?: string };

type PastFact =
  | { readonly kind: 'begin'; readonly type: string; readonly input: unknown }
  | ({ readonly kind: 'activity'; readonly activityId: string } & Called)
  | ({ readonly kind: 'child'; readonly workflowId: string } & Called)
  | Attempted
  | ({ readonly kind: 'end'; readonly id: number; readonly result?: unknown } & Ended)
  | { readonly kind: 'memo'; readonly memo: RunMemo }
  | Answered
  | ({ readonly kind: 'close' } & Ended);

/** The last start of an activity. `error`: of the attempt before it. */
type Attempted = {
  readonly kind: 'attempt';
  readonly id: number;
  readonly attempt: number;
  readonly error?: string;
};

type Answered = {
  readonly kind: 'answer';
  readonly inputId: string;
  readonly said: AnswerKind;
  readonly by?: string;
};

/** `at`: ISO 8601. */
export type PastEvent = PastFact & { readonly at: string };

/** Milliseconds from one time to another; 0 if a clock went back. */
export function spanMs(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

type Payloads = { readonly payloads?: HistoryPayload[] | null } | null | undefined;
type Memo = { readonly fields?: Record<string, HistoryPayload> | null } | null | undefined;
type HistoryFailure = Parameters<typeof decodeOptionalFailureToOptionalError>[1];

/** By the name of the update, or by the kind of the answer in a signal. */
const answerKinds: ReadonlyMap<unknown, AnswerKind> = new Map([
  [updateNames.resume, 'answered'],
  [updateNames.approve, 'approved'],
  [updateNames.reject, 'rejected'],
  [updateNames.complete, 'completed'],
  [updateNames.fail, 'failed'],
]);

/** The root run passes answers down with the first one. */
const answerSignals: ReadonlySet<unknown> = new Set([signalNames.answer, signalNames.resume]);

/** Decodes the events of one run. */
export class PastEvents {
  readonly #client: Client;
  readonly #gaps = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** What it could not decode, each reason once. */
  get gaps(): readonly string[] {
    return [...this.#gaps];
  }

  /** What an event says: nothing for most, and two facts for the first event of a continued run. */
  async read(event: HistoryEvent): Promise<readonly PastEvent[]> {
    const at = timeOf(event);
    const facts = [
      ...(await this.#begun(event)),
      ...(await this.#called(event)),
      ...(await this.#attempted(event)),
      ...(await this.#ended(event)),
      ...(await this.#answered(event)),
      ...(await this.#closed(event)),
    ];
    return facts.map((fact) => ({ ...fact, at }));
  }

  async #begun(event: HistoryEvent): Promise<PastFact[]> {
    const started = event.workflowExecutionStartedEventAttributes;
    const { upsertedMemo } = event.workflowPropertiesModifiedEventAttributes ?? {};
    const memo = await this.#memo(started?.memo ?? upsertedMemo);
    if (!started) return memo;
    const type = started.workflowType?.name ?? '';
    return [{ kind: 'begin', type, input: await this.#first(started.input) }, ...memo];
  }

  async #memo(memo: Memo): Promise<PastFact[]> {
    const payload = memo?.fields?.[memoKey];
    if (payload === undefined) return [];
    return [{ kind: 'memo', memo: memoOf({ memo: { [memoKey]: await this.#decode(payload) } }) }];
  }

  async #called(event: HistoryEvent): Promise<PastFact[]> {
    const id = Number(event.eventId);
    const activity = event.activityTaskScheduledEventAttributes;
    if (activity) {
      const [name, activityId] = [activity.activityType?.name ?? '', activity.activityId ?? ''];
      return [{ kind: 'activity', id, name, activityId, input: await this.#first(activity.input) }];
    }
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (!child) return [];
    const [name, workflowId] = [child.workflowType?.name ?? '', child.workflowId ?? ''];
    return [{ kind: 'child', id, name, workflowId, input: await this.#first(child.input) }];
  }

  async #attempted(event: HistoryEvent): Promise<Attempted[]> {
    const started = event.activityTaskStartedEventAttributes;
    if (!started) return [];
    const attempt = started.attempt ?? 1;
    const error = await this.failureText(started.lastFailure);
    return [
      { kind: 'attempt', id: Number(started.scheduledEventId), attempt, ...(error && { error }) },
    ];
  }

  async #ended(event: HistoryEvent): Promise<PastFact[]> {
    const id = endedStep(event);
    if (id === 0) return [];
    const completed =
      event.activityTaskCompletedEventAttributes ??
      event.childWorkflowExecutionCompletedEventAttributes;
    if (completed) {
      const result = await this.#first(completed.result);
      return [{ kind: 'end', id, status: 'completed', result }];
    }
    const isCancelled =
      event.activityTaskCanceledEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes;
    if (isCancelled) return [{ kind: 'end', id, status: 'cancelled' }];
    const failed =
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.childWorkflowExecutionFailedEventAttributes;
    const error = await this.failureText(failed?.failure);
    return [{ kind: 'end', id, status: 'failed', ...(error && { error }) }];
  }

  async #answered(event: HistoryEvent): Promise<Answered[]> {
    const { name, list } = answerIn(event);
    const given = name === undefined ? undefined : await this.#first(list);
    if (!isJsonObject(given) || typeof given['inputId'] !== 'string') return [];
    const { inputId, by, kind } = given;
    const said = answerKinds.get(name) ?? answerKinds.get(kind) ?? 'answered';
    const actor = isJsonObject(by) && typeof by['id'] === 'string' ? by['id'] : undefined;
    return [{ kind: 'answer', inputId, said, ...(actor !== undefined && { by: actor }) }];
  }

  async #closed(event: HistoryEvent): Promise<PastFact[]> {
    if (event.workflowExecutionCompletedEventAttributes)
      return [{ kind: 'close', status: 'completed' }];
    if (event.workflowExecutionCanceledEventAttributes)
      return [{ kind: 'close', status: 'cancelled' }];
    const terminated = event.workflowExecutionTerminatedEventAttributes;
    if (terminated) return [ended(`terminated: ${terminated.reason ?? ''}`)];
    if (event.workflowExecutionTimedOutEventAttributes) return [ended('timed out')];
    const failed = event.workflowExecutionFailedEventAttributes;
    return failed ? [ended((await this.failureText(failed.failure)) ?? 'failed')] : [];
  }

  /** One line, with the type of an error that has one. Undefined without a failure. */
  async failureText(failure: HistoryFailure): Promise<string | undefined> {
    if (!failure) return undefined;
    const { loadedDataConverter } = this.#client.options;
    let error: Error | undefined = await decodeOptionalFailureToOptionalError(
      loadedDataConverter,
      failure,
    ).catch((problem: unknown) => this.#note(problem));
    while (error && !(error instanceof ApplicationFailure) && error.cause instanceof Error)
      error = error.cause;
    const type = error instanceof ApplicationFailure ? error.type : undefined;
    const text = oneLine(error?.message ?? 'unreadable', limits.failureMessage);
    return typeof type === 'string' && type !== 'Error' ? `${type}: ${text}` : text;
  }

  async #first(list: Payloads): Promise<unknown> {
    const [payload] = list?.payloads ?? [];
    return payload && (await this.#decode(payload));
  }

  async #decode(payload: HistoryPayload): Promise<unknown> {
    try {
      return readable(await decode(this.#client, payload));
    } catch (error) {
      return this.#note(error);
    }
  }

  #note(error: unknown): undefined {
    this.#gaps.add(asLonghaulError(error).message);
  }
}

/** The name of the update or signal; undefined if the event is no answer. */
function answerIn(event: HistoryEvent): { readonly name?: string; readonly list?: Payloads } {
  const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (update?.name && answerKinds.has(update.name)) return { name: update.name, list: update.args };
  if (!signal?.signalName || !answerSignals.has(signal.signalName)) return {};
  return { name: signal.signalName, list: signal.input };
}

function ended(error: string): PastFact {
  return { kind: 'close', status: 'failed', error };
}
