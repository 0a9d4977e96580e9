// Pure: no server.
import { checkShape } from '../../../src/core/people/answer-shape';
import { problemDocument, problemOf } from '../../../src/http/problems';
import type { PendingInput } from '../../../src/protocol/run';

const input: PendingInput = {
  inputId: 'a1.0',
  kind: 'approval',
  question: 'Which seats?',
  agentId: 'desk',
  path: 'desk',
  since: '2026-11-25T12:00:00.000Z',
  schema: {
    type: 'object',
    properties: {
      seats: { type: 'array', items: { type: 'object', properties: { 'a/b': { enum: ['c'] } } } },
      nights: { type: 'number' },
    },
  },
};

it.each([
  ['approve', 'args'],
  ['complete', 'value'],
  ['answer', 'answer'],
] as const)('names the fields of an answer that do not fit: %s', (kind, member) => {
  const value = { seats: [{}, { 'a/b': 'secret' }], nights: 'two' };
  let problem = {};
  try {
    checkShape(input, { kind, [member]: value } as never);
  } catch (error) {
    problem = problemDocument(problemOf(error));
  }
  const detail = 'does not fit the schema of the input';
  expect(problem).toMatchObject({
    status: 422,
    code: 'InvalidAnswer',
    errors: expect.arrayContaining([
      { pointer: `/${member}/seats/1/a~1b`, detail },
      { pointer: `/${member}/nights`, detail },
    ]) as object,
  });
  expect(JSON.stringify(problem)).not.toMatch(/secret|two/);
});
