// What a run costs on the server beside its turns: requests, writes and events, as the server's own metrics count them, for Longhaul and
// for bare activities.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { connect, type Longhaul } from 'longhaul/client';
import { fetchHistories, measureHistory, type RunHistory, startDevServer } from 'longhaul/testing';
import { type Measured, withMeasured } from './measured.mts';
import type { Row, Section } from './section.mts';

/** Names of metrics, and how the rows call them. */
const metrics: Readonly<Record<string, string>> = {
  service_requests: 'request',
  persistence_requests: 'store',
  visibility_persistence_requests: 'visibility',
};
/** Those that each run causes. The others are the server's own, or reads from its caches. */
const counted =
  /^request frontend |^store history (Create|Update|Get)Workflow|^store .*GetNamespace$|^visibility .*(Record|Upsert)/;
const names = ['bare', 'longhaul', 'longhaul-inline', 'longhaul-inline-idempotent'] as const;
/**
 * Each of these events is an action on Temporal Cloud: docs.temporal.io/evaluate/cloud/actions. No run here has child runs, and no
 * workflow task more than one marker.
 */
const billed = [
  'workflowExecutionStartedEventAttributes',
  'activityTaskScheduledEventAttributes',
  'timerStartedEventAttributes',
  'workflowExecutionSignaledEventAttributes',
  'workflowExecutionUpdateAcceptedEventAttributes',
  'upsertWorkflowSearchAttributesEventAttributes',
  'markerRecordedEventAttributes',
] as const;
/** So is each of these requests, of which no event tells. */
const billedRequests = ['RecordActivityTaskHeartbeat', 'QueryWorkflow'].map(
  (name) => `request frontend ${name}`,
);

type Counts = ReadonlyMap<string, number>;
type HistoryEvent = NonNullable<RunHistory['events']>[number];

export const requests: Section = {
  name: 'requests',
  title: 'Requests and events of a run',
  anyServer: true,
  run: async ({ isQuick }) => {
    const metricsPort = await freePort();
    const server = await startDevServer({ headless: true, metricsPort });
    const longhaul = await connect({ address: server.address });
    try {
      const read = () => readCounts(`http://127.0.0.1:${metricsPort}/metrics`);
      const rows = await withMeasured(names, server.address, async (contestants) => {
        const columns = new Map<string, Counts>();
        for (const turns of [1, 10])
          for (const one of contestants)
            columns.set(
              `${one.name}, ${turns}`,
              await countRuns(one, { longhaul, turns, read, runs: isQuick ? 2 : 10 }),
            );
        return rowsOf(columns);
      });
      return {
        rows,
        notes: [
          'Actions are derived: each event that Temporal Cloud bills (here also the marker of a patch, to be safe), each attempt after the first, heartbeats and queries. A read sends a heartbeat if it still runs when the model has ended; idempotent calls send one for each turn.',
          'For each run: `<contestant>, <turns>`. Polls that found nothing, and what a server does by itself, make small fractions. A worker takes most activity tasks with the answer to its workflow task, without a poll.',
        ],
      };
    } finally {
      await longhaul.close();
      await server.stop();
    }
  },
};

type Runs = {
  readonly longhaul: Longhaul;
  readonly turns: number;
  readonly runs: number;
  readonly read: () => Promise<Counts>;
};

async function countRuns(one: Measured, { longhaul, turns, runs, read }: Runs): Promise<Counts> {
  await one.ask({ kind: 'turns', turns });
  const before = await settled(read);
  let workflowId = '';
  for (let run = 0; run < runs; run += 1)
    [workflowId = ''] = (await one.ask({ kind: 'turns', turns })).workflowIds;
  const after = await settled(read);
  const histories = await fetchHistories(longhaul, workflowId);
  const events = histories.reduce((sum, history) => sum + measureHistory(history).events, 0);
  const each = [...after].map(([name, count]) => [name, (count - (before.get(name) ?? 0)) / runs]);
  const counts = new Map([['events', events], ...(each as [string, number][])]);
  return new Map([['actions on Temporal Cloud', actionsOf(histories, counts)], ...counts]);
}

/** The search attribute that the SDK sets with a patch is free. */
function isBilled(event: HistoryEvent): boolean {
  const upsert = event.upsertWorkflowSearchAttributesEventAttributes;
  if (upsert?.searchAttributes?.indexedFields?.['TemporalChangeVersion'] != null) return false;
  return billed.some((attributes) => event[attributes] != null);
}

function actionsOf(histories: readonly RunHistory[], counts: Counts): number {
  const events = histories.flatMap((history) => history.events ?? []);
  const attempts = events.map(({ activityTaskStartedEventAttributes: started }) =>
    Math.max((started?.attempt ?? 1) - 1, 0),
  );
  const requested = billedRequests.map((name) => counts.get(name) ?? 0);
  return [...attempts, ...requested].reduce(
    (sum, more) => sum + more,
    events.filter(isBilled).length,
  );
}

/** The server writes to its visibility store a moment after a run has ended. */
async function settled(read: () => Promise<Counts>): Promise<Counts> {
  const written = (counts: Counts): number =>
    [...counts].reduce(
      (sum, [name, count]) => sum + (name.startsWith('visibility') ? count : 0),
      0,
    );
  for (let earlier = await read(); ;) {
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const counts = await read();
    if (written(counts) === written(earlier)) return counts;
    earlier = counts;
  }
}

async function readCounts(url: string): Promise<Counts> {
  const counts = new Map<string, number>();
  for (const line of (await (await fetch(url)).text()).split('\n')) {
    const [, metric = '', labels = '', value] = /^(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    const kind = metrics[metric];
    if (kind === undefined) continue;
    const label = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const name = `${kind} ${label('service_name')} ${label('operation')}`;
    if (counted.test(name)) counts.set(name, (counts.get(name) ?? 0) + Number(value));
  }
  return counts;
}

function rowsOf(columns: ReadonlyMap<string, Counts>): readonly Row[] {
  const found = new Set([...columns.values()].flatMap((counts) => [...counts.keys()]));
  const least = 0.1;
  return [...found]
    .filter((name) => [...columns.values()].some((counts) => (counts.get(name) ?? 0) >= least))
    .sort()
    .map((name) => ({
      '': name,
      ...Object.fromEntries(
        [...columns].map(([column, counts]) => [column, (counts.get(name) ?? 0).toFixed(1)]),
      ),
    }));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
