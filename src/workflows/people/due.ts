// Decides what happens to an open input at what time, if nobody answers: a reminder, an escalation, or its end. Pure.
//
// 1. The input itself has its times: `since`, `remindedAt` and `expiresAt`. So continue-as-new and a reset carry nothing else.
// 2. If several reminders were due while no worker ran, one is sent. An escalation is a reminder, too.

import { defined } from '../../base';
import { widened } from '../../core/people/verdicts';
import { type ApprovalPolicy, LonghaulError, type PendingInput } from '../../protocol';

/** When to remind and to escalate. Inputs without a policy have no such rules. */
export type TimeRules = Pick<ApprovalPolicy, 'remindMs' | 'escalate'>;

/** Something is due at `at`, in milliseconds since 1970. */
export type Due = { readonly at: number; readonly input: PendingInput };

/** `input`: how it is from now on. An expired input is unchanged, because it closes. */
export type Passed = {
  readonly reason: 'reminder' | 'escalated' | 'expired';
  readonly input: PendingInput;
};

/** The first thing that is due. Undefined if all these inputs wait for ever. */
export function nextDue(
  inputs: readonly PendingInput[],
  rulesOf: (input: PendingInput) => TimeRules,
): Due | undefined {
  let first: Due | undefined;
  for (const input of inputs) {
    const at = Math.min(...dueTimes(input, rulesOf(input)));
    if (at < (first?.at ?? Infinity)) first = { at, input };
  }
  return first;
}

function dueTimes(input: PendingInput, rules: TimeRules): readonly number[] {
  const { remindMs = [], escalate } = rules;
  const times = [...remindMs, ...(escalate ? [escalate.afterMs] : [])];
  const { expiresAt } = input;
  return [
    ...times.map((ms) => Date.parse(input.since) + ms).filter((at) => at > passedUntil(input)),
    ...(expiresAt === undefined ? [] : [Date.parse(expiresAt)]),
  ];
}

const passedUntil = ({ since, remindedAt = since }: PendingInput): number => Date.parse(remindedAt);

/** The input after everything that is due until `now`. Undefined if nothing is due. */
export function passTime(input: PendingInput, rules: TimeRules, now: number): Passed | undefined {
  if (input.expiresAt !== undefined && Date.parse(input.expiresAt) <= now)
    return { reason: 'expired', input };
  const isDue = (ms: number): boolean => {
    const at = Date.parse(input.since) + ms;
    return at > passedUntil(input) && at <= now;
  };
  const { remindMs = [], escalate } = rules;
  const reminded = { ...input, remindedAt: new Date(now).toISOString() };
  if (escalate !== undefined && isDue(escalate.afterMs)) {
    const by = input.by && widened(input.by, escalate.to);
    return { reason: 'escalated', input: { ...reminded, ...defined({ by }) } };
  }
  return remindMs.some(isDue) ? { reason: 'reminder', input: reminded } : undefined;
}

/** Throws `NotWaiting` for an answer after the deadline, also if the run has not noticed yet that the time is up. */
export function checkInTime({ inputId, expiresAt }: PendingInput, now: number): void {
  if (expiresAt === undefined || now < Date.parse(expiresAt)) return;
  throw new LonghaulError('NotWaiting', `input '${inputId}' took answers until ${expiresAt}`, {
    details: { inputId, expiresAt },
  });
}
