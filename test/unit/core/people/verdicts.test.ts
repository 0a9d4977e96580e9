// Pure: no server.
import { readActor } from '../../../../src/core/people/actor';
import { digestOf } from '../../../../src/core/people/digest';
import { isProof, keptOf, proofOf } from '../../../../src/core/people/result-token';
import {
  asksAnew,
  checkVerdict,
  checkVotesOnce,
  expiryOf,
  hasVoted,
  isPermitted,
  missingApprovals,
} from '../../../../src/core/people/verdicts';
import { limits } from '../../../../src/protocol/limits';
import type { ApproverRule } from '../../../../src/protocol/people';
import type { PendingInput } from '../../../../src/protocol/run';
import { thrown } from '../builders';

const open = (by?: ApproverRule, rest: Partial<PendingInput> = {}): PendingInput => ({
  ...{ inputId: 'a1.0', kind: 'approval', question: '?', agentId: 'a', path: 'a' },
  since: '2026-01-01T00:00:00.000Z',
  ...(by && { by }),
  ...rest,
});

const approve = (id?: string, ...roles: string[]) => ({
  kind: 'approve' as const,
  ...(id !== undefined && { by: { id, roles } }),
});

const problemOf = (input: PendingInput, given: Parameters<typeof checkVerdict>[1]): string => {
  try {
    checkVerdict(input, given);
    return 'taken';
  } catch (error) {
    return String(error);
  }
};

describe('who may decide', () => {
  it.each([
    ['without a rule, everybody', undefined, approve(), /taken/],
    ['with a rule, nobody without a name', {}, approve(), /nobody knows who decides/],
    ['with an empty rule, everybody who says who', {}, approve('ada'), /taken/],
    ['a role', { roles: ['lead'] }, approve('ada', 'lead'), /taken/],
    ['another role', { roles: ['lead'] }, approve('ada', 'clerk'), /only the roles lead may/],
    ['an id', { ids: ['ada'] }, approve('ada'), /taken/],
    ['another id', { ids: ['ada'] }, approve('bob'), /only the people ada may/],
    ['either', { roles: ['lead'], ids: ['ada'] }, approve('ada'), /taken/],
    [
      'neither',
      { roles: ['lead'], ids: ['ada'] },
      { ...approve(), by: { id: 'bob' } },
      /and the people ada/,
    ],
    ['nobody may approve', { roles: [], ids: [] }, approve('ada'), /nobody may approve/],
    [
      'and everybody may reject',
      { ids: [] },
      { kind: 'reject' as const, by: { id: 'x' } },
      /taken/,
    ],
  ] as const)('%s', (_what, rule, given, said) => {
    expect(problemOf(open(rule as ApproverRule | undefined), given)).toMatch(said);
    expect(isPermitted(open(rule as ApproverRule | undefined), given)).toBe(
      said.source === 'taken',
    );
  });

  it('leaves the requester out, and approvals if nobody knows the requester', () => {
    const rule: ApproverRule = { not: ['requester'] };
    const known = open(rule, { requester: 'mia' });
    expect(problemOf(known, approve('mia'))).toMatch(/asked for this run/);
    expect(problemOf(known, { kind: 'reject', by: { id: 'mia' } })).toMatch(/asked for this run/);
    expect(problemOf(known, approve('ada'))).toBe('taken');
    expect(problemOf(open(rule), approve('ada'))).toMatch(/nobody knows who asked/);
    expect(problemOf(open(rule), { kind: 'reject', by: { id: 'ada' } })).toBe('taken');
  });

  it('leaves out everybody whose words are in the run', () => {
    const rule: ApproverRule = { not: ['speakers'] };
    const known = open(rule, { speakers: ['mia', 'bob'] });
    expect(problemOf(known, approve('bob'))).toMatch(/words of 'bob'/);
    expect(problemOf(known, approve('ada'))).toBe('taken');
    for (const unknown of [open(rule), open(rule, { speakers: ['mia', ''] })]) {
      expect(problemOf(unknown, approve('ada'))).toMatch(/nobody knows whose words/);
      expect(problemOf(unknown, { kind: 'reject', by: { id: 'ada' } })).toBe('taken');
    }
  });

  it('refuses a verdict on something else', () => {
    const seen = open(undefined, { digest: 'd1' });
    expect(problemOf(seen, { ...approve('ada'), seen: 'd1' })).toBe('taken');
    expect(problemOf(seen, { ...approve('ada'), seen: 'd2' })).toMatch(/not what you saw/);
    expect(problemOf(open(), { ...approve('ada'), seen: 'd2' })).toMatch(/not what you saw/);
  });
});

