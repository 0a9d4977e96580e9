import { z } from 'zod';
import { defined, type Problem } from '../../base';
import { limits } from '../../protocol/limits';
import type { ApprovalPolicy } from '../../protocol/people';
import { rule } from '../problems/from-zod';
import { aFunction, count, distinct, duration, flag, help, list } from './parts';

// The schemas of approval rules: who approves calls of a tool, and what happens until then. Files may have all rules but the functions.

const name = z
  .string()
  .regex(/^[^\p{Cc}]{1,200}$/u)
  .meta({ expected: 'a text of 1 to 200 characters' });
const names = distinct(name, limits.approverNames)
  .min(1)
  .meta({ expected: `a list of 1 to ${limits.approverNames} different names` });

const people = {
  roles: names.meta(help('People with one of these roles')).exactOptional(),
  ids: names.meta(help('These people, by the ids of their actors')).exactOptional(),
};

/** Who may decide about a call. A function of a tool returns the same. */
export const approverRule = z
  .strictObject({
    ...people,
    approvals: count(1, limits.approvals)
      .meta(help('How many people must approve; one rejection ends it', { byDefault: '1' }))
      .exactOptional(),
    not: distinct(z.enum(['requester', 'speakers']), 2)
      .meta({
        expected: "['requester'], ['speakers'] or both",
        ...help(
          '`requester`: not the actor who started the run. `speakers`: nobody whose words are in the run',
        ),
      })
      .exactOptional(),
  })
  .superRefine(rule(enoughPeople))
  .meta({ expected: 'a rule {roles?, ids?, approvals?, not?}' });

function enoughPeople({ roles, ids, approvals = 1 }: ApproverOptions): Problem[] {
  if (roles !== undefined || ids === undefined || ids.length >= approvals) return [];
  return [{ path: 'approvals', message: `is ${approvals}, but ids names only ${ids.length}` }];
}

function somebody({ roles, ids }: ApproverOptions): Problem[] {
  if (roles !== undefined || ids !== undefined) return [];
  return [{ path: '', message: 'must have roles, ids or both' }];
}

type ApproverOptions = {
  readonly roles?: readonly string[];
  readonly ids?: readonly string[];
  readonly approvals?: number;
};

const by = approverRule.meta(
  help('Who may decide. Without it everybody may', { see: 'approvals.md#who-may-decide' }),
);

export const timeFields = {
  remind: list(duration, limits.reminders)
    .meta(help('When to remind, counted from the question', { see: 'approvals.md#time' }))
    .exactOptional(),
  escalate: z
    .strictObject({
      after: duration.meta(help('Counted from the question')),
      to: z
        .strictObject(people)
        .superRefine(rule(somebody))
        .meta(help('From then on, these people may decide, too')),
    })
    .meta(help('Lets more people decide after a time'))
    .exactOptional(),
  remember: z
    .literal('run')
    .meta(help('`run`: after one approval, later calls of the tool in this run need none'))
    .exactOptional(),
};

/** The approval rules of a tool in a file. */
export const approvalData = z
  .strictObject({ by: by.exactOptional(), ...timeFields })
  .superRefine(rule(approvalRules));

const approvalPolicy = z
  .strictObject({
    when: z
      .union([flag, aFunction()])
      .meta({
        expected: 'true, false or a function (args, context) => boolean',
        ...help('Which calls need approval', { byDefault: '`true`' }),
      })
      .exactOptional(),
    by: z
      .union([by, aFunction()])
      .meta({
        expected: 'a rule {roles?, ids?, approvals?, not?} or a function that returns one',
        ...help('Who may decide: a rule, or `(args, context) => rule`. Without it everybody may', {
          see: 'approvals.md#who-may-decide',
        }),
      })
      .exactOptional(),
    show: aFunction()
      .meta(
        help('`(args, context) => text or JSON`: what the person sees of the call. It only reads', {
          see: 'approvals.md#what-the-person-sees',
        }),
      )
      .exactOptional(),
    ...timeFields,
  })
  .superRefine(rule(approvalRules));

function approvalRules(policy: {
  readonly by?: unknown;
  readonly escalate?: unknown;
}): readonly Problem[] {
  if (policy.escalate === undefined || policy.by !== undefined) return [];
  return [{ path: 'escalate', message: 'needs by: without it everybody may decide already' }];
}

export const needsApproval = z.union([flag, aFunction(), approvalPolicy]).meta({
  expected: 'true, false, a function (args, context) => boolean, or an object of rules',
  ...help('Whether a person must approve a call before it runs, and who', {
    byDefault: '`false`',
    see: 'approvals.md',
  }),
});

/** The option as runs pin it. Functions stay on the workers. */
export function approvalSpec(given: z.output<typeof needsApproval> | undefined): {
  readonly needsApproval?: boolean | 'ask';
  readonly approval?: ApprovalPolicy;
} {
  if (given === undefined) return {};
  if (typeof given === 'boolean') return { needsApproval: given };
  if (typeof given === 'function') return { needsApproval: 'ask' };
  const { when = true, ...rules } = given;
  const approval = policyOf(rules);
  return {
    needsApproval: typeof when === 'function' ? 'ask' : when,
    ...(Object.keys(approval).length > 0 && { approval }),
  };
}

/** The rules as runs pin them. */
export function policyOf(
  given: Omit<z.output<typeof approvalPolicy>, 'when'> | z.output<typeof approvalData>,
): ApprovalPolicy {
  const { by: rules, remind = [], escalate, remember } = given;
  const remindMs = [...new Set(remind)].sort((left, right) => left - right);
  return defined({
    by: typeof rules === 'function' ? ('ask' as const) : rules,
    show: 'show' in given && given.show !== undefined ? (true as const) : undefined,
    remindMs: remindMs.length > 0 ? remindMs : undefined,
    escalate: escalate && { afterMs: escalate.after, to: escalate.to },
    remember,
  });
}
