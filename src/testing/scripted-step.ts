import type { JsonObject } from '../base/json';
import type { AssistantPart, FinishReason, ToolCallPart, Usage } from '../protocol/message';
import type { ModelRequest, ModelResponse } from '../providers/provider';
import { checkToolArguments } from '../providers/wire';

/** A text stands for arguments as the model wrote them: what is no JSON object becomes a malformed call, as with a real model. */
export type ScriptedToolCall = {
  readonly name: string;
  readonly args?: JsonObject | string;
  /** Made from the step's number and the call's position when left out. */
  readonly callId?: string;
};

type ResponseFields = {
  readonly usage?: Partial<Usage>;
  readonly finishReason?: FinishReason;
  /** Real time before the step takes effect; an abort ends it. */
  readonly delayMs?: number;
};

/** What the model does on one call. A failing call is a step like any other: the attempt after it takes the next one. */
export type ScriptedStep =
  | string
  | (ResponseFields & { readonly text: string; readonly toolCalls?: readonly ScriptedToolCall[] })
  | (ResponseFields & { readonly toolCalls: readonly ScriptedToolCall[] })
  | (ResponseFields & { readonly content: readonly AssistantPart[] })
  | { readonly error: Error; readonly delayMs?: number }
  | ((request: ModelRequest) => ScriptedStep | Promise<ScriptedStep>);

/** A step once it is no function and no shorthand. */
export type PlainStep = Exclude<ScriptedStep, string | ((request: ModelRequest) => unknown)>;

type ResponseStep = Exclude<PlainStep, { readonly error: Error }>;

const someUsage: Usage = {
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 15,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

export async function plainStep(step: ScriptedStep, request: ModelRequest): Promise<PlainStep> {
  if (typeof step === 'string') return { text: step };
  if (typeof step === 'function') return plainStep(await step(request), request);
  return step;
}

/** Who answers, and with which step of the script. */
export type Turn = { readonly provider: string; readonly model: string; readonly number: number };

export function toResponse(step: ResponseStep, { provider, model, number }: Turn): ModelResponse {
  const content = contentOf(step, number);
  const calls = content.some((part) => part.type === 'tool_call');
  return {
    content,
    usage: { ...someUsage, ...step.usage },
    finishReason: step.finishReason ?? (calls ? 'tool_calls' : 'stop'),
    origin: { provider, api: 'scripted', model },
  };
}

function contentOf(step: ResponseStep, number: number): readonly AssistantPart[] {
  if ('content' in step) return step.content;
  const text = 'text' in step ? [{ type: 'text', text: step.text } as const] : [];
  const calls = step.toolCalls?.map((call, index) => toToolCall(call, `call_${number}_${index}`));
  return [...text, ...(calls ?? [])];
}

function toToolCall({ name, args, callId }: ScriptedToolCall, ownId: string): ToolCallPart {
  return { type: 'tool_call', callId: callId ?? ownId, name, ...checkToolArguments(args) };
}
