import type { RunTrace, TraceStep } from '../../client';
import { plural } from '../../base';
import { joinParts } from './render-parts';
import { nameOf } from './render-run';
import { type Cell, clipToWidth, printableLine, renderTable, type TableOptions } from './text';

/** Calls of stores, hooks and the like are shown from here on, or if something about them is unusual. */
const slowMs = 1_000;

const longestName = 40;

type Paint = (text: string) => string;
type Pause = Extract<TraceStep, { kind: 'pause' }>;
type Call = Extract<TraceStep, { status: string }>;
type Segment = RunTrace['segments'][number];
type Place = { readonly depth: number; readonly options: TableOptions };

type Shown = {
  readonly name: string;
  readonly ms?: number;
  readonly cost?: Partial<Pick<RunTrace, 'usage' | 'costUsd'>>;
  readonly note?: string;
  readonly paint?: Paint | undefined;
  /** Texts of tools and models. Each starts on a new line. */
  readonly details?: readonly (string | undefined)[];
};

type Row = { readonly cells: readonly Cell[]; readonly below: readonly string[] };

/** A run and all below it, a line for each step, and the totals. */
export function renderTrace(trace: RunTrace, options: TableOptions): readonly string[] {
  const rows = runRows(trace, { depth: 0, options });
  const [header = '', ...lines] = renderTable(
    ['WHAT', 'TIME', 'TOKENS', 'COST', 'NOTE'],
    rows.map(({ cells }) => cells),
    options,
  );
  const body = lines.flatMap((line, index) => [line, ...(rows[index]?.below ?? [])]);
  return [header, ...body, '', options.style.dim(totalLine(trace))];
}

/** `45 ms`, `1.24 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h` */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 24
    ? `${hours} h ${minutes % 60} min`
    : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function runRows(run: RunTrace, place: Place): readonly Row[] {
  const { ms, segments } = run;
  const { style } = place.options;
  const below = { ...place, depth: place.depth + 1 };
  const paint = run.status === 'failed' ? style.red : style.yellow;
  const details = [ownError(run), ...run.gaps, missing(run)];
  return [
    rowOf({ name: nameOf(run), ms, cost: run, note: runNote(run), paint, details }, place),
    ...segments.flatMap((segment, index) =>
      segments.length === 1
        ? folded(segment.steps).flatMap((step) => stepRows(step, below))
        : segmentRows(segment, { name: `segment ${index + 1}`, place: below }),
    ),
  ];
}

function runNote({ status, kind, executions, pausedMs, segments }: RunTrace): string {
  const isUntaken = status === 'running' && segments.every(({ steps }) => steps.length === 0);
  return joinParts([
    status,
    kind === 'agent' ? undefined : kind,
    executions > 1 ? plural(executions, 'execution') : undefined,
    pausedMs > 0 ? `paused ${formatMs(pausedMs)}` : undefined,
    isUntaken ? 'no worker has taken it' : undefined,
  ]);
}

/** The error of the run, if none of its steps shows the same error. */
function ownError({ error, segments }: RunTrace): string | undefined {
  const isShown = segments.some(({ steps }) =>
    steps.some((step) => 'error' in step && step.error === error),
  );
  return isShown ? undefined : error;
}

function missing({ cut }: RunTrace): string | undefined {
  if (cut === undefined) return undefined;
  return cut === 'runs' ? 'not read: too many runs' : 'not read to the end: too many events';
}

function segmentRows(
  { ms, steps }: Segment,
  { name, place }: { readonly name: string; readonly place: Place },
): readonly Row[] {
  const below = { ...place, depth: place.depth + 1 };
  return [
    rowOf({ name, ms }, place),
    ...folded(steps).flatMap((step) => stepRows(step, step.kind === 'pause' ? place : below)),
  ];
}

/** A call that no worker can run is scheduled again and again: it is one step with all attempts. */
function folded(steps: readonly TraceStep[]): readonly TraceStep[] {
  return steps.reduce<readonly TraceStep[]>((before, step) => {
    const joined = joinedWith(before.at(-1), step);
    return joined === undefined ? [...before, step] : [...before.slice(0, -1), joined];
  }, []);
}

function joinedWith(last: TraceStep | undefined, step: TraceStep): TraceStep | undefined {
  if (last?.kind !== 'tool' || step.kind !== 'tool' || last.name !== step.name) return undefined;
  if (last.error !== step.error || !step.error?.startsWith('NotRegisteredHere')) return undefined;
  const { startedAt } = last;
  const ms = Date.parse(step.startedAt) + step.ms - Date.parse(startedAt);
  return { ...step, startedAt, ms, attempts: last.attempts + step.attempts };
}

