import { setTimeout as sleep } from 'node:timers/promises';
import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock';
import type { Conversation, PastCall, Script } from './script.mts';

/** A scripted model behind a real HTTP server that speaks OpenAI's Responses API: every layer but the model is the real one. */
export type OfflineModel = {
  readonly baseURL: string;
  /** Calls made from now on are not answered before the returned function is called. */
  hold(): () => void;
  stop(): Promise<void>;
};

/** How fast it speaks: so many characters, then so many milliseconds. */
export type Pace = { readonly chunkSize: number; readonly latency: number };

const thinkingMs = 300;
const usualPace: Pace = { chunkSize: 24, latency: 15 };

export async function startOfflineModel(script: Script, pace = usualPace): Promise<OfflineModel> {
  let gate = Promise.resolve();
  const mock = new LLMock({ port: 0, host: '127.0.0.1', ...pace });
  mock.on({ predicate: () => true }, async (request) => {
    await sleep(thinkingMs);
    await gate;
    return respond(request, script);
  });
  const origin = await mock.start();
  return {
    baseURL: `${origin}/v1`,
    hold: () => {
      let open = (): void => undefined;
      gate = new Promise((resolve) => (open = resolve));
      return () => open();
    },
    stop: () => mock.stop(),
  };
}

function respond(request: ChatCompletionRequest, script: Script): FixtureResponse {
  const { text, calls } = script(toConversation(request));
  const toolCalls = calls.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) }));
  const usage = {
    input_tokens: estimateTokens(request),
    output_tokens: estimateTokens([text, toolCalls]),
  };
  return toolCalls.length === 0 ? { content: text, usage } : { content: text, toolCalls, usage };
}

function toConversation({ messages, tools = [] }: ChatCompletionRequest): Conversation {
  const results = new Map(messages.map(({ tool_call_id: id, content }) => [id, content]));
  const past = messages
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ id, function: { name, arguments: args } }) => {
      return { name, args: JSON.parse(args) as PastCall['args'], result: toText(results.get(id)) };
    });
  const system = messages.find(({ role }) => role === 'system');
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => toText(content));
  return {
    instructions: toText(system?.content),
    tools: tools.map((tool) => tool.function.name),
    input: said.at(-1) ?? '',
    said,
    past,
  };
}

function toText(content: ChatCompletionRequest['messages'][number]['content'] | undefined): string {
  if (content === undefined || content === null) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n');
}

function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
