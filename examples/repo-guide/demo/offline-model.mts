import { setTimeout as sleep } from 'node:timers/promises';
import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock';
import { nextTurn, type PastCall } from './offline-script.mts';

/** A scripted model behind a real HTTP server that speaks OpenAI's Responses API: every layer but the model is the real one. */
export type OfflineModel = {
  readonly baseURL: string;
  /** Calls made from now on are not answered before the returned function is called. */
  hold(): () => void;
  stop(): Promise<void>;
};

const thinkingMs = 300;

export async function startOfflineModel(): Promise<OfflineModel> {
  let gate = Promise.resolve();
  const mock = new LLMock({ port: 0, host: '127.0.0.1', latency: 15, chunkSize: 24 });
  mock.on({ predicate: () => true }, async (request) => {
    await sleep(thinkingMs);
    await gate;
    return respond(request);
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

/** The script knows nothing but the conversation it is sent, as a model does. */
function respond(request: ChatCompletionRequest): FixtureResponse {
  const { text, calls } = nextTurn(pastCalls(request));
  const toolCalls = calls.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) }));
  const usage = {
    input_tokens: estimateTokens(request),
    output_tokens: estimateTokens([text, toolCalls]),
  };
  return toolCalls.length === 0 ? { content: text, usage } : { content: text, toolCalls, usage };
}

/** The tool calls of the conversation, each with what came back. */
function pastCalls({ messages }: ChatCompletionRequest): PastCall[] {
  const results = new Map(messages.map(({ tool_call_id: id, content }) => [id, content]));
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .map(({ id, function: { name, arguments: args } }) => {
      const result = results.get(id);
      return {
        name,
        args: JSON.parse(args) as PastCall['args'],
        result: typeof result === 'string' ? result : '',
      };
    });
}

function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
