import { setTimeout as delay } from 'node:timers/promises';
import {
  type AssistantPart,
  type FinishReason,
  type Message,
  ProviderError,
  type ToolCallPart,
  type Usage,
} from '../protocol';
import {
  type CallOptions,
  checkToolArguments,
  isCut,
  type ModelDelta,
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
} from '../providers';
import { deepFreeze, type JsonObject } from '../base';

const someUsage: Usage = {
  inputTokens: 10,
  outputTokens: 5,
  totalTokens: 15,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

const chunk = /[\s\S]{1,12}/gu;

export type ScriptedModelOptions = {
  /** The provider's name. Default `scripted`. */
  readonly name?: string;
  /**
   * Gives each conversation the whole script. With `'conversation'`, requests with the same first user message are one conversation. With a
   * function, requests with the same key are.
   */
  readonly per?: 'conversation' | ((request: ModelRequest) => string);
};

export interface ScriptedModel extends ModelProvider {
  /** All requests so far, in order, as frozen copies. */
  readonly requests: readonly ModelRequest[];
  /** Throws if a script has unused steps. The error names the first one. */
  assertConsumed(): void;
}

/**
 * A model provider that answers from a script: one step for each call, without a network. A call after the last step fails for good. A
 * function in place of the steps answers every call by its request alone, so it goes on after a restart of the worker.
 *
 * @example
 * const model = scriptedModel([
 *   { toolCalls: [{ name: 'get_weather', args: { city: 'Paris' } }] },
 *   'It is sunny in Paris.',
 * ]);
 */
export function scriptedModel(
  script: readonly ScriptedStep[] | Answering,
  { name = 'scripted', per }: ScriptedModelOptions = {},
): ScriptedModel {
  const steps = typeof script === 'function' ? [] : script;
  const requests: ModelRequest[] = [];
  const taken = new Map<string, number>();

  const takeStep = (
    request: ModelRequest,
  ): { readonly step: ScriptedStep; readonly number: number } => {
    if (typeof script === 'function') return { step: script, number: request.messages.length };
    const conversation = conversationOf(request, per);
    const number = (taken.get(conversation) ?? 0) + 1;
    const step = steps[number - 1];
    if (step === undefined) throw exhausted(steps.length, number, request);
    taken.set(conversation, number);
    return { step, number };
  };

  const call = async (request: ModelRequest, options: CallOptions): Promise<ModelResponse> => {
    options.signal.throwIfAborted();
    const recorded = deepFreeze(structuredClone(request));
    requests.push(recorded);
    const { step, number } = takeStep(recorded);
    const plain = await plainStep(step, recorded);
    if (plain.delayMs !== undefined) await pause(plain.delayMs, options.signal);
    if ('error' in plain) throw plain.error;
    const response = toResponse(plain, { provider: name, model: request.model, number });
    return { ...response, content: streamDeltas(response.content, options) };
  };

  const assertConsumed = (): void => {
    const scripts = taken.size === 0 ? [['', 0] as const] : [...taken];
    const unfinished = scripts.find(([, count]) => count < steps.length);
    if (unfinished === undefined) return;
    const [conversation, count] = unfinished;
    const where =
      per === undefined || conversation === '' ? '' : ` in conversation ${shown(conversation)}`;
    throw new Error(
      `scriptedModel: step ${count + 1} of ${steps.length} was never asked for${where}: ${describeStep(steps[count])}`,
    );
  };

  return { name, requests, call, assertConsumed };
}

function conversationOf(request: ModelRequest, per: ScriptedModelOptions['per']): string {
  if (per === undefined) return '';
  if (typeof per === 'function') return per(request);
  const first = request.messages.find((message) => message.role === 'user');
  return first === undefined ? '' : textOf(first);
}

/** Resolves after this real time, or rejects with the signal's reason. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function exhausted(length: number, number: number, request: ModelRequest): ProviderError {
  const last = request.messages.at(-1);
  const message = last === undefined ? 'none' : `${last.role} ${shown(textOf(last))}`;
  return new ProviderError(
    'rejected',
    `scriptedModel: step ${number} was asked for, the script has ${length}. Last message of the request: ${message}`,
  );
}

function textOf(message: Message): string {
  const texts = message.parts.map((part) =>
    part.type === 'text' ? part.text : JSON.stringify(part),
  );
  return texts.join('');
}

function describeStep(step: ScriptedStep | undefined): string {
  if (typeof step === 'function') return 'a function';
  if (typeof step === 'object' && 'error' in step) return `error ${shown(step.error.message)}`;
  return shown(typeof step === 'string' ? step : JSON.stringify(step));
}

function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}

/**
 * Streams the content as a provider would: text and reasoning in small pieces, calls in pieces of their arguments. Returns the content
 * up to a cut of the stream.
 */
function streamDeltas(
  content: readonly AssistantPart[],
  options: CallOptions,
): readonly AssistantPart[] {
  let calls = 0;
  for (const [position, part] of content.entries()) {
    const index = part.type === 'tool_call' ? calls++ : calls;
    for (const delta of deltasOf(part, index)) {
      options.signal.throwIfAborted();
      options.onActivity();
      options.onDelta(delta);
      if (isCut(options.signal)) return content.slice(0, position + 1);
    }
  }
  return content;
}

function deltasOf(part: AssistantPart, index: number): readonly ModelDelta[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return pieces(part.text).map((text) => ({ kind: 'text', text }));
    case 'reasoning':
      return pieces(part.text).map((text) => ({ kind: 'reasoning', text }));
    case 'tool_call':
      return callDeltas(part, index);
    case 'media':
    case 'opaque':
      return [];
  }
}

