import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { defineAgent } from 'eve';

const double = createOpenAICompatible({
  name: 'double',
  baseURL: process.env.MODEL_URL ?? '',
  apiKey: 'none',
});

export default defineAgent({ model: double('double'), modelContextWindowTokens: 64_000 });
