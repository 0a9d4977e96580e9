// Pure: no server.
import type { ToolContent } from '../../../src/protocol/message';
import { toolResultText } from '../../../src/providers/text';

const result = { type: 'tool_result', callId: 'call_1', name: 'get_weather' } as const;

describe('toolResultText', () => {
  it.each<[string, ToolContent[], string]>([
    ['a text as it is', [{ type: 'text', text: 'Sunny "24"' }], 'Sunny "24"'],
    ['a value as JSON', [{ type: 'json', value: { degrees: [24] } }], '{"degrees":[24]}'],
    ['a JSON string in quotes', [{ type: 'json', value: 'Sunny' }], '"Sunny"'],
    [
      'several contents on lines of their own',
      [
        { type: 'text', text: 'one' },
        { type: 'json', value: 2 },
      ],
      'one\n2',
    ],
    [
      'media by their type',
      [{ type: 'media', mediaType: 'image/png', source: { kind: 'url', url: 'https://x' } }],
      '[image/png]',
    ],
    ['nothing', [], ''],
  ])('writes %s', (_name, content, expected) => {
    expect(toolResultText({ ...result, isError: false, content }, { errorFlag: false })).toBe(
      expected,
    );
  });

  it('marks an error only for an API without a flag', () => {
    const failed = { ...result, isError: true, content: [{ type: 'text' as const, text: 'no' }] };

    expect(toolResultText(failed, { errorFlag: false })).toBe('Error: no');
    expect(toolResultText(failed, { errorFlag: true })).toBe('no');
  });
});
