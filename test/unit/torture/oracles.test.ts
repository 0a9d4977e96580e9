// Pure: no server. What the oracles of the campaign take for right and for wrong, where a round has shown it.
import { Asides, isLate, type AsidesOptions } from '../../../scripts/torture/asides.mts';
import type { TreePlan } from '../../../scripts/torture/plan.mts';
import { taskFailuresOf, type HistoryEvents } from '../../../scripts/torture/task-failures.mts';
import type { RunHandle } from '../../../src/client';
import type { RejectedSignal } from '../../../src/protocol/run';
import { tooLate } from '../../../src/workflows/agent/steer-handlers';

describe('a message that a run took and its model did not get', () => {
  const unread = ['t5.aside1', 't5.aside4'].map((messageId) => ({ messageId, text: 'Go.' }));
  const { code, message } = tooLate(unread);
  const refusal: RejectedSignal = { signal: 'send', code, message, at: '2026-01-01T00:00:00.000Z' };

  it('is nothing wrong if the run was cancelled and names it', async () => {
    const wrongs: string[] = [];
    const caller = { insist: (_what: string, call: () => unknown) => call() };
    const run = {
      send: () => Promise.resolve({}),
      transcript: () => Promise.resolve([]),
      state: () => Promise.resolve({ status: 'cancelled', rejected: [refusal] }),
    };
    const options = {
      longhaul: { run: () => run },
      caller,
      report: (wrong: string) => wrongs.push(wrong),
    };
    const asides = new Asides(options as unknown as AsidesOptions);
    const said = unread.map(({ messageId: name }) => ({ name, afterCalls: 1, when: 'next' }));
    const tree = { id: 't5', asides: said } as unknown as TreePlan;
    asides.see(tree, 1);
    await asides.judge(tree, run as unknown as RunHandle);
    expect([wrongs, asides.taken]).toEqual([[], 2]);
  });

  it('is late if the run names it at its end', () => {
    const namesIn = (rejected: readonly RejectedSignal[]) =>
      ['t5.aside1', 't5.aside2', 't5.aside4', 't5.aside'].filter((name) =>
        isLate({ rejected }, name),
      );
    expect(namesIn([refusal])).toEqual(['t5.aside1', 't5.aside4']);
    expect(namesIn([{ ...refusal, code: 'RunFull' }])).toEqual([]);
    expect(namesIn([])).toEqual([]);
  });
});

describe('a failed workflow task', () => {
  const failed = (message: string) => ({
    workflowTaskFailedEventAttributes: { failure: { message } },
  });
  const answered = (updateId: string) => ({
    workflowExecutionUpdateCompletedEventAttributes: { meta: { updateId } },
  });
  const again = (updateId: string) =>
    `BadUpdateWorkflowExecutionMessage: invalid state transition attempted for Update ${updateId}: received *update.Response message while in state Completed`;
  const judged = (...events: HistoryEvents) => taskFailuresOf(events);
  const none = { failed: [], timedOut: 0, answeredAgain: 0 };

  it('is a fault of the code, but for a reset, an end under way and a frozen worker', () => {
    expect(judged(failed('torture reset'), failed('UnhandledCommand'))).toEqual(none);
    expect(judged(failed('Script execution timed out after 5000ms'))).toEqual({
      ...none,
      timedOut: 1,
    });
    expect(judged(failed('no such key'))).toEqual({ ...none, failed: ['no such key'] });
  });

  it('is counted if the SDK answers an update again that has its answer', () => {
    expect(judged(answered('outcome:1'), failed(again('outcome:1')))).toEqual({
      ...none,
      answeredAgain: 1,
    });
  });

  it.each([
    { name: 'the update has no answer', events: [failed(again('outcome:1'))] },
    {
      name: 'another update has its answer',
      events: [answered('outcome:2'), failed(again('outcome:1'))],
    },
    {
      name: 'the update is accepted again',
      events: [
        answered('outcome:1'),
        failed(again('outcome:1').replace('*update.Response', '*update.Acceptance')),
      ],
    },
  ])('is a fault all the same if $name', ({ events }) => {
    expect(judged(...events).failed).toHaveLength(1);
  });
});
