// Pure: no server.
import { checkRight } from '../../../../src/core/people/rights';
import type { AnswerRight } from '../../../../src/protocol/people';

const newer = 'of-a-newer-version' as AnswerRight;

it.each([
  ['the result of a call that waits for its token', { kind: 'tool', byToken: true }, {}],
  ['more budget', { kind: 'budget' }, { answer: 1_000 }],
  ['more budget as a text', { kind: 'budget' }, { answer: ' 1000 ' }],
] as const)('nobody without the right gives %s', (_what, asked, given) => {
  const input = { inputId: 'a', ...asked };
  const other = asked.kind === 'tool' ? 'raise-budget' : 'result-by-token';
  for (const may of [[], [other], [newer]] as const)
    expect(() => checkRight(input, { ...given, may })).toThrow(
      expect.objectContaining({ code: 'NotPermitted' }) as Error,
    );
  expect(() => checkRight(input, given)).not.toThrow();
});

it.each([
  ['the end of a run at its budget', { kind: 'budget' }, { answer: ' Stop ', may: [] }],
  ['more budget, with the right', { kind: 'budget' }, { answer: 1, may: ['raise-budget'] }],
  ['the result of a tool of the client', { kind: 'tool' }, { may: [] }],
  ['an answer', { kind: 'question' }, { answer: 'blue', may: [] }],
  ['a verdict', { kind: 'approval' }, { may: [newer] }],
] as const)('people give %s', (_what, asked, given) => {
  expect(() => checkRight({ inputId: 'a', ...asked }, given)).not.toThrow();
});
