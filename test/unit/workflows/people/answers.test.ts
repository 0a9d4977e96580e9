// Pure: no server.
import { limits } from '../../../../src/protocol/limits';
import { readAnswer, takenAnswer } from '../../../../src/workflows/people/answers';
import { thrown } from '../../core/builders';

const long = (bytes: number): string => 'x'.repeat(bytes + 1);

it.each([
  { kind: 'answer', payload: { answer: long(limits.answer) } },
  { kind: 'approve', payload: { inputId: 'a', args: { text: long(limits.toolArguments) } } },
  { kind: 'reject', payload: { inputId: 'a', reason: long(limits.answer) } },
  { kind: 'complete', payload: { inputId: 'a', value: [long(limits.deferredResult)] } },
  { kind: 'fail', payload: { inputId: 'a', reason: long(limits.answer) } },
  { kind: 'approve', payload: { inputId: 'a', note: long(limits.note) } },
  { kind: 'approve', payload: { inputId: 'a', seen: long(limits.signature) } },
  { kind: 'approve', payload: { inputId: 'a', signature: long(limits.signature) } },
  { kind: 'complete', payload: { inputId: 'a', value: 1, proof: long(limits.signature) } },
] as const)('$kind is refused when it is too long to be kept', ({ kind, payload }) => {
  expect(thrown(() => readAnswer(kind, payload))).toMatchObject({
    code: 'InvalidAnswer',
    message: expect.stringMatching(/has \d+ bytes; at most \d+ are taken/) as string,
  });
});

it.each([
  { kind: 'answer', payload: { answer: null, inputId: 'a' } },
  { kind: 'answer', payload: { answer: ' \n' } },
  { kind: 'answer', payload: { answer: 'x', inputId: 7 } },
  { kind: 'approve', payload: { args: {} } },
  { kind: 'approve', payload: { inputId: 'a', args: [] } },
  { kind: 'reject', payload: { inputId: 'a' } },
  { kind: 'reject', payload: { inputId: 'a', reason: '' } },
  { kind: 'reject', payload: null },
  { kind: 'answer', payload: { answer: 'x', may: 'raise-budget' } },
  { kind: 'answer', payload: { answer: 'x', may: [7] } },
] as const)('$kind is refused as $payload', ({ kind, payload }) => {
  expect(thrown(() => readAnswer(kind, payload))).toMatchObject({ code: 'InvalidAnswer' });
});

it.each([
  { kind: 'answer', payload: { answer: { a: null } }, read: { answer: { a: null } } },
  { kind: 'answer', payload: { answer: 0, inputId: null }, read: { answer: 0 } },
  { kind: 'answer', payload: { answer: 'x', inputId: 'a' }, read: { answer: 'x', inputId: 'a' } },
  {
    kind: 'approve',
    payload: { inputId: 'a', args: { text: 'x' } },
    read: { inputId: 'a', args: { text: 'x' } },
  },
  { kind: 'approve', payload: { inputId: 'a', args: null }, read: { inputId: 'a' } },
  {
    kind: 'reject',
    payload: { inputId: 'a', reason: 'no' },
    read: { inputId: 'a', reason: 'no' },
  },
  {
    kind: 'complete',
    payload: { inputId: 'a', value: null, proof: null },
    read: { inputId: 'a', value: null },
  },
  {
    kind: 'fail',
    payload: { inputId: 'a', reason: 'sold out', by: { id: 'ada' } },
    read: { inputId: 'a', reason: 'sold out', by: { id: 'ada' } },
  },
] as const)('$kind of $payload is the same for its validator and its handler', (given) => {
  const { kind, payload, read } = given;
  expect(readAnswer(kind, payload)).toEqual({ kind, ...read });
  expect(takenAnswer(kind, payload)).toEqual({ kind, ...read });
});
