// Reads the histories of a case: those of its own executions, and those of the runs below them, whose names follow from their places.
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Longhaul } from 'longhaul/client';
import { fetchHistories, fetchHistory, type RunHistory } from 'longhaul/testing';
import { type Case, until } from './case.mts';
import { scrub } from './scrub.mts';

export type RecordedHistory = {
  readonly name: string;
  readonly events: number;
  readonly json: string;
};

/** An execution and those that it continues. Without `runId`, it is the newest one. */
export type Execution = { readonly workflowId: string; readonly runId?: string };

type Recording = {
  readonly name: string;
  readonly executions: readonly Execution[];
  readonly keeps: Case['keeps'];
};

export async function historiesOf(
  longhaul: Longhaul,
  { name, executions, keeps }: Recording,
): Promise<RecordedHistory[]> {
  const found: RunHistory[] = [];
  for (const execution of executions) found.push(...(await readOf(longhaul, execution)));
  const own = keeps === 'last' ? found.slice(-1) : found;
  const recorded = own.map((history, index) =>
    recordedAs(own.length === 1 ? name : `${name}.${index + 1}`, history),
  );
  if (keeps !== undefined) return recorded;
  const top = executions.at(-1)?.workflowId ?? '';
  const seen = new Set([top]);
  const below = [...found];
  for (let next = below.shift(); next !== undefined; next = below.shift()) {
    for (const child of childrenOf(next).filter((id) => !seen.has(id))) {
      seen.add(child);
      const histories = await fetchHistories(longhaul, child);
      below.push(...histories);
      const names = namesOf(`${name}+${placeOf(child, top)}`, histories.length, recorded);
      recorded.push(...histories.map((one, index) => recordedAs(names[index] ?? '', one)));
    }
  }
  return recorded;
}

async function readOf(longhaul: Longhaul, execution: Execution): Promise<RunHistory[]> {
  const { workflowId, runId } = execution;
  if (runId === undefined) {
    await until(async () => hasBegun(await fetchHistory(longhaul, workflowId)));
    return await fetchHistories(longhaul, workflowId);
  }
  const history = await fetchHistory(longhaul, workflowId, { runId });
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const before = started?.continuedExecutionRunId;
  return [...(before ? await readOf(longhaul, { workflowId, runId: before }) : []), history];
}

/** An execution that has just continued another one has nothing to replay yet. */
const hasBegun = ({ events }: RunHistory): boolean =>
  (events ?? []).some((event) => event.workflowTaskCompletedEventAttributes);

function childrenOf({ events }: RunHistory): readonly string[] {
  return (events ?? []).flatMap((event) => {
    const { workflowExecution } = event.childWorkflowExecutionStartedEventAttributes ?? {};
    return workflowExecution?.workflowId ? [workflowExecution.workflowId] : [];
  });
}

/** The id of a run below without that of the run above, and without what was drawn at random. */
function placeOf(child: string, top: string): string {
  const below = child.startsWith(`${top}.`) ? child.slice(top.length + 1) : child;
  return below.replaceAll(/~[0-9a-f]+|-[0-9a-f]{12}$/g, '').replaceAll(/[^\w.-]/g, '_');
}

/** Two runs may have been at one place, before a reset and after it. */
function namesOf(name: string, count: number, taken: readonly RecordedHistory[]): string[] {
  const earlier = taken.filter((one) => one.name === name || one.name.startsWith(`${name}.again`));
  const free = earlier.length === 0 ? name : `${name}.again-${earlier.length}`;
  return count === 1 ? [free] : Array.from({ length: count }, (_, index) => `${free}.${index + 1}`);
}

/** One line for each event. */
function recordedAs(name: string, history: RunHistory): RecordedHistory {
  const { events = [] } = JSON.parse(historyToJSON(history)) as { readonly events?: object[] };
  const lines = events.map((event) => JSON.stringify(scrub(event as never)));
  return { name, events: lines.length, json: `{"events":[\n${lines.join(',\n')}\n]}\n` };
}
