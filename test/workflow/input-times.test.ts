// Deadlines, reminders and escalations of open inputs, on a time-skipping server.

import { defineAgent, defineTool } from '../../src';
import type { RunHandle } from '../../src/client';
import type { PauseNotice } from '../../src/protocol/activities';
import type { LogEntry } from '../../src/protocol/log';
import { createTestEnvironment, scriptedModel, type TestEnvironment } from '../../src/testing';
import { describeWithTimeSkipping, timeSkippingServerPath, workflowsInThread } from '../servers';
import { callOf } from './builders';
import { eventually } from './eventually';
import { fetchHistory, type HistoryEvents } from './history';
import { quietRuntime } from './quiet';

const inputSchema = { type: 'object', properties: {} } as const;

const pay = defineTool({
  name: 'pay',
  description: 'Pays',
  inputSchema,
  needsApproval: {
    by: { roles: ['finance'] },
    remind: ['1 day', '2 days'],
    escalate: { after: '3 days', to: { roles: ['lead'] } },
  },
  execute: () => 'paid',
});

const seat = defineTool({
  name: 'pick_seat',
  description: 'Lets the customer pick a seat',
  inputSchema,
  result: 'client',
  resultTimeout: '12 hours',
});

const lead = { by: { id: 'lou', roles: ['lead'] } };

describeWithTimeSkipping('the time of open inputs', () => {
  const notices: PauseNotice[] = [];
  let test: TestEnvironment;

  beforeAll(async () => {
    quietRuntime();
    const agent = (id: string, steps: Parameters<typeof scriptedModel>[0], options: object) => ({
      runner: defineAgent({ id, model: `${id}/one`, tools: [pay, seat], ...options }),
      provider: [id, scriptedModel(steps)] as const,
    });
    const agents = [
      agent('payer', [callOf('pay'), 'Paid.'], {}),
      agent(
        'booker',
        [
          {
            toolCalls: [
              { name: 'pick_seat', args: {} },
              { name: 'pay', args: {} },
            ],
          },
          'Booked.',
        ],
        {
          inputTimeout: '10 days',
        },
      ),
      agent('hasty', [callOf('pay'), 'Paid.'], { inputTimeout: '36 hours' }),
    ];
    test = await createTestEnvironment({
      runners: agents.map(({ runner }) => runner),
      providers: Object.fromEntries(agents.map(({ provider }) => provider)),
      onPause: (notice) => void notices.push(notice),
      serverPath: timeSkippingServerPath(),
      workerOptions: workflowsInThread(),
    });
  });
  afterAll(() => test.close());

  const reasons = ({ workflowId }: RunHandle): string[] =>
    notices
      .filter((notice) => notice.workflowId === workflowId)
      .map(({ reason, input }) => `${reason} ${input.call?.name}`);

  it('reminds, asks more people, and lets one of them approve', async () => {
    const run = await test.client.start('payer', 'Pay.');
    const outcome = await test.outcome(run);
    if (outcome.kind !== 'needs-input') throw new Error('not waiting');
    const { inputId } = outcome;
    await expect(run.approve(inputId, lead)).rejects.toMatchObject({ code: 'NotPermitted' });
    await eventually('the notice', () => reasons(run).length === 1);
    const before = (await fetchHistory(test.client, run.workflowId)).length;
    await test.skip('25 hours');
    await eventually('a reminder', () => reasons(run).length === 2);
    await eventually('the time of the reminder', async () => {
      const [input] = await run.pending();
      return input?.remindedAt !== undefined;
    });
    const reminder = (await fetchHistory(test.client, run.workflowId)).slice(before);
    await test.skip('1 day');
    await eventually('another reminder', () => reasons(run).length === 3);
    await expect(run.approve(inputId, lead)).rejects.toMatchObject({ code: 'NotPermitted' });
    await test.skip('1 day');
    await eventually('the escalation', () => reasons(run).length === 4);
    expect(reasons(run)).toEqual(['asked pay', 'reminder pay', 'reminder pay', 'escalated pay']);
    expect((await run.pending())[0]?.by).toEqual({ roles: ['finance', 'lead'] });
    await test.skip('100 days');
    await run.approve(inputId, lead);
    expect(await test.outcome(run)).toMatchObject({ kind: 'complete' });
    expect(reasons(run)).toHaveLength(4);
    expect(timerEvents(reminder)).toEqual(['fired', 'started']);
  });

  it('ends a call without a result, and goes on waiting for the approval beside it', async () => {
    const run = await test.client.start('booker', 'Book.');
    await test.outcome(run);
    await eventually('both inputs', async () => (await run.pending()).length === 2);
    const seconds = (await run.pending()).map(
      ({ since, expiresAt = '' }) => (Date.parse(expiresAt) - Date.parse(since)) / 1_000,
    );
    expect(seconds.sort((left, right) => left - right)).toEqual([12 * 3_600, 10 * 24 * 3_600]);
    await test.skip('13 hours');
    await eventually('the end of the call', async () => (await run.pending()).length === 1);
    const [approval] = await run.pending();
    expect(approval).toMatchObject({ kind: 'approval', call: { name: 'pay' } });
    await run.approve(approval?.inputId ?? '', { by: { id: 'fay', roles: ['finance'] } });
    expect(await test.outcome(run)).toMatchObject({ kind: 'complete' });
    const log = await run.log();
    expect(verdicts(log)).toEqual(['t1.0 expire', 'a1.1 approve']);
    expect(JSON.stringify(log)).toContain('Nobody gave the result in time.');
  });

  it('fails when nobody approves in time, and says so in the log', async () => {
    const run = await test.client.start('hasty', 'Pay.');
    await test.outcome(run);
    await test.skip('37 hours');
    await expect(run.result()).rejects.toMatchObject({ code: 'InputTimeout' });
    expect(reasons(run)).toEqual(['asked pay', 'reminder pay']);
    expect(verdicts(await run.log())).toEqual(['a1.0 expire']);
  });
});

function verdicts(log: readonly LogEntry[]): string[] {
  return log.flatMap((entry) =>
    entry.kind === 'decision' && entry.decision.kind === 'verdict'
      ? [`${entry.decision.inputId} ${entry.decision.verdict}`]
      : [],
  );
}

function timerEvents(events: HistoryEvents): string[] {
  return events.flatMap((event) => [
    ...(event.timerStartedEventAttributes ? ['started'] : []),
    ...(event.timerFiredEventAttributes ? ['fired'] : []),
    ...(event.timerCanceledEventAttributes ? ['cancelled'] : []),
  ]);
}
