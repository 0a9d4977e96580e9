// Pure: no server. What a principal may read of failures.
import type { RunReport } from '../../../src/client';
import { shownReport, shownTurn } from '../../../src/http/run-report';
import type { TurnView } from '../../../src/protocol/thread';

const secret = 'no answer of db.internal:5432';

const failed = {
  status: 'failed',
  pending: [],
  rejected: [{ signal: 'onPause', code: 'InternalError', message: secret, at: 'now' }],
  error: { code: 'ToolError', message: secret },
} as unknown as RunReport;

const turn: TurnView = {
  messageId: 'm',
  turn: 1,
  workflowId: 'turn',
  status: 'failed',
  createdAt: '2026-11-25T12:00:00.000Z',
  user: 'Pay.',
  failure: { code: 'StoreError', message: secret },
};

it.each(['own', 'tenant'] as const)('who sees %s learns the codes of failures', (sees) => {
  const principal = { user: 'ada', tenant: 'acme', sees };
  const told = JSON.stringify([shownReport(failed, principal), shownTurn(turn, principal)]);
  expect(told).not.toContain('db.internal');
  for (const code of ['ToolError', 'InternalError', 'StoreError']) expect(told).toContain(code);
});

it('who sees all learns everything', () => {
  const principal = { user: 'ada', sees: 'all' } as const;
  expect(shownReport(failed, principal)).toMatchObject({
    rejected: [{ message: secret }],
    error: { message: secret },
  });
  expect(shownTurn(turn, principal)).toEqual(turn);
});

it('the words of a person who cancelled a run are for all', () => {
  const error = { code: 'RunCancelled', message: 'the order is gone' };
  const report = { ...failed, error } as unknown as RunReport;
  expect(shownReport(report, { user: 'ada' })).toMatchObject({ error });
});
