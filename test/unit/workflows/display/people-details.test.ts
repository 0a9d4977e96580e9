// Pure: no server.
import type { PendingInput } from '../../../../src/protocol/run';
import {
  describeAnswer,
  describePeople,
  describeVerdict,
} from '../../../../src/workflows/display/people-details';

const input: PendingInput = {
  inputId: 'a1.0',
  kind: 'approval',
  question: 'May pay run?',
  agentId: 'payer',
  path: 'payer',
  since: '2026-01-01T00:00:00.000Z',
};
const at = input.since;

describe('what the Web UI shows of people', () => {
  it('says nothing where everybody may decide', () => {
    expect(describePeople(input)).toBe('');
    expect(describeVerdict({ kind: 'verdict', inputId: 'a1.0', verdict: 'approve', at })).toEqual(
      [],
    );
  });

  it('says who approved, how many must, and who may', () => {
    const votes = [{ by: { id: 'ada', name: 'Ada *L*' }, at }];
    const by = { roles: ['finance'], approvals: 3, not: ['requester'] as const };
    const shown = describePeople({ ...input, by, votes, expiresAt: '2026-02-01' });
    expect(shown).toMatch(
      /^\n\nApproved by Ada .*L.* · 2 more must approve · only the roles finance may/,
    );
    expect(shown).toContain('not who asked for the run · until 2026');
    expect(shown).not.toContain(' *L*');
  });

  it.each([
    ['approval', 'approve `{"inputId":"a1.0"}` or reject `{"inputId":"a1.0","reason":"…"}`'],
    ['question', 'resume `{"inputId":"a1.0","answer":"…"}`'],
    ['tool', 'complete `{"inputId":"a1.0","value":"…"}` or fail `{"inputId":"a1.0","reason":"…"}`'],
  ] as const)('says how to answer: %s', (kind, ways) => {
    expect(describeAnswer({ ...input, kind })).toBe(`\n\nSend an update: ${ways}`);
  });

  it('says who decided, and why', () => {
    const verdict = { kind: 'verdict', inputId: 'a1.0', verdict: 'reject', at } as const;
    const [line] = describeVerdict({ ...verdict, by: { id: 'bob' }, note: 'too much' });
    expect(line).toBe('- **bob:** reject `a1.0`: too much');
  });
});
