// Pure: no server. A viewer's own reading of our spans.

import { convertGenAISpanAttributesToOpenInferenceSpanAttributes as convert } from '@arizeai/openinference-genai';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { openTelemetry } from '../../../../src/telemetry/otel';
import { aCall, aResponse, aSegment, aTool, secret } from './builders';

describe('OpenInference', () => {
  it('reads the kinds, the model, tokens and messages of our spans', () => {
    const exporter = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(exporter)],
    });
    const telemetry = openTelemetry({ content: 'full', tracerProvider });
    telemetry.begin(aCall()).end({ response: aResponse });
    telemetry.begin(aTool()).end({});
    telemetry.segment(aSegment());
    const read = exporter.getFinishedSpans().map(({ attributes }) => convert(attributes));
    expect(read.map((attributes) => attributes?.['openinference.span.kind'])).toEqual([
      'LLM',
      'TOOL',
      'AGENT',
    ]);
    expect(read[0]).toMatchObject({
      'llm.model_name': 'm-1-001',
      'llm.token_count.prompt': 100,
      'llm.token_count.completion': 20,
      'llm.input_messages.1.message.contents.0.message_content.text': `Question: ${secret}`,
    });
    expect(read[1]).toMatchObject({ 'tool.name': 'look_up' });
  });
});
