// The speakers of a run: the people who wrote something to its model, or changed what it does. Pure.
//
// 1. Approvals without arguments, notes and budgets do not count, because the model does not get them. Results by a token come from
//    machines, which have no name.
// 2. A message of an unknown person may be of anybody, so nobody can approve then.

import type { LogEvent } from '../../protocol/log';
import type { Verdict } from '../../protocol/people';

/** An unknown person. No actor has this id. */
export const unknownSpeaker = '';

/** A run with more speakers counts the others as unknown. */
const mostSpeakers = 50;

/** The speakers of one run, without the requester. */
export function speakersIn(entries: readonly LogEvent[]): readonly string[] {
  return entries.flatMap((entry) => {
    // Only messages to a run that works have an id. The others are the input, or come with a verdict.
    if (entry.kind === 'user')
      return entry.messageId === undefined ? [] : [entry.by?.id ?? unknownSpeaker];
    if (entry.kind !== 'decision' || entry.decision.kind !== 'verdict') return [];
    return speakerOf(entry.decision);
  });
}

function speakerOf(given: Verdict): readonly string[] {
  const { verdict, by } = given;
  const isResult = verdict === 'complete' || verdict === 'fail';
  if (isResult) return by === undefined ? [] : [by.id];
  return hasWords(given) ? [by?.id ?? unknownSpeaker] : [];
}

function hasWords({ verdict, inputId, args }: Verdict): boolean {
  if (verdict === 'answer') return !inputId.startsWith('budget-');
  if (verdict === 'approve') return args !== undefined;
  return verdict === 'reject' || verdict === 'edit';
}

/** The speakers of all lists, each once. */
export function allSpeakers(...lists: readonly (readonly string[])[]): readonly string[] {
  const all = [...new Set(lists.flat())];
  if (all.length <= mostSpeakers) return all;
  return [...new Set([...all.slice(0, mostSpeakers - 1), unknownSpeaker])];
}
