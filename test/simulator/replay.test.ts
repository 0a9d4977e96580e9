// The simulator's Core against recorded histories of real runs: it must make of them the same run as the real one does. Pure.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { CoreRun } from './core/core-run';
import type { EventName, SimEvent } from './core/events';
import { drive, type Driven } from './worker/drive';

const folder = join(__dirname, '../fixtures/histories/0.3.0');

const only = process.env['LONGHAUL_HISTORY'];

/** Its workflow is not in our bundle. */
const foreign = 'own-workflow.json';

const names = readdirSync(folder).filter(
  (name) => name !== foreign && (only === undefined || name.startsWith(only)),
);

function eventsOf(file: string): SimEvent[] {
  const { events } = historyFromJSON(JSON.parse(readFileSync(join(folder, file), 'utf8')));
  return (events ?? []).map((event) => {
    const key = Object.keys(event).find((name) => name.endsWith('EventAttributes')) ?? '';
    const { seconds, nanos } = event.eventTime ?? {};
    return {
      id: Number(event.eventId),
      at: Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6,
      name: key.slice(0, -'EventAttributes'.length) as EventName,
      attributes: event[key as keyof typeof event] as never,
    };
  });
}

describe('a recorded history', () => {
  it.each(names)('replays: %s', async (file) => {
    const events = eventsOf(file);
    const [first] = events;
    const { originalExecutionRunId } = first?.attributes as { originalExecutionRunId: string };
    const run = new CoreRun(originalExecutionRunId);
    const previousStartedId =
      events.findLast(({ name }) => name === 'workflowTaskCompleted') === undefined
        ? 0
        : (events.findLast(({ name }) => name === 'workflowTaskStarted')?.id ?? 0);
    run.begin({ events, previousStartedId, messages: [] });
    const driven: Driven = { run, instance: undefined };
    await drive(driven, { taskQueue: 'longhaul' });
    await driven.instance?.dispose();
    const last = events.at(-1);
    // Core may leave out the end of a task that nothing follows.
    const rest = events.filter(({ id }) => id > run.processedId).map(({ name }) => name);
    expect(rest).toEqual(last?.name === 'workflowTaskCompleted' ? rest.slice(0, 1) : []);
    expect(run.answer().commands).toEqual([]);
  });
});
