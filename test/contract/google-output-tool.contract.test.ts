// Contract: structured output beside tools on a Gemini that takes no schema there, against a local server.
import { createGoogleProvider } from '../../src/providers/google/google-provider';
import { record, records, sseFrame } from './openai-wire';
import { recordedOptions, textOf, userMessage, weatherTool } from './provider-requests';
import { LocalServer } from './provider-servers';

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

describe('structured output of gemini 2.5 beside tools', () => {
  let server: LocalServer;

  afterEach(() => server.stop());

  it('is the call of a tool, which becomes the text of the turn', async () => {
    const functionCall = { name: 'output', args: { city: 'Oslo' } };
    const content = { role: 'model', parts: [{ functionCall }] };
    server = await LocalServer.answering({
      frames: [sseFrame({ candidates: [{ content, finishReason: 'STOP' }] })],
    });
    const provider = createGoogleProvider('google', { baseURL: server.url, apiKey: 'AIza-test' });
    const recorded = recordedOptions();

    const response = await provider.call(
      {
        model: 'gemini-2.5-pro',
        messages: [userMessage('Which city?')],
        tools: [weatherTool],
        toolChoice: { only: [weatherTool.name] },
        output: { name: 'output', schema },
        settings: {},
        cacheKey: 'run-1',
      },
      recorded.options,
    );

    expect(response).toMatchObject({
      content: [{ type: 'text', text: '{"city":"Oslo"}' }],
      finishReason: 'stop',
    });
    expect(textOf(recorded.deltas)).toBe('{"city":"Oslo"}');
    const { tools, toolConfig, generationConfig } = server.requests[0]?.body ?? {};
    const declared = records(record(records(tools)[0])['functionDeclarations']);
    expect(declared.map(({ name }) => name)).toEqual(['get_weather', 'output']);
    expect(declared[1]).toMatchObject({ parametersJsonSchema: schema });
    expect(record(toolConfig)['functionCallingConfig']).toEqual({
      mode: 'ANY',
      allowedFunctionNames: ['get_weather', 'output'],
    });
    expect(record(generationConfig)['responseJsonSchema']).toBeUndefined();
  });
});