function stepRows(step: TraceStep, place: Place): readonly Row[] {
  switch (step.kind) {
    case 'run':
      return runRows(step.run, place);
    case 'pause':
      return [pauseRow(step, place)];
    case 'inline-tool':
      return [rowOf({ name: step.name, note: 'inline', details: [step.error] }, place)];
    case 'work':
      return isUsual(step) ? [] : [callRow(step, { name: step.name }, place)];
    case 'chat':
      return [callRow(step, { name: `chat ${step.model ?? ''}`, cost: step }, place)];
    case 'summary':
      return [callRow(step, { name: 'summary', cost: step }, place)];
    case 'tool':
      return [callRow(step, { name: step.name }, place)];
  }
}

function isUsual({ status, attempts, ms }: Call): boolean {
  return status === 'completed' && attempts === 1 && ms < slowMs;
}

function callRow(call: Call, shown: Pick<Shown, 'name' | 'cost'>, place: Place): Row {
  const { style } = place.options;
  const note = joinParts([...progress(call), cached(shown.cost?.usage)]);
  const ms = call.attemptMs ?? call.ms;
  const paint = call.status === 'failed' ? style.red : style.yellow;
  return rowOf({ ...shown, ms, note, paint, details: [call.error] }, place);
}

/** What is not as usual: the status, the attempts, and the wait for a worker. */
function progress({ status, attempts, ms, waitMs = 0 }: Call): readonly (string | undefined)[] {
  if (status === 'open')
    return [attempts === 0 ? 'waits for a worker' : `open, attempt ${attempts}`];
  return [
    status === 'completed' ? undefined : status,
    attempts > 1 ? `${attempts} attempts in ${formatMs(ms)}` : undefined,
    waitMs < slowMs ? undefined : `waited ${formatMs(waitMs)} for a worker`,
  ];
}

function cached(usage: RunTrace['usage'] | undefined): string | undefined {
  const tokens = usage?.cacheReadTokens ?? 0;
  return tokens === 0 ? undefined : `${tokens} cached`;
}

function pauseRow({ asks, question, ms, end, by }: Pause, place: Place): Row {
  const verdict = joinParts([end ?? 'waits', by]);
  const { style } = place.options;
  const paint = end === undefined ? style.yellow : style.dim;
  return rowOf({ name: `pause: ${asks}`, ms, note: verdict, paint, details: [question] }, place);
}

function rowOf(shown: Shown, { depth, options: { style, width } }: Place): Row {
  const { name, ms, cost, note = '', paint = style.dim, details = [] } = shown;
  const indent = '  '.repeat(depth);
  const cells = [
    clipToWidth(indent + printableLine(name), longestName),
    ms === undefined ? '' : formatMs(ms),
    tokensOf(cost?.usage),
    cost?.costUsd === undefined ? '' : dollars(cost.costUsd),
    printableLine(note),
  ];
  const below = details.flatMap((text) =>
    text === undefined ? [] : [paint(clipToWidth(`${indent}  ${printableLine(text)}`, width))],
  );
  return { cells, below };
}

/** `812→120`; `?` for what the provider did not report. */
function tokensOf(usage: RunTrace['usage'] | undefined): string {
  const { inputTokens = null, outputTokens = null } = usage ?? {};
  if (inputTokens === null && outputTokens === null) return '';
  return `${inputTokens ?? '?'}→${outputTokens ?? '?'}`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}

function totalLine(trace: RunTrace): string {
  const steps = allSteps(trace);
  const count = (...kinds: readonly TraceStep['kind'][]): number =>
    steps.filter(({ kind }) => kinds.includes(kind)).length;
  const { usage, costUsd } = trace;
  const tokens = tokensOf(usage);
  return joinParts([
    `total: ${plural(count('run') + 1, 'run')}`,
    plural(count('chat', 'summary'), 'model call'),
    plural(count('tool', 'inline-tool'), 'tool call'),
    tokens === '' ? undefined : `${tokens} tokens`,
    cached(usage),
    costUsd === undefined ? undefined : dollars(costUsd),
  ]);
}

function allSteps({ segments }: RunTrace): readonly TraceStep[] {
  return segments
    .flatMap(({ steps }) => steps)
    .flatMap((step) => (step.kind === 'run' ? [step, ...allSteps(step.run)] : [step]));
}
