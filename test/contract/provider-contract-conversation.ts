import type { Message } from '../../src/protocol/message';
import type { ModelDelta, ModelProvider } from '../../src/providers/provider';
import type { ContractTest, ProviderDialect } from './provider-dialect';
import { ProviderDouble } from './provider-double';
import { LocalServer } from './provider-servers';
import {
  aRequest,
  assistantMessage,
  recordedOptions,
  textOf,
  timeTool,
  toolMessage,
  userMessage,
  visibleParts,
  weatherTool,
} from './provider-requests';

const twoCalls = {
  toolCalls: [
    { id: 'call_paris_1', name: 'get_weather', arguments: '{"city":"Paris"}' },
    { id: 'call_oslo_2', name: 'get_time', arguments: '{"city":"Oslo, Norway"}' },
  ],
};

/** How many calls are complete. Each one is once, with its last piece. */
function completeCalls(deltas: readonly ModelDelta[]): number {
  const pieces = deltas.filter((delta) => delta.kind === 'tool-call');
  const ends = pieces.filter(({ complete }) => complete);
  for (const end of ends) {
    const own = pieces.filter(({ index }) => index === end.index);
    expect(own.indexOf(end)).toBe(own.length - 1);
    const text = own.map(({ args = '' }) => args).join('');
    expect(text).toBe(twoCalls.toolCalls[end.index]?.arguments);
  }
  return ends.length;
}