function callDeltas(
  { callId, name, args, rawArgs }: ToolCallPart,
  index: number,
): readonly ModelDelta[] {
  const text = rawArgs ?? JSON.stringify(args);
  return [
    { kind: 'tool-call', index, callId, name },
    ...pieces(text).map((piece) => ({ kind: 'tool-call', index, args: piece }) as const),
    { kind: 'tool-call', index, complete: true },
  ];
}

function pieces(text: string): readonly string[] {
  return text.match(chunk) ?? [];
}

/** `args` as a text are the arguments as the model wrote them. If they are not a JSON object, the call is malformed. */
export type ScriptedToolCall = {
  readonly name: string;
  readonly args?: JsonObject | string;
  /** Default: made of the step's number and the call's position. */
  readonly callId?: string;
};

type ResponseFields = {
  readonly usage?: Partial<Usage>;
  readonly finishReason?: FinishReason;
  /** Milliseconds of real time before the step takes effect. An abort ends the wait. */
  readonly delayMs?: number;
};

/** What the model does on one call. After a failing step the next attempt takes the next step. */
export type ScriptedStep =
  | string
  | (ResponseFields & { readonly text: string; readonly toolCalls?: readonly ScriptedToolCall[] })
  | (ResponseFields & { readonly toolCalls: readonly ScriptedToolCall[] })
  | (ResponseFields & { readonly content: readonly AssistantPart[] })
  | { readonly error: Error; readonly delayMs?: number }
  | Answering;

type Answering = (request: ModelRequest) => ScriptedStep | Promise<ScriptedStep>;

/** A step as an object, not as a function or a text. */
type PlainStep = Exclude<ScriptedStep, string | Answering>;

type ResponseStep = Exclude<PlainStep, { readonly error: Error }>;

async function plainStep(step: ScriptedStep, request: ModelRequest): Promise<PlainStep> {
  if (typeof step === 'string') return { text: step };
  if (typeof step === 'function') return plainStep(await step(request), request);
  return step;
}

/** The model, and the number of the step. */
type Turn = { readonly provider: string; readonly model: string; readonly number: number };

function toResponse(step: ResponseStep, { provider, model, number }: Turn): ModelResponse {
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
