// Pure: no server.
import { auditLog } from '../../../../src/core/transcript/audit-log';
import { limits } from '../../../../src/protocol/limits';
import type { Decision, LogEntry, LogEvent } from '../../../../src/protocol/log';
import { emptyUsage } from '../../../../src/core/budget/usage';
import type { Verdict } from '../../../../src/protocol/people';

const ada = { id: 'ada' };
const at = '2026-01-01T00:00:00.000Z';

const user = (text: string, more: object = {}): LogEvent => ({
  kind: 'user',
  message: { role: 'user', parts: [{ type: 'text', text }] },
  ...more,
});
const pay = (euros: number): LogEvent => ({
  kind: 'model-turn',
  usage: emptyUsage,
  content: [{ type: 'tool_call', callId: 'c', name: 'pay', args: { euros } }],
});
const result = (turn: number, text: string): LogEvent => ({
  kind: 'tool-result',
  result: {
    type: 'tool_result',
    callId: 'c',
    name: 'pay',
    isError: false,
    content: [{ type: 'text', text }],
    turn,
    index: 0,
  },
});
const decision = (made: Decision): LogEvent => ({ kind: 'decision', decision: made });
const verdict = (inputId: string, kind: Verdict['verdict'], more: Partial<Verdict> = {}) =>
  decision({ kind: 'verdict', inputId, verdict: kind, at, by: ada, ...more });

const audit = (...events: readonly LogEvent[]) =>
  auditLog(events.map((event, index): LogEntry => ({ ...event, id: `r/${index}` })));

describe('auditLog', () => {
  it('tells which arguments each person saw, before and after an edit', () => {
    const edit = decision({ kind: 'edit-call', turn: 1, index: 0, args: { euros: 40 } });
    const entries = audit(
      user('Go'),
      pay(100),
      verdict('a1.0', 'edit', { args: { euros: 40 }, digest: 'd1' }),
      edit,
      verdict('a1.0-1', 'approve', { isVote: true, digest: 'd2' }),
      verdict('a1.0-1', 'approve', { digest: 'd2' }),
      result(1, 'paid'),
    );
    expect(entries).toMatchObject([
      { verdict: 'edit', args: { euros: 100 }, edited: { euros: 40 }, digest: 'd1' },
      { tool: 'pay', args: { euros: 40 }, isVote: true, digest: 'd2' },
      { tool: 'pay', args: { euros: 40 }, digest: 'd2', input: 'approval' },
    ]);
    expect(entries.some((entry) => 'told' in entry)).toBe(false);
  });

  it('tells what the model got instead of a result, cut', () => {
    const long = 'x'.repeat(3 * limits.note);
    const [rejected, completed, asked, budget] = audit(
      user('Go'),
      pay(100),
      verdict('a1.0', 'reject', { note: 'too much' }),
      result(1, 'no'),
      pay(1),
      verdict('t2.0', 'complete'),
      result(2, long),
      verdict('q2', 'answer'),
      user('Seven'),
      verdict('budget-3-1000', 'answer', { added: { tokens: 500 } }),
    );
    expect(rejected).toMatchObject({ verdict: 'reject', told: 'no', note: 'too much' });
    expect(completed).toMatchObject({ input: 'tool', tool: 'pay', args: { euros: 1 } });
    expect(Buffer.byteLength((completed as { told: string }).told)).toBeLessThanOrEqual(
      limits.note,
    );
    expect(asked).toMatchObject({ input: 'question', told: 'Seven' });
    expect(budget).toEqual({
      kind: 'verdict',
      inputId: 'budget-3-1000',
      input: 'budget',
      verdict: 'answer',
      added: { tokens: 500 },
      at,
      by: ada,
    });
  });

  it('lists messages to the run, but neither its input nor an answer', () => {
    const entries = audit(
      user('Go'),
      pay(1),
      result(1, 'paid'),
      user('Stop.', { messageId: 'm', by: ada, at }),
    );
    expect(entries).toEqual([{ kind: 'message', text: 'Stop.', by: ada, at }]);
  });
});
