// Decides who may decide about an open input, and what a verdict does to it. A run and the root run above it call the same functions, so
// they agree without a message. Pure.
//
// 1. A verdict names what the person saw (`seen`). A verdict on anything else is refused.
// 2. Each actor has one vote. One rejection decides. A verdict that changes the arguments closes the input, and the run asks again. So no
//    earlier vote counts for arguments that its actor did not see.
// 3. Without a known requester, `not: ['requester']` refuses every approval. So does `not: ['speakers']` if an unknown person has written
//    something. Rejections stay possible.

import { defined, type JsonObject } from '../../base';
import { LonghaulError } from '../../protocol/errors';
import type { Actor, ApproverRule, Verdict } from '../../protocol/people';
import { unknownSpeaker } from './speakers';
import type { AnsweredBy, InputAnswer, PendingInput } from '../../protocol/run';

/** The members of an answer that decide whether it counts. */
type Given = AnsweredBy & { readonly kind: InputAnswer['kind']; readonly args?: JsonObject };

/** The members of an open input that decide who may answer it. */
type Asked = Pick<
  PendingInput,
  'inputId' | 'digest' | 'by' | 'requester' | 'speakers' | 'votes' | 'editAsksAnew'
>;

/** Throws `InputChanged`, `NotPermitted` or `AlreadyAnswered` if this verdict does not count. */
export function checkVerdict(input: Asked, given: Given): void {
  const { inputId, digest, by: rule } = input;
  if (given.seen !== undefined && given.seen !== digest)
    throw new LonghaulError(
      'InputChanged',
      `input '${inputId}' is not what you saw: read it again, then decide`,
      { details: { inputId, ...defined({ digest }) } },
    );
  if (rule === undefined) return;
  const problem = refusal(input, { rule, given });
  if (problem !== undefined)
    throw new LonghaulError('NotPermitted', `input '${inputId}': ${problem}`, {
      details: { inputId },
    });
}

/** True if the rules of the input let this verdict count. */
export const isPermitted = (input: Asked, given: Given): boolean =>
  input.by === undefined || refusal(input, { rule: input.by, given }) === undefined;

/** True if the actor has approved already. Approving again changes nothing. */
export const hasVoted = ({ votes = [] }: Asked, actor: Actor): boolean =>
  votes.some(({ by }) => by.id === actor.id);

/** Throws `AlreadyAnswered` for another approval of the same actor. */
export function checkVotesOnce(input: Asked, given: Given): void {
  const { by } = given;
  if (by === undefined || missingApprovals(input, given) === 0 || !hasVoted(input, by)) return;
  throw new LonghaulError(
    'AlreadyAnswered',
    `'${by.id}' has approved '${input.inputId}' already; others must approve it, too`,
    { details: { by: by.id } },
  );
}

/** How many more approvals the input needs after this verdict. 0 means that the verdict answers it. */
export function missingApprovals(input: Asked, given: Given): number {
  if (given.kind !== 'approve' || given.args !== undefined) return 0;
  const others = input.votes?.filter(({ by }) => by.id !== given.by?.id).length ?? 0;
  return Math.max(0, (input.by?.approvals ?? 1) - others - 1);
}

/** True if a verdict does not approve, because it changes the call and the rules hold for one call only. */
export const asksAnew = ({ editAsksAnew }: Asked, { kind, args }: Given): boolean =>
  editAsksAnew === true && kind === 'approve' && args !== undefined;

/** Why the actor may not decide. */
function refusal(
  input: Asked,
  { rule, given }: { readonly rule: ApproverRule; readonly given: Given },
): string | undefined {
  const { by, kind } = given;
  if (by === undefined)
    return 'nobody knows who decides: pass by, connect with an actor, or use --as';
  if (namesNobody(rule))
    return kind === 'approve' ? 'nobody may approve it; everybody may reject it' : undefined;
  if (!isNamed(rule, by)) return `'${by.id}' may not decide; ${whoMay(rule)}`;
  return ofRequester(input, rule, given) ?? ofSpeakers(input, rule, given);
}

