import type { ApproverRule, PendingInput } from '../../protocol';
import { printable, printableLine } from './text';

type OfPeople = Pick<PendingInput, 'by' | 'votes' | 'digest' | 'expiresAt' | 'outdated'> & {
  readonly preview?: string | undefined;
};

/** The lines below a question: the preview, whether it is outdated, who has approved, who may decide, until when. */
export function renderPeople(input: OfPeople): string[] {
  const { by, votes, preview, digest, expiresAt, outdated } = input;
  const approved = votes?.map(({ by: { id, name = id } }) => name).join(', ');
  const lines = [
    ...(preview === undefined ? [] : printable(preview).split('\n')),
    outdated && outdatedText(outdated),
    approved && `approved by ${printableLine(approved)}`,
    ...(by === undefined ? [] : rulesOf(by)),
    expiresAt && `until ${printableLine(expiresAt)}`,
    by && digest && `digest ${printableLine(digest)}`,
  ];
  return lines.flatMap((line) => (typeof line === 'string' && line !== '' ? [`  ${line}`] : []));
}

export const outdatedText = (outdated: string): string =>
  `outdated: the deployed tool refuses it: ${printableLine(outdated)}`;

function rulesOf({ roles, ids, approvals = 1, not }: ApproverRule): string[] {
  const who = [
    roles && `roles ${roles.join(', ')}`,
    ids && `people ${ids.join(', ')}`,
    not?.includes('requester') && 'not who asked for the run',
    not?.includes('speakers') && 'nobody whose words are in the run',
  ].filter((rule) => typeof rule === 'string');
  return [
    ...(approvals > 1 ? [`${approvals} approvals needed`] : []),
    ...(who.length > 0 ? [`who may decide: ${printableLine(who.join('; '))}`] : []),
  ];
}
