import type { Decision } from '../../protocol/log';
import type { AssistantPart, ToolCallPart } from '../../protocol/message';

/** A change to a turn after it arrived and before its calls run. */
export type Amendment = Extract<Decision, { kind: 'repair-call' | 'ignore-call' }>;

/** A part of a turn. `call` is the place of a call among all calls of the provider. */
export type WorkingPart = { readonly part: AssistantPart; readonly call?: number };

export const madeCallId = (position: number, call: number): string => `call_${position}_${call}`;

/** Calls without an id from the provider get one made of `position`, the place of the turn in the transcript. */
export function workingParts(content: readonly AssistantPart[], position: number): WorkingPart[] {
  let calls = 0;
  return content.map((part) => {
    if (part.type !== 'tool_call') return { part };
    const call = calls;
    calls += 1;
    return { part: part.callId ? part : { ...part, callId: madeCallId(position, call) }, call };
  });
}

export function amend(parts: readonly WorkingPart[], amendment: Amendment): WorkingPart[] {
  if (amendment.kind === 'ignore-call')
    return parts.filter((part) => part.call !== amendment.index);
  return parts.map((part) =>
    part.call === amendment.index
      ? { ...part, part: { ...part.part, name: amendment.name } as ToolCallPart }
      : part,
  );
}

export const contentOf = (parts: readonly WorkingPart[]): AssistantPart[] =>
  parts.map(({ part }) => part);

export const callsOf = (content: readonly AssistantPart[]): ToolCallPart[] =>
  content.filter((part) => part.type === 'tool_call');

/** True if the turn has nothing to keep. Such a turn never enters history. */
export function isEmptyTurn(content: readonly AssistantPart[]): boolean {
  const [part] = content;
  if (part === undefined) return true;
  return content.length === 1 && part.type === 'text' && part.text === '' && !part.sealed;
}

/** True without a call, media or text. Reasoning alone is not an answer. */
export function isAnswerless(content: readonly AssistantPart[]): boolean {
  return content.every(
    (part) =>
      part.type !== 'tool_call' &&
      part.type !== 'media' &&
      !(part.type === 'text' && part.text !== ''),
  );
}

export const argumentsText = (call: ToolCallPart): string =>
  call.rawArgs ?? (call.args === null ? '' : JSON.stringify(call.args));
