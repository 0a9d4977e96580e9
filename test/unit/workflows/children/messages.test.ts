// Pure: no server.

import { limits } from '../../../../src/protocol/limits';
import type { PendingInput } from '../../../../src/protocol/run';
import { inputsThatTravel } from '../../../../src/workflows/children/messages';

const input = (inputId: string, question = 'Which one?'): PendingInput => ({
  inputId,
  kind: 'question',
  question,
  agentId: 'guide',
  path: 'guide',
  since: '2026-11-21T00:00:00.000Z',
});

const approval = (bytes: number): PendingInput => ({
  ...input('a', 'May send run?'),
  kind: 'approval',
  call: { type: 'tool_call', callId: 'c', name: 'send', args: { text: 'x'.repeat(bytes) } },
});

const many = (count: number, question: string): PendingInput[] =>
  Array.from({ length: count }, (_, index) => ({
    ...input(`q${index}`, question),
    options: [question, question],
  }));

const bytesOf = (inputs: readonly PendingInput[]): number =>
  Buffer.byteLength(JSON.stringify(inputs));

describe('inputs that travel', () => {
  it('are whole where they fit', () => {
    const inputs = [approval(100), input('q')];
    expect(inputsThatTravel(inputs)).toBe(inputs);
  });

  it('lack their calls where these are too long', () => {
    const { call: _call, ...bare } = approval(0);
    expect(inputsThatTravel([approval(limits.replies)])).toEqual([bare]);
  });

  it('lack their previews and schemas, too, so that each input stays listed', () => {
    const review = { preview: 'x'.repeat(limits.preview), schema: { const: 'x'.repeat(8_000) } };
    const inputs = Array.from({ length: 40 }, (_, index) => ({ ...input(`a${index}`), ...review }));
    const told = inputsThatTravel(inputs, limits.sentInputsBytes);
    expect(told).toEqual(inputs.map(({ inputId }) => input(inputId)));
  });

  it.each([
    { what: 'many questions', question: 'x'.repeat(65_000), count: 30 },
    { what: 'questions that are longer as JSON', question: '\n\u0001"'.repeat(20_000), count: 30 },
    { what: 'questions of wide characters', question: '\u{1f433}'.repeat(16_000), count: 200 },
  ])('are all told, cut shorter: $what', ({ question, count }) => {
    const told = inputsThatTravel(many(count, question));
    expect(told.map(({ inputId }) => inputId)).toEqual(
      Array.from({ length: count }, (_, index) => `q${index}`),
    );
    expect(bytesOf(told)).toBeLessThanOrEqual(limits.replies);
    expect(bytesOf(told)).toBeGreaterThan(10_000);
  });

  it('are the first ones where even short ones are too many', () => {
    const told = inputsThatTravel(many(10_000, 'x'.repeat(1_000)));
    expect(bytesOf(told)).toBeLessThanOrEqual(limits.replies);
    expect(told.length).toBeGreaterThan(1_000);
    expect(told[0]?.inputId).toBe('q0');
  });
});
