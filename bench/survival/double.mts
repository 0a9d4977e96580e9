// The model: a real HTTP server that speaks OpenAI's APIs, and remembers which prompt and which tool schema each request had.
import { LLMock, type ChatCompletionRequest, type FixtureResponse } from '@copilotkit/aimock';

export type Age = 'old' | 'new';
/** One request, as far as it tells the old code from the new. */
export type Seen = { readonly prompt?: Age; readonly schema?: Age };

export class ModelDouble {
  readonly seen: Seen[] = [];
  url = '';
  readonly #mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });

  static async start(): Promise<ModelDouble> {
    const double = new ModelDouble();
    double.#mock.on({ predicate: () => true }, (request) => double.#answer(request));
    double.url = `${await double.#mock.start()}/v1`;
    return double;
  }

  async stop(): Promise<void> {
    await this.#mock.stop();
  }

  #answer(request: ChatCompletionRequest): FixtureResponse {
    const schema = schemaOf(request);
    const seen = { prompt: promptOf(request), schema };
    this.seen.push(JSON.parse(JSON.stringify(seen)) as Seen);
    const result = request.messages.findLast(({ role }) => role === 'tool');
    if (result !== undefined)
      return { content: `The tool said: ${JSON.stringify(result.content).slice(0, 300)}` };
    const args = schema === 'new' ? { cents: 8_000, reason: 'broken' } : { amount: 80 };
    return { toolCalls: [{ name: 'refund', arguments: JSON.stringify(args) }] };
  }
}

function promptOf({ messages }: ChatCompletionRequest): Age | undefined {
  const said = JSON.stringify(messages.filter(({ role }) => role !== 'tool'));
  return said.includes('the new prompt')
    ? 'new'
    : said.includes('the old prompt')
      ? 'old'
      : undefined;
}

function schemaOf({ tools = [] }: ChatCompletionRequest): Age | undefined {
  const refund = tools.find(({ function: { name } }) => name === 'refund');
  if (refund === undefined) return undefined;
  return JSON.stringify(refund.function.parameters).includes('cents') ? 'new' : 'old';
}
