import { age, defined, oneLine } from '../../base';
import type { InboxItem, RunSummary, ThreadSummary } from '../../client';
import { limits } from '../../protocol';
import { type FitOptions, renderFitting } from './fit-table';
import { paintStatus, printableLine, type Style } from './text';
import { outdatedText } from './render-people';
import { answerHints, type CommandLine, renderHints, unsaidCall } from './render-parts';
import { type AgentsSource, sourceName } from '../session/agents';
import type { ReadyWorker } from '../dev/worker-keeper';

const header = ['RUN', 'INPUT', 'PATH', 'KIND', 'AGE', 'QUESTION'];

export type RenderListOptions = FitOptions & { readonly now: Date };

/** A line per run: id, agent, status, age, its questions, and the call that fails. */
export function renderList(
  runs: readonly RunSummary[],
  { style, now, columns }: RenderListOptions,
): readonly string[] {
  const rows = runs.map((run) => [
    run.workflowId,
    run.agent,
    { text: run.status, paint: () => paintStatus(run.status, style) },
    age(new Date(run.startTime), now),
    waitsFor(run, now),
  ]);
  return renderFitting(['RUN', 'AGENT', 'STATUS', 'AGE', 'WAITS FOR'], rows, { style, columns });
}

/** The questions, and the call that fails. */
function waitsFor(
  { pending, retrying }: Pick<RunSummary, 'pending' | 'retrying'>,
  now: Date,
): string {
  const questions = pending.map(({ question }) => question);
  return [...questions, ...(retrying ? [retryText(retrying, now)] : [])].join(' | ');
}

function retryText(
  { what, failures, since, lastError }: NonNullable<RunSummary['retrying']>,
  now: Date,
): string {
  const times = failures === 1 ? 'once' : `${failures} times`;
  return `retries ${what} (failed ${times} in ${age(new Date(since), now)}): ${lastError}`;
}

/** A line per thread: its key, agent, status and age, and its questions. */
export function renderThreads(
  threads: readonly ThreadSummary[],
  { style, now, columns }: RenderListOptions,
): readonly string[] {
  const rows = threads.map(({ threadId, key, agent, status, startTime, pending, retrying }) => [
    key?.sessionId ?? threadId,
    key?.userId ?? '',
    key?.appName ?? '',
    agent,
    { text: status, paint: () => paintStatus(status, style) },
    age(new Date(startTime), now),
    waitsFor({ pending, ...defined({ retrying }) }, now),
  ]);
  const header = ['SESSION', 'USER', 'APP', 'AGENT', 'STATUS', 'AGE', 'WAITS FOR'];
  return renderFitting(header, rows, { style, columns });
}

type RenderInboxOptions = RenderListOptions & { readonly command: CommandLine };

/** A line per input with its question. Below, how to answer inputs of these kinds. */
export function renderInbox(
  items: readonly InboxItem[],
  { style, now, columns, command }: RenderInboxOptions,
): readonly string[] {
  if (items.length === 0) return [];
  const rows = items.map((item) => [
    printableLine(item.workflowId),
    printableLine(item.inputId),
    printableLine(item.path),
    item.kind,
    age(new Date(item.since), now),
    asked(item),
  ]);
  return [...renderFitting(header, rows, { style, columns }), '', ...howToAnswer(items, command)];
}

/** For an approval or a result, shows the call, which is clearer than the question. */
function asked(item: InboxItem): string {
  const { question, outdated } = item;
  const warning = outdated === undefined ? [] : [outdatedText(outdated)];
  return [...warning, printableLine(question), ...unsaidCall(item)]
    .map((text) => oneLine(text, limits.shownQuestion))
    .join(' ');
}

/** For one item, its own ids. For several items, the names of the columns as placeholders. */
function howToAnswer(items: readonly InboxItem[], command: CommandLine): readonly string[] {
  const [only, another] = items;
  const { workflowId, inputId } =
    only !== undefined && another === undefined ? only : { workflowId: 'RUN', inputId: 'INPUT' };
  const kinds = (['question', 'approval', 'tool', 'budget'] as const).filter((kind) =>
    items.some((item) => item.kind === kind),
  );
  return renderHints(
    kinds.flatMap((kind) => answerHints({ kind, inputId }, { workflowId, command, isNamed: true })),
  );
}

/** The agents of a worker, their source, and the worker's task queue. */
export function renderAgents(
  { agents, taskQueue }: ReadyWorker,
  source: AgentsSource,
  { dim }: Style,
): string {
  const place = dim(`(${sourceName(source)}, task queue ${taskQueue})`);
  return `Agents    ${agents.map(printableLine).join(', ') || 'none'}  ${place}`;
}