describe('votes', () => {
  const two = open({ approvals: 2 }, { votes: [{ by: { id: 'ada' }, at: 'then' }] });

  it('count each actor once', () => {
    expect(missingApprovals(open({ approvals: 3 }), approve('ada'))).toBe(2);
    expect(missingApprovals(two, approve('ada'))).toBe(1);
    expect(missingApprovals(two, approve('bob'))).toBe(0);
    expect([hasVoted(two, { id: 'ada' }), hasVoted(two, { id: 'bob' })]).toEqual([true, false]);
    expect(hasVoted(open(), { id: 'ada' })).toBe(false);
  });

  it('are not what a rejection or an edit is', () => {
    expect(missingApprovals(two, { kind: 'reject' })).toBe(0);
    expect(missingApprovals(two, { ...approve('bob'), args: {} })).toBe(0);
  });

  it('are asked for anew by an edit, if the rules hold for one call', () => {
    const edit = { ...approve('ada'), args: {} };
    const strict = open({}, { editAsksAnew: true });
    expect(asksAnew(strict, edit)).toBe(true);
    expect(asksAnew(open({}), edit)).toBe(false);
    expect(asksAnew(strict, approve('ada'))).toBe(false);
    expect(asksAnew(strict, { kind: 'reject' })).toBe(false);
  });
});

describe('the digest of what a person saw', () => {
  const call = {
    type: 'tool_call' as const,
    callId: 'c',
    name: 'pay',
    args: { euros: 5, to: 'Łódź 😀' },
  };

  it('changes with tool, arguments and preview, and not with their order', () => {
    const others = [
      { ...call, name: 'send' },
      { ...call, args: { euros: 6 } },
      { ...call, args: null },
    ];
    const digests = [digestOf({ call }), digestOf({ call, preview: 'p' }), digestOf({})];
    const all = [...digests, ...others.map((other) => digestOf({ call: other }))];
    expect(new Set(all).size).toBe(6);
    const turned = { ...call, args: { to: 'Łódź 😀', euros: 5 } };
    expect(digestOf({ call: turned })).toBe(digestOf({ call }));
    expect(digestOf({ call })).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the proof of a token', () => {
  it('is neither the token nor what the run keeps', () => {
    const proof = proofOf('lh1.a.b.c');
    expect(isProof(proof)).toBe(true);
    expect([isProof(keptOf(proof)), isProof('lh1.a.b.c'), isProof(5)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('an actor', () => {
  it.each([
    [{ id: 'ada' }],
    [{ id: 'ada', roles: [] }],
    [{ id: 'ada', roles: ['lead'], name: 'Ada' }],
  ])('may be %j', (actor) => {
    expect(readActor(actor)).toEqual(actor);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'ada'],
    ['no id', { name: 'Ada' }],
    ['an empty id', { id: '' }],
    ['a role that is no text', { id: 'ada', roles: [5] }],
    ['roles that are no list', { id: 'ada', roles: 'lead' }],
    [
      'too many roles',
      { id: 'ada', roles: Array.from({ length: limits.actorRoles + 1 }, () => 'r') },
    ],
    ['a name that is no text', { id: 'ada', name: 5 }],
    ['an unknown member', { id: 'ada', admin: true }],
  ])('may not be %s', (_what, actor) => {
    expect(thrown(() => readActor(actor))).toMatchObject({ code: 'InvalidInput' });
  });
});

it('notes in the log that nobody decided in time', () => {
  const end = { inputId: 'a1.0', at: 'then' };
  const entry = { kind: 'verdict', verdict: 'expire', ...end };
  expect(expiryOf(open(), end)).toEqual(entry);
  expect(expiryOf(open(undefined, { digest: 'd' }), end)).toEqual({ ...entry, digest: 'd' });
});

it('one person approves once, and may still reject or change the call', () => {
  const votes = [{ by: { id: 'ada' }, at: '2026-01-01T00:00:00.000Z' }];
  const input = open({ approvals: 3 }, { votes });
  const again = thrown(() => checkVotesOnce(input, { ...approve('ada'), note: 'again' }));
  expect(again).toMatchObject({ code: 'AlreadyAnswered' });
  for (const given of [
    approve('bob'),
    { ...approve('ada'), args: {} },
    { ...approve('ada'), kind: 'reject' as const },
  ])
    expect(() => checkVotesOnce(input, given)).not.toThrow();
});
