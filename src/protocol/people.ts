import type { JsonObject } from '../base';
import { limits } from './limits';
import {
  amount,
  filledText,
  listOf,
  objectOf,
  partly,
  type Shape,
  shortText,
  text,
  texts,
} from './shapes';

export const actorShape = objectOf(
  {
    /** 1 to 200 characters. */
    id: shortText,
  },
  {
    roles: listOf(shortText, limits.actorRoles),
    /** A name for people. Longhaul decides nothing by it. */
    name: shortText,
  },
);

/** Who acts. The backend vouches for it: Temporal knows no end users. */
export type Actor = Shape<typeof actorShape>;

export const approverRuleShape = objectOf(
  {},
  {
    roles: texts,
    ids: texts,
    /** How many people must approve. Default 1. One rejection ends it. */
    approvals: amount,
    /** `requester` excludes the actor who started the run. `speakers` excludes everybody who has written something to the run. */
    not: listOf(partly<'requester' | 'speakers'>(text)),
  },
);

/** Who may decide about a call. Without `roles` and `ids`, everybody may. With both, one of them is enough. */
export type ApproverRule = Shape<typeof approverRuleShape>;

/** The rules for approvals of one tool, in a pinned definition. */
export type ApprovalPolicy = {
  /** `'ask'` if a function on the worker decides for each call. */
  readonly by?: ApproverRule | 'ask';
  /** A function on the worker makes what the person sees. It only reads. */
  readonly show?: true;
  /** When to remind, counted from the question. */
  readonly remindMs?: readonly number[];
  /** From then on, `to` may decide, too. */
  readonly escalate?: { readonly afterMs: number; readonly to: ApproverRule };
  /** After one approval, later calls of the tool in this run need none. */
  readonly remember?: 'run';
};

/** A right that some senders of answers lack: to raise a budget, or to give the result of a call that comes by its token. */
export type AnswerRight = 'raise-budget' | 'result-by-token';

/** What the worker that loads a definition does for its runs: hooks around people, and telemetry. */
export type WorkerHook = 'onPause' | 'checkSignature' | 'telemetry';

export const voteShape = objectOf({ by: objectOf({ id: filledText }, { name: text }), at: text });

/** An approval that did not decide alone. The log has the whole actor. */
export type Vote = Shape<typeof voteShape>;

/**
 * A decision about an open input. It is in the log before its effect. Prompts do not show it. `inputId` is without the suffix that makes it
 * unique in a tree of runs.
 */
export type Verdict = {
  readonly kind: 'verdict';
  readonly inputId: string;
  /** `edit`: the person changed a call, and the run asks again. `expire`: nobody decided in time. */
  readonly verdict: 'answer' | 'approve' | 'edit' | 'reject' | 'complete' | 'fail' | 'expire';
  /** ISO 8601. */
  readonly at: string;
  readonly by?: Actor;
  readonly note?: string;
  /** The digest of the open input, as `PendingInput` has it. */
  readonly digest?: string;
  /** The arguments that the person put in place of the call's. */
  readonly args?: JsonObject;
  /** What an answer added to a budget. Absent if the answer was to stop. */
  readonly added?: { readonly tokens?: number; readonly costUsd?: number };
  /** The call went on waiting, because it needed more approvals. */
  readonly isVote?: true;
  /** Nobody was asked: an earlier approval of the same tool counts. */
  readonly isRemembered?: true;
};
