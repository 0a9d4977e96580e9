// Pure: no server.
import { checkShape } from '../../../../src/core/people/answer-shape';
import { errorText } from '../../../../src/base/problem';
import type { PendingInput } from '../../../../src/protocol/run';

const schema = {
  type: 'object',
  properties: { seat: { type: 'string' } },
  required: ['seat'],
  additionalProperties: false,
};
const input = (given: Partial<PendingInput>): PendingInput => ({
  inputId: 'q1.0',
  kind: 'question',
  question: 'Which seat?',
  agentId: 'a',
  path: 'a',
  since: '2026-01-01T00:00:00.000Z',
  ...given,
});

function refusal(asked: PendingInput, given: Parameters<typeof checkShape>[1]): string | undefined {
  try {
    checkShape(asked, given);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

it.each([
  ['data', { seat: '1A' }, undefined],
  ['the same as text', '{"seat": "1A"}', undefined],
  ['a text', '1A', "input 'q1.0' asks for another shape: the answer must be an object, not '1A'"],
  ['wrong data', {}, "input 'q1.0' asks for another shape: the answer seat is required"],
  [
    'wrong data as text',
    '{"seat": 1}',
    "input 'q1.0' asks for another shape: the answer seat must be a string, not 1",
  ],
])('takes data where it asks for data: %s', (_name, answer, expected) => {
  expect(refusal(input({ schema }), { kind: 'answer', answer })).toBe(expected);
});

it('takes a text that looks like JSON where it asks for a text', () => {
  const asked = input({ schema: { type: 'string', maxLength: 5 } });
  expect(refusal(asked, { kind: 'answer', answer: '12' })).toBeUndefined();
});

it('checks results and edited arguments, but nothing else', () => {
  const asked = input({ schema, kind: 'tool' });
  expect(refusal(asked, { kind: 'complete', value: '{"seat":"1A"}' })).toMatch(
    /the value must be an object/,
  );
  expect(refusal(asked, { kind: 'complete', value: { seat: '1A' } })).toBeUndefined();
  expect(refusal(asked, { kind: 'fail' })).toBeUndefined();
  expect(refusal(asked, { kind: 'approve', args: {} })).toMatch(/args seat is required/);
  expect(refusal(asked, { kind: 'approve' })).toBeUndefined();
  expect(refusal(asked, { kind: 'reject' })).toBeUndefined();
});
