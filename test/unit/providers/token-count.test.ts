// Pure: no server.
import { fromMessagesUsage } from '../../../src/providers/anthropic/usage';
import { fromUsageMetadata } from '../../../src/providers/google/from-response';
import { fromOpenAiUsage, noUsage } from '../../../src/providers/openai/usage';

describe('a count that is none', () => {
  const bad = [{ value: '12' }, { value: -2 }, { value: Number.NaN }, { value: {} }];

  it.each(bad)('is not known, whoever tells it: $value', ({ value }) => {
    const anthropic = {
      input_tokens: value,
      output_tokens: value,
      cache_read_input_tokens: value,
      output_tokens_details: { thinking_tokens: value },
    };
    const google = {
      promptTokenCount: value,
      candidatesTokenCount: value,
      thoughtsTokenCount: value,
      totalTokenCount: value,
      cachedContentTokenCount: value,
    };
    const openAi = { prompt_tokens: value, completion_tokens: value, total_tokens: value };
    expect(fromMessagesUsage(anthropic as never)).toEqual(noUsage);
    expect(fromUsageMetadata(google as never)).toEqual(noUsage);
    expect(fromOpenAiUsage(openAi)).toEqual(noUsage);
  });

  it('leaves the others', () => {
    const usage = { input_tokens: 3, cache_read_input_tokens: '4', output_tokens: 5 };
    expect(fromMessagesUsage(usage as never)).toMatchObject({
      inputTokens: 3,
      outputTokens: 5,
      totalTokens: 8,
    });
    const metadata = { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: '8' };
    expect(fromUsageMetadata(metadata as never)).toMatchObject({
      inputTokens: 3,
      outputTokens: 5,
      totalTokens: 8,
    });
  });
});
