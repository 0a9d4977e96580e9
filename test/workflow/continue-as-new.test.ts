// Continue-as-new on the dev server: a run outgrows its history in the middle, and nobody notices.

import { randomBytes } from 'node:crypto';
import { defineAgent, defineTool } from '../../src';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';
import { searchingModel } from './searching-model';

/** Text that deflates well, or hardly at all. */
const texts = {
  compressible: (bytes: number) =>
    'The quick brown fox jumps over the lazy dog. '.repeat(bytes / 45),
  random: (bytes: number) => randomBytes((bytes * 3) / 4).toString('base64'),
};

describe('continue-as-new', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await openHarness();
  });
  afterEach(() => harness.close());

  it.each([
    { name: 'inline', text: texts.compressible, carriedBytes: [1, 1_500_000] as const, pulls: 0 },
    {
      name: 'by pulling it from the closed execution',
      text: texts.random,
      carriedBytes: [1, 20_000] as const,
      pulls: 1,
    },
  ])('carries the log $name', async ({ text, carriedBytes, pulls }) => {
    const model = searchingModel(24);
    const lookUp = defineTool({
      name: 'look_up',
      description: 'Looks something up',
      inputSchema: { type: 'object', properties: {} },
      maxResultBytes: 200_000,
      execute: () => text(180_000),
    });
    const agent = defineAgent({
      id: 'long',
      model: 'scripted/one',
      tools: [lookUp],
      maxIterations: 100,
    });
    await harness.worker({ runners: [agent], providers: { scripted: model } });
    const run = await harness.longhaul.start(agent, 'Go on and on.', { session: { kept: true } });
    const outcome = await run.outcome();
    expect(outcome).toMatchObject({
      kind: 'complete',
      result: { iterations: 23, session: { kept: true } },
    });
    const transcript = await run.transcript();
    expect(transcript).toHaveLength(1 + 23 * 2 + 1);
    for (const messages of model.requests)
      expect(messages).toEqual(transcript.slice(0, messages.length));
    const withoutWorker = harness.longhaul.run(run.runId, { withoutWorker: true });
    expect(await withoutWorker.transcript()).toEqual(transcript);
    const events = await fetchHistory(harness.longhaul, run.runId);
    const started = events[0]?.workflowExecutionStartedEventAttributes;
    expect(started?.continuedExecutionRunId).toBeTruthy();
    const carried = started?.input?.payloads?.[1]?.data?.length ?? 0;
    expect(carried).toBeGreaterThanOrEqual(carriedBytes[0]);
    expect(carried).toBeLessThanOrEqual(carriedBytes[1]);
    const pulled = events.filter(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'pullLog',
    );
    expect(pulled.length > 0 ? 1 : 0).toBe(pulls);
  });
});
