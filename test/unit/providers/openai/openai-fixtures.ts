import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions/completions';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import type { Message } from '../../../../src/protocol/message';
import type { ModelDelta, ModelRequest } from '../../../../src/providers/provider';
import { ChatStream, type FinishedChat } from '../../../../src/providers/openai/chat/chat-stream';
import {
  ResponsesStream,
  type FinishedResponse,
} from '../../../../src/providers/openai/responses/responses-stream';
import { user } from '../../core/builders';

export const target = { provider: 'openai', model: 'gpt-5-mini' };
export const responsesOrigin = { ...target, api: 'openai-responses' };
export const chatOrigin = { ...target, api: 'openai-chat' };

/** The events of a stream, written by hand after the API's types for what the double does not send. */
export function fixture<Event>(name: string): Event[] {
  const path = join(__dirname, '../../../fixtures/openai', `${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as Event[];
}

export function streamedResponse(name: string): {
  finished: FinishedResponse;
  deltas: ModelDelta[];
} {
  const deltas: ModelDelta[] = [];
  const stream = new ResponsesStream(target, (delta) => void deltas.push(delta));
  for (const event of fixture<ResponseStreamEvent>(name)) stream.accept(event);
  if (stream.finished === undefined) throw new Error(`${name} has no final event`);
  return { finished: stream.finished, deltas };
}

export function streamedChat(name: string): { finished: FinishedChat; deltas: ModelDelta[] } {
  const deltas: ModelDelta[] = [];
  const stream = new ChatStream((delta) => void deltas.push(delta));
  for (const chunk of fixture<ChatCompletionChunk>(name)) stream.accept(chunk);
  if (stream.finished === undefined) throw new Error(`${name} has no finish reason`);
  return { finished: stream.finished, deltas };
}

export function aRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'gpt-5-mini',
    messages: [user('Hi')],
    tools: [],
    toolChoice: 'auto',
    settings: {},
    cacheKey: 'run-1',
    ...overrides,
  };
}

/** An assistant turn of another provider: its sealed data means nothing to OpenAI. */
export const foreignTurn: Message = {
  role: 'assistant',
  origin: { provider: 'anthropic', api: 'anthropic-messages', model: 'claude' },
  parts: [
    {
      type: 'reasoning',
      text: 'Hidden thought',
      sealed: { api: 'anthropic-messages', model: 'claude', data: { signature: 'c2ln' } },
    },
    { type: 'text', text: 'Let me ' },
    { type: 'text', text: 'look.' },
    {
      type: 'opaque',
      label: 'server_tool_use',
      sealed: { api: 'anthropic-messages', model: 'claude', data: { type: 'server_tool_use' } },
    },
    {
      type: 'tool_call',
      callId: 'toolu_1',
      name: 'get_weather',
      args: { city: 'Paris' },
      sealed: { api: 'anthropic-messages', model: 'claude', data: { caller: { type: 'direct' } } },
    },
  ],
};
