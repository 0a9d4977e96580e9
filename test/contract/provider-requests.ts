import type { AssistantPart, Message, ToolContent, ToolResult } from '../../src/protocol/message';
import type {
  CallOptions,
  ModelDelta,
  ModelRequest,
  ModelResponse,
} from '../../src/providers/provider';
import type { ProviderDialect } from './provider-dialect';

export const weatherTool = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
export const timeTool = {
  name: 'get_time',
  description: 'The time in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

export function aRequest(
  dialect: ProviderDialect,
  overrides: Partial<ModelRequest> = {},
): ModelRequest {
  return {
    model: dialect.model,
    messages: [userMessage('What is the weather in Paris?')],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    cacheKey: 'run-1',
    ...overrides,
  };
}

export function userMessage(text: string): Message {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

export function assistantMessage({ content, origin }: ModelResponse): Message {
  return { role: 'assistant', parts: content, origin };
}

/** One message that answers every call of a response, in call order. */
export function toolMessage(
  response: ModelResponse,
  answers: readonly { readonly content: readonly ToolContent[]; readonly isError?: boolean }[],
): Message {
  const calls = response.content.filter((part) => part.type === 'tool_call');
  const parts = calls.map(({ callId, name }, index): ToolResult => {
    const { content = [], isError = false } = answers[index] ?? {};
    return { type: 'tool_result', callId, name, isError, content };
  });
  return { role: 'tool', parts };
}

export type Recorded = {
  readonly options: CallOptions;
  readonly deltas: readonly ModelDelta[];
  readonly activity: () => number;
};

export function recordedOptions(overrides: Partial<CallOptions> = {}): Recorded {
  const deltas: ModelDelta[] = [];
  let activity = 0;
  const options: CallOptions = {
    signal: new AbortController().signal,
    onDelta: (delta) => void deltas.push(delta),
    onActivity: () => {
      activity += 1;
    },
    ...overrides,
  };
  return { options, deltas, activity: () => activity };
}

export function textOf(deltas: readonly ModelDelta[], kind: 'text' | 'reasoning' = 'text'): string {
  return deltas.map((delta) => (delta.kind === kind ? delta.text : '')).join('');
}

/** What a reader sees: providers also send parts that hold nothing but sealed data. */
export function visibleParts({ content }: ModelResponse): readonly AssistantPart[] {
  return content.filter(
    (part) => part.type !== 'opaque' && !(part.type === 'reasoning' && part.text === ''),
  );
}
