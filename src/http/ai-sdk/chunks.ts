// Chunks of the AI SDK's UI message stream. Source: `ui-message-stream/ui-message-chunks.ts` of the package `ai` 7.0.

import type { JsonObject } from '../../base';
import type { FinishReason, MediaPart, ToolCallPart } from '../../protocol';

export type UiChunk = { readonly type: string; readonly [name: string]: unknown };

/** Finish reasons by ours. */
export const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
  pause: 'other',
  other: 'other',
};

export function inputChunk(toolCallId: string, call: ToolCallPart): UiChunk {
  const { name, args, rawArgs = '', argsError = 'the arguments are not a JSON object' } = call;
  if (args !== null)
    return { type: 'tool-input-available', toolCallId, toolName: name, input: args };
  return {
    type: 'tool-input-error',
    toolCallId,
    toolName: name,
    input: rawArgs,
    errorText: argsError,
  };
}

export type ShownInput = {
  readonly toolCallId: string;
  readonly name: string;
  readonly args: JsonObject | null;
  /** The arguments of the agent, if a person changed them. */
  readonly wanted?: JsonObject | null;
  readonly isBelow: boolean;
};

export function changed<Call extends ShownInput>(call: Call, args: JsonObject): Call {
  return { ...call, args, wanted: call.wanted ?? call.args };
}

export function availableChunk({ toolCallId, name, args, wanted, isBelow }: ShownInput): UiChunk {
  return {
    type: 'tool-input-available',
    toolCallId,
    toolName: name,
    input: args,
    ...(isBelow && { dynamic: true }),
    ...(wanted && { providerMetadata: { longhaul: { args: wanted } } }),
  };
}

export function fileChunk({ mediaType, source }: MediaPart): readonly UiChunk[] {
  if (source.kind === 'url') return [{ type: 'file', url: source.url, mediaType }];
  if (source.kind !== 'base64') return [];
  return [{ type: 'file', url: `data:${mediaType};base64,${source.data}`, mediaType }];
}