function ofRequester({ requester }: Asked, rule: ApproverRule, given: Given): string | undefined {
  const { by, kind } = given;
  if (rule.not?.includes('requester') !== true) return undefined;
  if (requester === by?.id)
    return `'${requester}' asked for this run, so somebody else must decide`;
  return requester === undefined && kind === 'approve'
    ? 'nobody knows who asked for this run, so nobody can approve it: start runs with by'
    : undefined;
}

function ofSpeakers(
  { speakers = [unknownSpeaker] }: Asked,
  rule: ApproverRule,
  { by, kind }: Given,
): string | undefined {
  if (rule.not?.includes('speakers') !== true) return undefined;
  if (by !== undefined && speakers.includes(by.id))
    return `words of '${by.id}' are in this run, so somebody else must decide`;
  return speakers.includes(unknownSpeaker) && kind === 'approve'
    ? 'nobody knows whose words are in this run, so nobody can approve it: start, send and answer with by'
    : undefined;
}

/** True for the rule that a call gets if making its own rule failed. No tool can have such a rule. */
const namesNobody = ({ roles = [], ids }: ApproverRule): boolean =>
  roles.length === 0 && ids?.length === 0;

function isNamed({ roles, ids }: ApproverRule, by: Actor): boolean {
  if (roles === undefined && ids === undefined) return true;
  return ids?.includes(by.id) === true || by.roles?.some((role) => roles?.includes(role)) === true;
}

/** Who may decide, for people. */
export function whoMay({ roles, ids }: ApproverRule): string {
  const named = [
    ...(roles === undefined ? [] : [`the roles ${roles.join(', ') || '(none)'}`]),
    ...(ids === undefined ? [] : [`the people ${ids.join(', ') || '(none)'}`]),
  ];
  return named.length === 0 ? 'everybody may' : `only ${named.join(' and ')} may`;
}

/** Whom a rule excludes, for people. */
export function whoMayNot({ not = [] }: ApproverRule): readonly string[] {
  return [
    ...(not.includes('requester') ? ['not who asked for the run'] : []),
    ...(not.includes('speakers') ? ['nobody whose words are in the run'] : []),
  ];
}

/** The log entry for a decision. `inputId`: without the suffix of the tree. */
export function verdictOn(
  asked: Asked,
  {
    answer,
    inputId,
    at,
  }: {
    readonly answer: InputAnswer;
    readonly inputId: string;
    readonly at: string;
  },
): Verdict {
  const { by, note } = answer;
  return {
    kind: 'verdict',
    inputId,
    verdict: asksAnew(asked, answer) ? 'edit' : answer.kind,
    at,
    ...defined({
      by,
      note,
      digest: asked.digest,
      args: answer.kind === 'approve' ? answer.args : undefined,
    }),
    ...(missingApprovals(asked, answer) > 0 && { isVote: true as const }),
  };
}

/**
 * The rule `by` after an escalation: it also permits the people of `to`. Nobody loses the permission, and as many people as before must
 * approve.
 */
export function widened(by: ApproverRule, to: ApproverRule): ApproverRule {
  const { roles: _roles, ids: _ids, ...others } = by;
  if (permitsAll(by) || permitsAll(to)) return others;
  return {
    ...others,
    ...defined({ roles: joined(by.roles, to.roles), ids: joined(by.ids, to.ids) }),
  };
}

/** A rule that names nobody permits everybody. */
const permitsAll = ({ roles, ids }: ApproverRule): boolean =>
  roles === undefined && ids === undefined;

function joined(
  some: readonly string[] | undefined,
  others: readonly string[] | undefined,
): readonly string[] | undefined {
  return some && others ? [...new Set([...some, ...others])] : (some ?? others);
}

/** The log entry for an input that nobody decided in time. `inputId`: without the suffix of the tree. */
export function expiryOf(
  { digest }: PendingInput,
  { inputId, at }: { readonly inputId: string; readonly at: string },
): Verdict {
  return { kind: 'verdict', inputId, verdict: 'expire', at, ...defined({ digest }) };
}