/** Answers, and conversations over several turns. */
export function conversationContract(dialect: ProviderDialect, test: ContractTest): void {
  const { wire } = dialect;
  const tools = [weatherTool, timeTool];
  let double: ProviderDouble;
  let provider: ModelProvider;

  beforeAll(async () => {
    double = await ProviderDouble.start();
    provider = dialect.create(double.tap.url);
  });
  afterAll(() => double.stop());

  test('answers with text', async () => {
    double.answers({ content: 'Sunny, 24 °C ☀️' });

    const response = await provider.call(aRequest(dialect), recordedOptions().options);

    expect(visibleParts(response)).toMatchObject([{ type: 'text', text: 'Sunny, 24 °C ☀️' }]);
    expect(response.finishReason).toBe('stop');
    expect(response.origin).toEqual({
      provider: provider.name,
      api: dialect.api,
      model: dialect.model,
    });
    expect(double.tap.requests).toHaveLength(1);
  });

  test('streams text whose deltas add up to the content', async () => {
    double.answers({ content: 'A longer text — it arrives in many small pieces. 🌍' });
    const recorded = recordedOptions();

    const response = await provider.call(aRequest(dialect), recorded.options);

    const [part] = visibleParts(response);
    expect(recorded.deltas.length).toBeGreaterThan(3);
    expect(textOf(recorded.deltas)).toBe(part?.type === 'text' ? part.text : undefined);
    expect(recorded.activity()).toBeGreaterThan(0);
  });

  test('streams reasoning whose deltas add up to the content', async () => {
    double.answers({ content: 'Sunny.', reasoning: 'The user asks for the weather.' });
    const recorded = recordedOptions();

    const response = await provider.call(aRequest(dialect), recorded.options);

    expect(visibleParts(response)).toMatchObject([
      { type: 'reasoning', text: 'The user asks for the weather.' },
      { type: 'text', text: 'Sunny.' },
    ]);
    expect(textOf(recorded.deltas, 'reasoning')).toBe('The user asks for the weather.');
    expect(textOf(recorded.deltas)).toBe('Sunny.');
  });

  test('streams the arguments of parallel calls', async () => {
    double.answers(twoCalls);
    const recorded = recordedOptions();

    const response = await provider.call(aRequest(dialect, { tools }), recorded.options);

    const calls = recorded.deltas.filter((delta) => delta.kind === 'tool-call');
    const streamed = [0, 1].map((index) => {
      const pieces = calls.filter((delta) => delta.index === index);
      const args = pieces.map((delta) => delta.args ?? '').join('');
      return { name: pieces[0]?.name, args: JSON.parse(args) as unknown };
    });
    expect(streamed).toEqual([
      { name: 'get_weather', args: { city: 'Paris' } },
      { name: 'get_time', args: { city: 'Oslo, Norway' } },
    ]);
    expect(response.finishReason).toBe('tool_calls');
    expect(visibleParts(response)).toMatchObject([
      { type: 'tool_call', name: 'get_weather', args: { city: 'Paris' } },
      { type: 'tool_call', name: 'get_time', args: { city: 'Oslo, Norway' } },
    ]);
  });

  test('says that a call is complete after all of it, wherever the stream is cut', async () => {
    double.answers(twoCalls);
    await provider.call(aRequest(dialect, { tools }), recordedOptions().options);
    const events = Buffer.concat(double.tap.passedBack)
      .toString()
      .split(/(?<=\r?\n\r?\n)/);
    const completed: number[] = [];
    for (let count = 0; count <= events.length; count += 1) {
      const then = count < events.length ? 'cut' : 'end';
      const server = await LocalServer.answering({ frames: events.slice(0, count), then });
      const { options, deltas } = recordedOptions();
      const cut = dialect.create(server.url).call(aRequest(dialect, { tools }), options);
      await cut.catch(() => undefined);
      await server.stop();
      completed.push(completeCalls(deltas));
    }

    expect(completed).toEqual([...completed].sort());
    expect(completed[0]).toBe(0);
    expect(completed.at(-1)).toBe(2);
  });

  test('keeps the ids of parallel calls over two turns', async () => {
    double.answers(twoCalls, twoCalls, { content: 'Done.' });
    const messages: Message[] = [userMessage('Paris and Oslo')];
    for (const round of ['first', 'second']) {
      const response = await provider.call(
        aRequest(dialect, { messages, tools }),
        recordedOptions().options,
      );
      const answers = ['weather', 'time'].map((text) => ({
        content: [{ type: 'text' as const, text: `${round} ${text}` }],
      }));
      messages.push(assistantMessage(response), toolMessage(response, answers));
    }
    await provider.call(aRequest(dialect, { messages, tools }), recordedOptions().options);

    const last = double.tap.requests.at(-1)?.body ?? {};
    const ids = ['call_paris_1', 'call_oslo_2'];
    const repeated = [...ids, ...ids];
    expect(wire.calls(last).map(({ id }) => id)).toEqual(repeated);
    expect(wire.results(last)).toEqual(
      ['first weather', 'first time', 'second weather', 'second time'].map((text, index) => ({
        id: repeated[index],
        text,
      })),
    );
  });

  test('sends results as text, as JSON and as errors', async () => {
    double.answers(twoCalls, { content: 'Done.' });
    const first = await provider.call(aRequest(dialect, { tools }), recordedOptions().options);
    const answers = [
      { content: [{ type: 'json' as const, value: { degrees: 24, sky: ['clear'] } }] },
      { content: [{ type: 'text' as const, text: 'no such city' }], isError: true },
    ];
    const messages = [
      userMessage('What is the weather in Paris?'),
      assistantMessage(first),
      toolMessage(first, answers),
    ];
    await provider.call(aRequest(dialect, { messages, tools }), recordedOptions().options);

    expect(wire.results(double.tap.requests.at(-1)?.body ?? {}).map(({ text }) => text)).toEqual([
      '{"degrees":24,"sky":["clear"]}',
      dialect.errorText('no such city'),
    ]);
  });

  test('sends the picture of a tool once, and a result for each call', async () => {
    double.answers(twoCalls, { content: 'A chart.' });
    const first = await provider.call(aRequest(dialect, { tools }), recordedOptions().options);
    const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB';
    const picture = {
      type: 'media' as const,
      mediaType: 'image/png',
      source: { kind: 'base64' as const, data },
    };
    const answers = [
      { content: [{ type: 'text' as const, text: 'May' }, picture] },
      { content: [{ type: 'text' as const, text: 'noon' }] },
    ];
    const messages = [
      userMessage('What is the weather in Paris?'),
      assistantMessage(first),
      toolMessage(first, answers),
    ];
    const response = await provider.call(
      aRequest(dialect, { messages, tools }),
      recordedOptions().options,
    );

    expect(visibleParts(response)).toMatchObject([{ type: 'text', text: 'A chart.' }]);
    const body = double.tap.requests.at(-1)?.body ?? {};
    expect(JSON.stringify(body).split(data)).toHaveLength(2);
    expect(wire.results(body).map(({ id }) => id)).toEqual(wire.calls(body).map(({ id }) => id));
  });

  test('repeats the wire prefix byte for byte over a growing conversation', async () => {
    double.answers(
      { ...twoCalls, reasoning: 'Two calls will do.' },
      { content: 'Sunny.', reasoning: 'That is enough.' },
      { content: 'Bye.' },
    );
    const messages: Message[] = [userMessage('Paris and Oslo')];
    for (const next of ['And tomorrow?', 'Thanks.']) {
      const request = aRequest(dialect, {
        messages: [...messages],
        tools,
        instructions: 'Be brief.',
      });
      const response = await provider.call(request, recordedOptions().options);
      messages.push(assistantMessage(response));
      if (response.finishReason === 'tool_calls') {
        messages.push(toolMessage(response, [{ content: [] }, { content: [] }]));
      } else {
        messages.push(userMessage(next));
      }
    }
    const last = aRequest(dialect, { messages, tools, instructions: 'Be brief.' });
    await provider.call(last, recordedOptions().options);

    const bodies = double.tap.requests.map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    const [start] = bodies;
    for (const [index, body] of bodies.entries()) {
      const previous = wire.history(bodies[index - 1] ?? body).map((item) => JSON.stringify(item));
      const current = wire.history(body).map((item) => JSON.stringify(item));
      expect(current.slice(0, previous.length)).toEqual(previous);
      expect(JSON.stringify(wire.prefix(body))).toBe(JSON.stringify(wire.prefix(start ?? {})));
    }
  });
}
