// Reads the payload of an answer or a cancellation. It returns a typed value, or throws `InvalidAnswer` with the wrong member. Anybody may
// send a payload, so nothing changes before all of it is read. `checkFits` then checks that the answer fits the kind of its input. Pure.
//
// 1. An answer has only the members of its kind in `answerShapes`. `inputAnswer` also permits members of a newer version, if the caller
//    allows that.
// 2. `takenAnswer` does not check again: the validator has accepted the update, and a replay must take it, too.

import { defined, didYouMean, isJsonObject, type Json, oneLine, quote } from '../../base';
import { budgetAmount } from '../../core/budget/budget';
import {
  checkAnswer,
  checkEdit,
  checkNote,
  checkProof,
  checkReason,
  checkResult,
} from '../../core/machine/answer';
import { readActor } from '../../core/people/actor';
import { withoutNullMembers } from '../../core/run-input';
import {
  type Actor,
  type Answer,
  type AnsweredBy,
  type AnswerKind,
  type AnswerRight,
  answerShapes,
  type Cancelling,
  type InputAnswer,
  LonghaulError,
  type PendingInput,
} from '../../protocol';

export type { Answer, AnswerKind };

/** The longest reason for a cancellation, in characters. */
const longestReason = 500;

const mostRights = 20;

/** Checks the answer of a signal or an update. */
export function readAnswer(kind: AnswerKind, payload: unknown): Answer {
  const given = objectOf(payload, Object.keys(answerShapes[kind].properties));
  const { answer, args, reason, value } = given;
  const said = answeredBy(given);
  const shown = defined({ proof: proof(given, 'proof') });
  switch (kind) {
    case 'answer':
      checkAnswer(answer);
      return { kind, answer, ...defined({ inputId: optionalText(given, 'inputId') }), ...said };
    case 'approve':
      if (args !== null && args !== undefined) checkEdit(args);
      return { kind, inputId: inputIdOf(given), ...(isJsonObject(args) && { args }), ...said };
    case 'reject':
      checkReason(reason);
      return { kind, inputId: inputIdOf(given), reason, ...said };
    case 'complete':
      checkResult(value);
      return { kind, inputId: inputIdOf(given), value, ...shown, ...said };
    case 'fail':
      checkReason(reason);
      return { kind, inputId: inputIdOf(given), reason, ...shown, ...said };
  }
}

function answeredBy(given: { readonly [key: string]: Json }): AnsweredBy {
  const note = optionalText(given, 'note');
  if (note !== undefined) checkNote(note);
  return defined({
    ...actorOf(given),
    note,
    seen: proof(given, 'seen'),
    signature: proof(given, 'signature'),
    may: rightsIn(given),
  });
}

/** Rights that only a newer version knows stay in: they permit nothing here. */
function rightsIn({ may }: { readonly [key: string]: Json }): readonly AnswerRight[] | undefined {
  if (may === undefined || may === null) return undefined;
  if (Array.isArray(may) && may.length <= mostRights && may.every(isName))
    return may as readonly AnswerRight[];
  throw new LonghaulError(
    'InvalidAnswer',
    "may must be a list of rights, such as ['raise-budget'], or be left out",
  );
}

const isName = (name: Json): boolean => typeof name === 'string' && name.length <= 100;

function actorOf({ by }: { readonly [key: string]: Json }): { readonly by?: Actor } {
  return by === undefined || by === null ? {} : { by: readActor(by) };
}

function proof(given: { readonly [key: string]: Json }, key: string): string | undefined {
  const text = optionalText(given, key);
  if (text !== undefined) checkProof(key, text);
  return text;
}

/** The answer of an update that its validator has accepted. Null is a result like any other. */
export function takenAnswer(kind: AnswerKind, payload: unknown): Answer {
  const { value } = payload as { readonly value?: Json };
  return {
    kind,
    ...withoutNullMembers(payload as object),
    ...(value === null && { value }),
  } as Answer;
}

/** An answer that the root run took and sent to this run. `isTolerant`: members that only a newer version knows are ignored. */
export function inputAnswer(payload: unknown, isTolerant: () => boolean): InputAnswer {
  const names = Object.values(answerShapes).flatMap(({ properties }) => Object.keys(properties));
  const known = ['kind', ...new Set(names)];
  const { kind, ...given } = objectOf(knownOf(payload, known, isTolerant), known);
  if (typeof kind !== 'string' || !Object.hasOwn(answerShapes, kind))
    throw new LonghaulError(
      'InvalidAnswer',
      `kind must be one of ${Object.keys(answerShapes).join(', ')}`,
    );
  return { ...readAnswer(kind as AnswerKind, given), inputId: inputIdOf(given) };
}

/** Takes a text, `{reason?, by?}` or nothing. */
export function readCancelling(payload: unknown): Cancelling {
  if (payload === undefined || payload === null) return { reason: 'cancelled' };
  const given =
    typeof payload === 'string' ? { reason: payload } : objectOf(payload, ['reason', 'by']);
  const reason = oneLine(optionalText(given, 'reason') ?? '', longestReason);
  return { reason: reason === '' ? 'cancelled' : reason, ...actorOf(given) };
}

/** The payload without the members that only a newer version knows. */
export function knownOf(payload: unknown, known: readonly string[], grows: () => boolean): unknown {
  if (!isJsonObject(payload)) return payload;
  const members = Object.entries(payload);
  const ours = members.filter(([name]) => known.includes(name));
  return ours.length < members.length && grows() ? Object.fromEntries(ours) : payload;
}

function objectOf(payload: unknown, known: readonly string[]): { readonly [key: string]: Json } {
  if (!isJsonObject(payload))
    throw new LonghaulError('InvalidAnswer', `expected {${known.join(', ')}} as JSON`);
  const stranger = Object.keys(payload).find((name) => !known.includes(name));
  if (stranger === undefined) return payload;
  throw new LonghaulError(
    'InvalidAnswer',
    `${quote(stranger)} is not a member of an answer${didYouMean(stranger, known)}`,
  );
}

function optionalText(given: { readonly [key: string]: Json }, key: string): string | undefined {
  const value = given[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new LonghaulError('InvalidAnswer', `${key} must be a text`);
  return value;
}

function inputIdOf(given: { readonly [key: string]: Json }): string {
  const inputId = optionalText(given, 'inputId');
  if (inputId === undefined || inputId === '')
    throw new LonghaulError('InvalidAnswer', 'inputId is missing');
  return inputId;
}

/** The kinds of answer that each kind of input takes, and the error text for all others. */
const takes: {
  readonly [kind in PendingInput['kind']]: readonly [
    kinds: readonly Answer['kind'][],
    what: string,
  ];
} = {
  question: [['answer'], 'a question: answer it with resume'],
  budget: [['answer'], 'a question about the budget: answer it with resume'],
  approval: [['approve', 'reject'], 'an approval: approve or reject it'],
  tool: [['complete', 'fail'], "a tool's result: complete it or fail it"],
};

/** Throws `InvalidAnswer` if an input of this kind takes no such answer. */
export function checkFits({ inputId, kind }: PendingInput, answer: Answer): void {
  const [kinds, what] = takes[kind];
  if (!kinds.includes(answer.kind))
    throw new LonghaulError('InvalidAnswer', `input '${inputId}' is ${what}`);
  if (kind === 'budget' && answer.kind === 'answer') budgetAmount(answer.answer);
}
