// History: bytes and events of a turn, flat, whether the log is in memory or read again for every call.

import { defineAgent, defineTool } from '../../src';
import { scriptedModel } from '../../src/testing/scripted-model';
import { openHarness } from './harness';
import { activityInputs, fetchHistory, type HistoryEvents } from './history';

const turns = 60;
const resultBytes = 4096;

const fetchPage = defineTool({
  name: 'fetch_page',
  description: 'Fetches one page of the report',
  inputSchema: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
  execute: ({ page }) => `page ${JSON.stringify(page)} `.padEnd(resultBytes, 'lorem ipsum '),
});

const model = () =>
  scriptedModel([
    ...Array.from({ length: turns - 1 }, (_, index) => ({
      toolCalls: [{ name: 'fetch_page', args: { page: index } }],
    })),
    'All pages are read.',
  ]);

/** What one turn adds: between the scheduling of two model calls, as the server counts events and bytes. */
function growth(
  events: HistoryEvents,
  from: number,
  to: number,
): { events: number; bytes: number } {
  const calls = events.filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'callModel',
  );
  const [first, last] = [calls[from - 1], calls[to - 1]].map((call) => Number(call?.eventId));
  const sizeBefore = (eventId: number): number =>
    Number(
      events.findLast(
        (event) => Number(event.eventId) < eventId && event.workflowTaskStartedEventAttributes,
      )?.workflowTaskStartedEventAttributes?.historySizeBytes,
    );
  if (first === undefined || last === undefined) throw new Error('too few model calls');
  return {
    events: (last - first) / (to - from),
    bytes: (sizeBefore(last) - sizeBefore(first)) / (to - from),
  };
}

describe('history growth', () => {
  it.each([
    { name: 'with the log in memory', logCacheBytes: undefined },
    { name: 'with the log read again for every call', logCacheBytes: 1 },
  ])('is at most 1.05 S + 2.8 kB and 12 events a turn $name', async ({ name, logCacheBytes }) => {
    const harness = await openHarness();
    try {
      const agent = defineAgent({
        id: 'reader',
        model: 'scripted/one',
        instructions: 'INSTRUCTIONS-SENTINEL '.repeat(50),
        tools: [fetchPage],
        maxIterations: 100,
      });
      await harness.worker({
        runners: [agent],
        providers: { scripted: model() },
        ...(logCacheBytes && { logCacheBytes }),
      });
      const run = await harness.longhaul.startSpec(agent, 'PROMPT-SENTINEL Read the report.');
      await run.outcome();
      const { historyLength, historySize = 0 } = await harness.longhaul.client.workflow
        .getHandle(run.workflowId)
        .describe();
      const events = await fetchHistory(harness.longhaul, run.workflowId);
      const early = growth(events, 5, 30);
      const late = growth(events, 30, turns);
      const line = (part: { events: number; bytes: number }) =>
        `${part.bytes.toFixed(0)} bytes and ${part.events.toFixed(2)} events`;
      const whole = line({ events: historyLength / turns, bytes: historySize / turns });
      process.stdout.write(
        `${name}, a turn: ${line(early)} (turns 5-30), ${line(late)} (turns 30-60), ${whole} over the whole run\n`,
      );
      expect(late.events).toBe(12);
      expect(Math.abs(late.bytes - early.bytes)).toBeLessThan(0.01 * early.bytes);
      expect(historySize / turns).toBeLessThanOrEqual(1.05 * resultBytes + 2800);
      const inputs = activityInputs(events);
      expect(inputs).toHaveLength(2 * turns);
      expect(
        inputs.filter((input) => /INSTRUCTIONS-SENTINEL|lorem|Fetches one page/.test(input)),
      ).toEqual([]);
      expect(inputs.filter((input) => input.includes('PROMPT-SENTINEL'))).toHaveLength(1);
    } finally {
      await harness.close();
    }
  });
});
