// Histories on the dev server: measured as the server counts, replayed from JSON.

import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { defineAgent } from '../../src';
import {
  fetchHistories,
  fetchHistory,
  measureHistory,
  replay,
  scriptedModel,
} from '../../src/testing';
import { workflowBundlePath } from '../servers';
import { openHarness, type Harness } from './harness';

describe('history of a run', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    const agent = defineAgent({ id: 'echo', model: 'scripted/one' });
    const model = scriptedModel(['x'.repeat(2_000)], { per: 'conversation' });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
  });
  afterAll(() => harness.close());

  it('has the size that the server counts, within a twentieth', async () => {
    const run = await harness.longhaul.start('echo', 'one');
    await run.outcome();
    const history = await fetchHistory(harness.longhaul, run.workflowId);
    const { historySize, historyLength } = await harness.longhaul.client.workflow
      .getHandle(run.workflowId)
      .describe();
    const { bytes, events } = measureHistory(history);
    expect(events).toBe(historyLength);
    expect(Math.abs(bytes / (historySize ?? 0) - 1)).toBeLessThan(0.05);
    expect(await fetchHistories(harness.longhaul, run.workflowId)).toEqual([history]);
  });

  it('replays from the JSON that Temporal exports', async () => {
    const run = await harness.longhaul.start('echo', 'two');
    await run.outcome();
    const history = await fetchHistory(harness.longhaul, run.workflowId);
    const json = JSON.parse(historyToJSON(history)) as object;
    await replay(json, { workflowBundle: { codePath: workflowBundlePath() } });
  });
});
