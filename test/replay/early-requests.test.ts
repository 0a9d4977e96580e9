// Requests that meet a run's very first steps, on the dev server: it must replay all the same, or a dead worker would wedge it.
import type { WorkflowHandle } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent } from '../../src';
import { fetchHistory, scriptedModel } from '../../src/testing';
import { askUser } from '../workflow/builders';
import { eventually } from '../workflow/eventually';
import { openHarness, type Harness } from '../workflow/harness';
import { inOrderAhead, replayAll } from './replays';

const runsPerCase = 12;
const atOnce = 4;

describe('a run that is asked as soon as it has started', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    const agent = defineAgent({ id: 'early', model: 'scripted/one', askUser: 'tool' });
    const model = scriptedModel([askUser('Which?')], { per: 'conversation' });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
  });
  afterAll(() => harness.close());

  /** Starts a run and sends the request within its first moments: `index` spreads the requests over them. */
  async function ask(index: number, send: (handle: WorkflowHandle) => Promise<unknown>) {
    const run = await harness.longhaul.start('early', randomUUID());
    const handle = harness.longhaul.client.workflow.getHandle(run.workflowId);
    await Promise.all([handle.query('state'), sleep((index * 5) % 80).then(() => send(handle))]);
    await eventually('the pause or the end', async () =>
      ['needs-input', 'cancelled'].includes((await run.state()).status),
    );
    return await fetchHistory(harness.longhaul, run.workflowId);
  }

  it.each<{ name: string; send: (handle: WorkflowHandle) => Promise<unknown> }>([
    { name: 'an update', send: (handle) => handle.executeUpdate('outcome') },
    { name: 'a signal', send: (handle) => handle.signal('cancelRun', { reason: 'too early' }) },
    { name: 'a cancellation', send: (handle) => handle.cancel() },
  ])('replays with $name', async ({ name, send }) => {
    const calls = Array.from({ length: runsPerCase }, (_, index) => async () => ({
      name: `${name} ${index}`,
      history: await ask(index, send),
    }));
    // Replaying meanwhile keeps the process busy, which is when requests meet a run half-way.
    const outcomes = await replayAll(inOrderAhead(calls, atOnce));
    const errors = [...outcomes.values()].filter(Boolean);
    expect(outcomes.size).toBe(runsPerCase);
    expect(errors.map(String)).toEqual([]);
  });
});
