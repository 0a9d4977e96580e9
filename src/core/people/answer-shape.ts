// Checks whether an answer has the shape that its input asks for. Pure.
//
// 1. If a text does not fit the schema, its JSON may fit: so people can type data.
// 2. The model gets an answer as the person gave it.

import {
  formatProblem,
  type Json,
  type JsonObject,
  type JsonSchema,
  type Problem,
} from '../../base';
import { LonghaulError } from '../../protocol/errors';
import type { InputAnswer, PendingInput } from '../../protocol/run';
import { checkAgainst, forAnswers } from '../schema/check-schema';

const problemsOf = (schema: JsonSchema, value: Json): readonly Problem[] =>
  checkAgainst(schema, value, forAnswers);

type Given =
  | { readonly kind: 'answer'; readonly answer: Json }
  | { readonly kind: 'approve'; readonly args?: JsonObject }
  | { readonly kind: 'complete'; readonly value: Json }
  | { readonly kind: Exclude<InputAnswer['kind'], 'answer' | 'approve' | 'complete'> };

/** Throws `InvalidAnswer` if the answer, the result or the edited arguments break the schema of the input. */
export function checkShape({ inputId, schema }: PendingInput, given: Given): void {
  const value = valueOf(given);
  if (schema === undefined || value === undefined) return;
  const read = given.kind === 'answer' ? parsed(value) : value;
  if (read !== value && problemsOf(schema, read).length === 0) return;
  const problems = problemsOf(schema, value);
  if (problems.length === 0) return;
  const told = read === value ? problems : problemsOf(schema, read);
  throw breaks(inputId, given.kind, told);
}

function valueOf(given: Given): Json | undefined {
  switch (given.kind) {
    case 'answer':
      return given.answer;
    case 'approve':
      return given.args;
    case 'complete':
      return given.value;
    default:
      return undefined;
  }
}

/** The JSON in a text. Anything else stays as it is. */
function parsed(answer: Json): Json {
  if (typeof answer !== 'string') return answer;
  try {
    return JSON.parse(answer) as Json;
  } catch {
    return answer;
  }
}

const subjects = { answer: 'the answer', approve: 'args', complete: 'the value' } as const;

/** The member of the answer that has it. */
const members = { answer: 'answer', approve: 'args', complete: 'value' } as const;

function breaks(inputId: string, kind: Given['kind'], problems: readonly Problem[]): LonghaulError {
  const known = kind in subjects ? (kind as keyof typeof subjects) : 'answer';
  const subject = subjects[known];
  const list = problems.map(formatProblem).join('; ');
  return new LonghaulError(
    'InvalidAnswer',
    `input '${inputId}' asks for another shape: ${subject} ${list}`,
    {
      details: {
        inputId,
        member: members[known],
        problems: problems.map(({ path, message }) => ({ path, message })),
      },
    },
  );
}
