// The attributes of spans of calls and segments, without content. They are numbers and names only, and have no text of people or models.

import type { AttributeValue, Attributes } from '@opentelemetry/api';
import { clipText } from '../../base';
import { LonghaulError, ProviderError, type RunSpend } from '../../protocol';
import type { CallEnd, CallStart, ModelCall, RunOfCall, Telemetry, ToolCall } from '../index';
import { finishReasonName } from './content';
import {
  errorType,
  genAi,
  longhaul,
  providerName,
  sessionId,
  spanNames as operations,
} from './conventions';

export type Segment = Parameters<Telemetry['segment']>[0];

const descriptionBytes = 1024;

/** Leaves out what is not known. */
function known(
  attributes: Readonly<Record<string, AttributeValue | null | undefined>>,
): Attributes {
  const entries = Object.entries(attributes).filter(([, value]) => value != null);
  return Object.fromEntries(entries) as Attributes;
}

export function nameOfCall({ call }: CallStart): string {
  return call.kind === 'model'
    ? `${operations.chat} ${call.model}`
    : `${operations.executeTool} ${call.name}`;
}

/** The attributes of a call's span at its start, for samplers. */
export function startOfCall(start: CallStart): Attributes {
  const { run, taskQueue, turn, attempt, workerWaitMs, call } = start;
  return {
    ...(call.kind === 'model' ? modelAttributes(call) : toolAttributes(call)),
    ...runAttributes(run),
    ...known({
      [genAi.agentId]: run.agentId,
      [genAi.agentName]: run.agentId,
      [longhaul.taskQueue]: taskQueue,
      [longhaul.turn]: turn,
      [longhaul.attempt]: attempt,
      [longhaul.workerWaitMs]: workerWaitMs,
    }),
  };
}

function modelAttributes({ purpose, provider, model, request }: ModelCall): Attributes {
  const { temperature, maxOutputTokens, stop } = request?.settings ?? {};
  return known({
    [genAi.operation]: operations.chat,
    [genAi.provider]: providerName(provider),
    [genAi.requestModel]: model,
    [genAi.outputType]: request && (request.output === undefined ? 'text' : 'json'),
    [genAi.temperature]: temperature,
    [genAi.maxTokens]: maxOutputTokens,
    [genAi.stopSequences]: stop && [...stop],
    [longhaul.purpose]: purpose,
  });
}

function toolAttributes({ name, type, callId, description }: ToolCall): Attributes {
  return known({
    [genAi.operation]: operations.executeTool,
    [genAi.toolName]: name,
    [genAi.toolType]: type,
    [genAi.toolCallId]: callId,
    [genAi.toolDescription]: description && clipText(description, descriptionBytes),
  });
}

type Run = Omit<RunOfCall, 'agentId'>;

function runAttributes({ workflowId, runId, root, path, thread, definition }: Run): Attributes {
  const conversation = thread ?? root;
  return known({
    [genAi.conversation]: conversation,
    [sessionId]: conversation,
    [genAi.agentVersion]: definition,
    [longhaul.definition]: definition,
    [longhaul.workflowId]: workflowId,
    [longhaul.runId]: runId,
    [longhaul.root]: root,
    [longhaul.path]: path,
  });
}

/** The attributes of a call's span at its end. */
export function endOfCall({ response, costUsd }: CallEnd): Attributes {
  if (response === undefined) return {};
  const { usage, ids, origin, finishReason } = response;
  return known({
    [genAi.responseId]: ids?.response ?? ids?.message,
    [genAi.responseModel]: origin?.model,
    [genAi.finishReasons]: [finishReasonName(finishReason)],
    [genAi.inputTokens]: usage.inputTokens,
    [genAi.outputTokens]: usage.outputTokens,
    [genAi.cacheReadTokens]: usage.cacheReadTokens,
    [genAi.cacheWriteTokens]: usage.cacheWriteTokens,
    [genAi.reasoningTokens]: usage.reasoningTokens,
    [longhaul.cost]: costUsd,
  });
}

/** The name of an error, with few possible values: the code of Longhaul, with the kind of a provider's error, or the class. */
export function errorTypeOf({
  error,
  output,
}: Pick<CallEnd, 'error' | 'output'>): string | undefined {
  if (error === undefined) return output?.isError === true ? 'ToolError' : undefined;
  if (ProviderError.is(error)) return `${error.code}.${error.kind}`;
  if (LonghaulError.is(error)) return error.code;
  const { type, constructor } = Object(error) as { type?: unknown; constructor?: unknown };
  if (error instanceof Error && typeof type === 'string') return clipText(type, 100);
  const name = typeof constructor === 'function' ? constructor.name : '';
  return error instanceof Error && name !== '' ? clipText(name, 100) : '_OTHER';
}

export function isAgent({ kind }: Segment): boolean {
  return kind === 'agent';
}

export function nameOfSegment(segment: Segment): string {
  const { invokeAgent, invokeWorkflow } = operations;
  return `${isAgent(segment) ? invokeAgent : invokeWorkflow} ${segment.runner}`;
}

export function segmentAttributes(segment: Segment): Attributes {
  const { runner, number, pausedMs, status, error, taskQueue, spend } = segment;
  return {
    ...runAttributes(segment),
    ...known({
      [genAi.operation]: isAgent(segment) ? operations.invokeAgent : operations.invokeWorkflow,
      [genAi.agentId]: runner,
      [genAi.agentName]: runner,
      [genAi.workflowName]: isAgent(segment) ? undefined : runner,
      [longhaul.taskQueue]: taskQueue,
      [longhaul.segment]: number,
      [longhaul.pausedMs]: pausedMs,
      [longhaul.status]: status,
      [errorType]: error,
    }),
    ...spendAttributes(spend),
  };
}

/** The spending, not under the conventions' names: a viewer would add it to the spending of the calls. */
function spendAttributes(spend: RunSpend | undefined): Attributes {
  return known({
    [longhaul.runInputTokens]: spend?.usage.inputTokens,
    [longhaul.runOutputTokens]: spend?.usage.outputTokens,
    [longhaul.runCost]: spend?.costUsd,
  });
}
