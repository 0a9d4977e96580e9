// Pure: what time brings to open inputs, by tables.

import { hasCode } from '../../../../src/protocol/errors';
import type { ApproverRule } from '../../../../src/protocol/people';
import type { PendingInput } from '../../../../src/protocol/run';
import {
  checkInTime,
  nextDue,
  passTime,
  type TimeRules,
} from '../../../../src/workflows/people/due';
import { thrown } from '../../core/builders';

const hour = 3_600_000;
const start = Date.parse('2026-11-21T00:00:00.000Z');
const at = (hours: number): string => new Date(start + hours * hour).toISOString();

const asked = (inputId: string, more: Partial<PendingInput> = {}): PendingInput => ({
  inputId,
  kind: 'approval',
  question: `${inputId}?`,
  agentId: 'payer',
  path: 'payer',
  since: at(0),
  ...more,
});

const lead: ApproverRule = { roles: ['lead'] };
const rules: TimeRules = {
  remindMs: [24 * hour, 48 * hour],
  escalate: { afterMs: 72 * hour, to: lead },
};

describe('nextDue', () => {
  it.each<{ name: string; inputs: PendingInput[]; due: [string, number] | undefined }>([
    { name: 'nothing, without inputs', inputs: [], due: undefined },
    { name: 'the first reminder', inputs: [asked('a')], due: ['a', 24] },
    {
      name: 'the second reminder',
      inputs: [asked('a', { remindedAt: at(24) })],
      due: ['a', 48],
    },
    {
      name: 'the escalation, after a reminder that came late',
      inputs: [asked('a', { remindedAt: at(50) })],
      due: ['a', 72],
    },
    {
      name: 'nothing, after the escalation',
      inputs: [asked('a', { remindedAt: at(72) })],
      due: undefined,
    },
    {
      name: 'a deadline before everything',
      inputs: [asked('a', { expiresAt: at(3) })],
      due: ['a', 3],
    },
    {
      name: 'a deadline after everything',
      inputs: [asked('a', { remindedAt: at(72), expiresAt: at(90) })],
      due: ['a', 90],
    },
    {
      name: 'the first of several inputs',
      inputs: [asked('a'), asked('b', { since: at(-2) }), asked('c', { expiresAt: at(23) })],
      due: ['b', 22],
    },
    {
      name: 'the earlier listed of two at once',
      inputs: [asked('a', { expiresAt: at(24) }), asked('b')],
      due: ['a', 24],
    },
  ])('is $name', ({ inputs, due }) => {
    const next = nextDue(inputs, () => rules);
    expect(next && [next.input.inputId, (next.at - start) / hour]).toEqual(due);
  });

  it('is nothing for inputs without rules and without a deadline', () => {
    expect(nextDue([asked('a'), asked('b')], () => ({}))).toBeUndefined();
  });
});

describe('passTime', () => {
  const by: ApproverRule = { roles: ['finance'], approvals: 2 };
  it.each<{
    name: string;
    input?: Partial<PendingInput>;
    hours: number;
    passed: object | undefined;
  }>([
    { name: 'nothing too early', hours: 23.9, passed: undefined },
    {
      name: 'a reminder',
      hours: 24,
      passed: { reason: 'reminder', input: { remindedAt: at(24), by } },
    },
    { name: 'nothing twice', input: { remindedAt: at(24) }, hours: 30, passed: undefined },
    {
      name: 'two reminders as one',
      hours: 60,
      passed: { reason: 'reminder', input: { remindedAt: at(60), by } },
    },
    {
      name: 'an escalation in place of the reminders before it',
      hours: 80,
      passed: {
        reason: 'escalated',
        input: { remindedAt: at(80), by: { roles: ['finance', 'lead'], approvals: 2 } },
      },
    },
    {
      name: 'an escalation once',
      input: { remindedAt: at(72) },
      hours: 100,
      passed: undefined,
    },
    {
      name: 'the end before everything else',
      input: { expiresAt: at(80) },
      hours: 80,
      passed: { reason: 'expired', input: { expiresAt: at(80), by } },
    },
  ])('brings $name', ({ input = {}, hours, passed }) => {
    const found = passTime(asked('a', { by, ...input }), rules, start + hours * hour);
    if (passed === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(passed);
  });

  it('leaves an input that everybody may decide to everybody', () => {
    const { input } = passTime(asked('a'), rules, start + 80 * hour) ?? {};
    expect(input).toEqual(asked('a', { remindedAt: at(80) }));
  });

  it('ends after each of its times has come once, whenever the run looks', () => {
    for (let every = 1; every < 100; every += 7) {
      let input = asked('a', { by });
      const reasons: string[] = [];
      for (let hours = 0; hours <= 200; hours += every) {
        const passed = passTime(input, rules, start + hours * hour);
        if (passed === undefined) continue;
        reasons.push(passed.reason);
        ({ input } = passed);
      }
      expect(reasons.at(-1)).toBe('escalated');
      expect(reasons.filter((reason) => reason === 'escalated')).toHaveLength(1);
      expect(reasons.length).toBeLessThanOrEqual(3);
      expect(nextDue([input], () => rules)).toBeUndefined();
    }
  });
});

describe('checkInTime', () => {
  it('refuses an answer from the deadline on', () => {
    const input = asked('a', { expiresAt: at(2) });
    expect(() => checkInTime(input, start + 2 * hour - 1)).not.toThrow();
    expect(() => checkInTime(asked('a'), start + 2 * hour)).not.toThrow();
    const refused = thrown(() => checkInTime(input, start + 2 * hour));
    expect(hasCode(refused, 'NotWaiting')).toBe(true);
    expect(String(refused)).toContain(at(2));
  });
});
