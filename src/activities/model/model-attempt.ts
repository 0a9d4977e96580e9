// One attempt at a model call, and everything that may end it early.

import { type LivePlace, LonghaulError, ProviderError, timeouts } from '../../protocol';
import {
  badResponse,
  type CallTarget,
  isNetworkError,
  type ModelDelta,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  providerErrorFromNetwork,
} from '../../providers';
import type { ActivityDependencies } from '../dependencies';
import { anySignal } from '../any-signal';
import { TemporalFailure } from '@temporalio/common';
import { checkJson } from '../../core/session';
import { isJsonObject } from '../../base';
import { describeError } from '../failures';
import { currentAttempt, publish } from '../live';
import { type CallWatch, unwatched } from '../../telemetry';
import type { EarlyStop } from './early-stop';

export type ModelAttempt = {
  readonly dependencies: Pick<ActivityDependencies, 'onDelta' | 'deltas'>;
  /** The step that the call is for. Undefined if nobody may watch it. */
  readonly step: (LivePlace & { readonly turn: number }) | undefined;
  /** Begins the span of the call. */
  readonly begin?: (request: ModelRequest) => CallWatch;
  readonly signal: AbortSignal;
  readonly earlyStop: EarlyStop | undefined;
  /** Sees the deltas of a turn that is not cut. */
  readonly inline?: { see(delta: ModelDelta): void } | undefined;
};

/** One HTTP attempt. It ends early by cancellation, after `timeouts.modelIdle` without data, or when the turn cannot run. */
export async function attempt(
  provider: ModelProvider,
  request: ModelRequest,
  call: ModelAttempt,
): Promise<ModelResponse> {
  const { earlyStop, begin = () => unwatched } = call;
  const target = { provider: provider.name, model: request.model };
  const watch = begin(request);
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(idleError(provider)), timeouts.modelIdle);
  const options = {
    signal: anySignal([call.signal, idle.signal, ...(earlyStop ? [earlyStop.signal] : [])]),
    onActivity: (): void => {
      timer.refresh();
    },
    onDelta: deltaSink(call, () => watch.firstToken()),
  };
  try {
    const given = await watch.run(() => provider.call(request, options));
    const response = checkedResponse(target, given);
    watch.end({ response });
    return response;
  } catch (error) {
    const cut = earlyStop?.cutTurn({ ...target, api: provider.name });
    if (cut !== undefined) {
      watch.end({ response: cut });
      return cut;
    }
    const failure = options.signal.aborted ? error : providerFailure(target, error);
    watch.end({ error: failure });
    throw failure;
  } finally {
    clearTimeout(timer);
  }
}

/** Forwards no delta after the one that cut the turn. */
function deltaSink(call: ModelAttempt, began: () => void): (delta: ModelDelta) => void {
  const { earlyStop, inline } = call;
  const forward = forwarding(call);
  return (delta) => {
    began();
    if (earlyStop?.isCut) return;
    forward(delta);
    earlyStop?.see(delta);
    if (!earlyStop?.isCut) inline?.see(delta);
  };
}

function forwarding({ dependencies, step }: ModelAttempt): (delta: ModelDelta) => void {
  const { onDelta, deltas } = dependencies;
  if (step === undefined || (onDelta === undefined && deltas === undefined)) return () => undefined;
  const place = { ...step, ...currentAttempt() };
  let seq = 0;
  publish(deltas, () => ({ kind: 'begin', ...place }));
  return (delta) => {
    const event = { ...place, seq, delta };
    seq += 1;
    onDelta?.(event);
    publish(deltas, () => ({ kind: 'delta', ...event }));
  };
}

function idleError(provider: ModelProvider): ProviderError {
  const seconds = timeouts.modelIdle / 1_000;
  return new ProviderError(
    'unavailable',
    `${provider.name} sent nothing for ${seconds} seconds; the call is retried`,
  );
}

/** Checks the response, because a provider may be the user's own. Throws `bad_response`. */
export function checkedResponse(target: CallTarget, response: ModelResponse): ModelResponse {
  const problem = problemOf(response);
  if (problem === undefined) return response;
  throw badResponse(target, `the provider's response cannot be used: ${problem}`);
}

/** Classifies an error that a user's provider threw. Temporal does not retry an unknown error for ever. */
export function providerFailure(target: CallTarget, error: unknown): unknown {
  if (LonghaulError.is(error) || error instanceof TemporalFailure) return error;
  if (isNetworkError(error)) return providerErrorFromNetwork(target, error);
  return badResponse(target, describeError(error), error);
}

function problemOf(response: unknown): string | undefined {
  if (!isJsonObject(response)) return 'it is not an object';
  const { content, usage, finishReason } = response;
  if (!Array.isArray(content)) return 'content is not a list of parts';
  const index = content.findIndex((part) => !isPart(part));
  if (index >= 0) return `content[${index}] is not a part of a message`;
  if (!isJsonObject(usage)) return 'usage is missing';
  if (typeof finishReason !== 'string') return 'finishReason is missing';
  const violation = checkJson({ content, usage });
  return violation && `${violation.path}: ${violation.problem}`;
}

function isPart(part: unknown): boolean {
  if (!isJsonObject(part) || typeof part['type'] !== 'string') return false;
  const { type, text, callId, name, args } = part;
  if (type === 'text' || type === 'reasoning' || type === 'refusal')
    return typeof text === 'string';
  if (type !== 'tool_call') return true;
  const isNamed = typeof callId === 'string' && typeof name === 'string';
  return isNamed && (args === null || isJsonObject(args));
}
