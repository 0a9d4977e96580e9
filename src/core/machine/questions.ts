import { askUserMarker } from '../../protocol/names';
import type { ToolCallPart } from '../../protocol/message';
import { limits } from '../../protocol/limits';
import type { AskUser } from '../../protocol/spec';
import type { MachineInput } from './steps';
import {
  clipText,
  formatProblem,
  isJsonObject,
  joinPath,
  type Json,
  oneLine,
  utf8Length,
} from '../../base';
import { answerSchemaProblem } from '../schema/schema-problem';

/** The question in a text that starts with the marker. Such a text pauses the run, except if the agent must never ask. */
export function markedQuestion(text: string, askUser: AskUser = false): string | undefined {
  if (askUser === 'never') return undefined;
  const trimmed = text.trimStart();
  return trimmed.startsWith(askUserMarker) ? trimmed.slice(askUserMarker.length).trim() : undefined;
}

/** The id of the input of a deferred call. It is known before the call begins, so that the call's token can name it. */
export const deferredInputId = ({
  turn,
  index,
}: {
  readonly turn: number;
  readonly index: number;
}): string => `t${turn}.${index}`;

export const deferredInput = (call: ToolCallPart, turn: number, index: number): MachineInput => ({
  inputId: deferredInputId({ turn, index }),
  kind: 'tool',
  question: `What is the result of ${call.name}?`,
  call,
});

export const markedInput = (turn: number, question: string): MachineInput => ({
  inputId: `q${turn}`,
  kind: 'question',
  question: clipText(question, limits.question),
});

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null;

const isTexts = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** The problem of an `ask_user` call's arguments, as a text for the model. */
export function questionProblem(call: ToolCallPart): string | undefined {
  const question = call.args?.['question'];
  const { options, schema } = call.args ?? {};
  if (typeof question !== 'string' || question.trim() === '')
    return 'nobody was asked: "question" must be a non-empty string';
  if (isGiven(options) && !isTexts(options))
    return 'nobody was asked: "options" must be a list of strings';
  const problem = isGiven(schema) && answerSchemaProblem(schema);
  if (!problem) return undefined;
  return `nobody was asked: ${formatProblem({ ...problem, path: joinPath('"schema"', problem.path) })}`;
}

/** The first of `texts` that together take at most `most` bytes. */
export function withinBytes(texts: readonly string[], most: number): readonly string[] {
  let bytes = 0;
  const over = texts.findIndex((text) => (bytes += utf8Length(text)) > most);
  return over < 0 ? texts : texts.slice(0, over);
}

/** The input of a call that passed `questionProblem`. It cuts the question to a size that people read. The call has the whole text. */
export function askedInput(call: ToolCallPart, turn: number, index: number): MachineInput {
  const { options, schema } = call.args ?? {};
  return {
    inputId: `q${turn}.${index}`,
    kind: 'question',
    question: clipText(call.args?.['question'] as string, limits.question),
    ...(Array.isArray(options) && { options: withinBytes(options as string[], limits.question) }),
    ...(isJsonObject(schema) && { schema }),
    call,
  };
}

/**
 * `edits`: how often a person changed the call's arguments. After each change the run asks again, so that nobody approves what they did not
 * see.
 */
export const approvalInput = (
  call: ToolCallPart,
  { turn, index, edits }: { readonly turn: number; readonly index: number; readonly edits: number },
): MachineInput => ({
  inputId: `a${turn}.${index}${edits > 0 ? `-${edits}` : ''}`,
  kind: 'approval',
  question: approvalQuestion(call, argumentText(call)),
  call,
});

/**
 * The text of a question about an approval. It has what the person decides about, so that every view shows it. `shown` is the arguments, or
 * the preview in their place.
 */
export const approvalQuestion = ({ name }: ToolCallPart, shown: string): string =>
  `May ${name} run? ${oneLine(shown, limits.shownArguments)}`;

/** The arguments of a call in one line, as the model wrote them if they are not JSON. */
export const argumentText = ({
  args,
  rawArgs = '',
}: Pick<ToolCallPart, 'args' | 'rawArgs'>): string =>
  args === null ? rawArgs : JSON.stringify(args);
