// Writes what the Web UI shows about people: how they answer, who approved so far, who may decide, and who decided. Text by others is
// escaped. Pure.

import { oneLine } from '../../base';
import { whoMay, whoMayNot } from '../../core/people/verdicts';
import { codeMarkdown, plainMarkdown } from '../../core/transcript/markdown';
import type { Actor, PendingInput, Verdict, Vote } from '../../protocol';

/** A line about an open input and its people. Empty if everybody may decide, once. */
export function describePeople({ by = {}, votes = [], expiresAt, outdated }: PendingInput): string {
  const missing = (by.approvals ?? 1) - votes.length;
  const sentences = [
    outdated && `Outdated: the deployed tool refuses it: ${plain(outdated)}`,
    ...approvedBy(votes),
    (missing > 1 || votes.length > 0) && `${missing} more must approve`,
    (by.roles ?? by.ids) && plain(whoMay(by)),
    ...whoMayNot(by),
    expiresAt && `until ${plain(expiresAt)}`,
  ].filter((sentence) => typeof sentence === 'string');
  return sentences.length === 0 ? '' : `\n\n${sentences.join(' · ')}`;
}

/** How to answer an open input with any Temporal client. */
export function describeAnswer({ kind, inputId }: Pick<PendingInput, 'kind' | 'inputId'>): string {
  const update = (name: string, value: object): string =>
    `${name} ${codeMarkdown(JSON.stringify({ inputId, ...value }))}`;
  const ways = {
    approval: [update('approve', {}), update('reject', { reason: '…' })],
    tool: [update('complete', { value: '…' }), update('fail', { reason: '…' })],
    question: [update('resume', { answer: '…' })],
    budget: [update('resume', { answer: 'amount to add, or stop' })],
  };
  return `\n\nSend an update: ${ways[kind].join(' or ')}`;
}

function approvedBy(votes: readonly Vote[]): string[] {
  const names = votes.map(({ by }) => named(by)).join(', ');
  return names === '' ? [] : [`Approved by ${names}`];
}

/** A line of the conversation. Without an actor there is no line, because the answer itself is shown. */
export function describeVerdict({ inputId, verdict, by, note }: Verdict): string[] {
  if (by === undefined) return [];
  const remark = note === undefined ? '' : `: ${plain(note)}`;
  return [`- **${named(by)}:** ${verdict} ${codeMarkdown(inputId)}${remark}`];
}

const named = ({ id, name = id }: Omit<Actor, 'roles'>): string => plain(name);

const plain = (text: string): string => plainMarkdown(oneLine(text, 200));
