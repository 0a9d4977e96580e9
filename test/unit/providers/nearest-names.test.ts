// Pure: no server.
import { nearestNames, unknownProvider } from '../../../src/providers/nearest-names';

const known = ['openai', 'openai-chat', 'anthropic', 'google', 'gemini', 'vertex'];

describe('nearestNames', () => {
  it.each([
    ['opnai', ['openai']],
    ['OpenAI', ['openai']],
    ['antropic', ['anthropic']],
    ['goggle', ['google']],
    ['bedrock', []],
    ['', []],
  ])('finds what %s may have meant', (name, expected) => {
    expect(nearestNames(name, known)).toEqual(expected);
  });
});

describe('unknownProvider', () => {
  it('names the nearest', () => {
    expect(unknownProvider('opnai', known)).toMatchObject({
      code: 'NotRegisteredHere',
      retryable: true,
      message: expect.stringContaining('Did you mean openai?') as string,
    });
  });

  it('lists all when none is near', () => {
    expect(unknownProvider('bedrock', known).message).toContain(
      'Known: anthropic, gemini, google, openai, openai-chat, vertex.',
    );
  });
});
