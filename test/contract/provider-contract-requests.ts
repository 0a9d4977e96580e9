import type { ModelProvider } from '../../src/providers/provider';
import type { ContractTest, ProviderDialect } from './provider-dialect';
import { ProviderDouble } from './provider-double';
import {
  aRequest,
  recordedOptions,
  timeTool,
  visibleParts,
  weatherTool,
} from './provider-requests';

/** What a request asks for besides an answer. */
export function requestContract(dialect: ProviderDialect, test: ContractTest): void {
  const { wire } = dialect;
  let double: ProviderDouble;
  let provider: ModelProvider;

  beforeAll(async () => {
    double = await ProviderDouble.start();
    provider = dialect.create(double.tap.url);
  });
  afterAll(() => double.stop());

  for (const { choice, wire: expected } of dialect.toolChoices) {
    test(`asks for tool choice ${JSON.stringify(choice)}`, async () => {
      double.answers({ content: 'ok' });

      const tools = [weatherTool, timeTool];
      const request = aRequest(dialect, { tools, toolChoice: choice });
      await provider.call(request, recordedOptions().options);

      expect(wire.toolChoice(double.tap.requests[0]?.body ?? {})).toEqual(expected);
    });
  }

  test('asks for no tool choice when there are no tools', async () => {
    double.answers({ content: 'ok' });

    await provider.call(aRequest(dialect, { toolChoice: 'required' }), recordedOptions().options);

    expect(wire.toolChoice(double.tap.requests[0]?.body ?? {})).toBeUndefined();
  });

  test('asks for output of a JSON schema', async () => {
    double.answers({ content: '{"city":"Paris"}' });
    const schema = weatherTool.inputSchema;

    const request = aRequest(dialect, { output: { name: 'a.city', schema } });
    const response = await provider.call(request, recordedOptions().options);

    expect(visibleParts(response)).toMatchObject([{ type: 'text', text: '{"city":"Paris"}' }]);
    expect(wire.outputSchema(double.tap.requests[0]?.body ?? {})).toEqual(schema);
  });

  test('merges extra settings into the body last', async () => {
    double.answers({ content: 'ok' });

    const settings = { temperature: 0.2, extra: { x_house_rule: { level: 3 } } };
    await provider.call(aRequest(dialect, { settings }), recordedOptions().options);

    expect(double.tap.requests[0]?.body).toMatchObject({ x_house_rule: { level: 3 } });
  });

  test('reports usage', async () => {
    double.answers(dialect.usage.sent);

    const { usage } = await provider.call(aRequest(dialect), recordedOptions().options);

    expect(usage).toEqual(dialect.usage.expected);
  });

  test('reports an answer cut by the token limit', async () => {
    double.answers({ content: 'It is', finishReason: 'length' });

    const response = await provider.call(
      aRequest(dialect, { settings: { maxOutputTokens: 16 } }),
      recordedOptions().options,
    );

    expect(response.finishReason).toBe('length');
    expect(visibleParts(response)).toMatchObject([{ type: 'text', text: 'It is' }]);
  });
}
