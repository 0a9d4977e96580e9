// What the plans should say, worked out anew from all that has happened. Slow and plain on purpose.
import type { OrchestrationConfig } from '../../../../src/protocol/activities';
import type { Json, JsonObject } from '../../../../src/base/json';
import type { ChildResult } from '../../../../src/protocol/run';

/** A child that ended, in the order of the ends: with a result, or without. */
export type End = { readonly key: string; readonly result?: ChildResult };

export type Expected = {
  /** Ready or open: what each child starts from. */
  readonly started: { readonly [key: string]: { input: string; session: JsonObject } };
  readonly outcome: 'none' | 'complete' | 'failed';
  readonly cause?: string;
  readonly texts?: { readonly text: string; readonly combinedText?: string };
  readonly iterations?: number;
  readonly session: JsonObject;
};

export const input = 'go';

export function expectedOf(
  config: OrchestrationConfig,
  session: JsonObject,
  ends: readonly End[],
): Expected {
  if (config.kind === 'sequential') return sequentialOf(config, session, ends);
  return config.kind === 'parallel'
    ? parallelOf(config, session, ends)
    : graphOf(config, session, ends);
}

function merged(session: JsonObject, ends: readonly End[]): JsonObject {
  const after: { [key: string]: Json } = { ...session };
  for (const { result } of ends) {
    for (const key of result?.delta.removed ?? []) if (!key.startsWith('__')) delete after[key];
    for (const [key, value] of Object.entries(result?.delta.set ?? {}))
      if (!key.startsWith('__')) after[key] = value;
  }
  return after;
}

const iterationsOf = (ends: readonly End[]): number =>
  ends.reduce((sum, { result }) => sum + (result?.iterations ?? 0), 0);

const textOf = (end: End | undefined): string => end?.result?.finalResponse.text ?? '';

function sequentialOf(
  { steps, passOutput }: Extract<OrchestrationConfig, { kind: 'sequential' }>,
  before: JsonObject,
  ends: readonly End[],
): Expected {
  const session = merged(before, ends);
  const last = ends.at(-1);
  if (last !== undefined && last.result === undefined)
    return { started: {}, outcome: 'failed', cause: last.key, session };
  const combinedText = last?.result?.combinedText;
  if (ends.length === steps.length) {
    const texts = { text: textOf(last), ...(combinedText === undefined ? {} : { combinedText }) };
    return { started: {}, outcome: 'complete', texts, iterations: iterationsOf(ends), session };
  }
  const passed = passOutput === 'combined' ? (combinedText ?? textOf(last)) : textOf(last);
  const next = last === undefined || !passOutput ? input : passed;
  return {
    started: { [`step-${ends.length + 1}`]: { input: next, session } },
    outcome: 'none',
    session,
  };
}

function parallelOf(
  { branches, merge }: Extract<OrchestrationConfig, { kind: 'parallel' }>,
  session: JsonObject,
  ends: readonly End[],
): Expected {
  const keys = branches.map((_, index) => `branch-${index + 1}`);
  const over = { started: {}, session };
  const firstFailure = ends.find(({ result }) => result === undefined);
  const firstResult = ends.find(({ result }) => result !== undefined);
  if (merge === 'first' && firstResult !== undefined) {
    const texts = { text: textOf(firstResult) };
    const iterations = iterationsOf([firstResult]);
    return {
      started: {},
      outcome: 'complete',
      texts,
      iterations,
      session: merged(session, [firstResult]),
    };
  }
  if (merge !== 'first' && firstFailure !== undefined)
    return { ...over, outcome: 'failed', cause: firstFailure.key };
  if (ends.length === keys.length) {
    if (merge === 'first') return { ...over, outcome: 'failed' };
    const inOrder = keys.map((key) => textOf(ends.find((end) => end.key === key)));
    return {
      started: {},
      outcome: 'complete',
      texts: { text: inOrder.at(-1) ?? '', combinedText: JSON.stringify(inOrder) },
      iterations: iterationsOf(ends),
      session: merged(session, ends),
    };
  }
  const left = keys.filter((key) => !ends.some((end) => end.key === key));
  const started = Object.fromEntries(left.map((key) => [key, { input, session }]));
  return { ...over, started, outcome: 'none' };
}

function graphOf(
  { tasks }: Extract<OrchestrationConfig, { kind: 'graph' }>,
  before: JsonObject,
  ends: readonly End[],
): Expected {
  const endsOf = (id: string): readonly End[] =>
    ends.filter(({ key }) => key === id || key.startsWith(`${id}.`));
  const isDone = (id: string): boolean => endsOf(id).some(({ result }) => result !== undefined);
  const resultOf = (id: string): End | undefined => endsOf(id).find((end) => end.result);
  const hasFailed = (id: string): boolean =>
    !isDone(id) && endsOf(id).length > (tasks.find((task) => task.id === id)?.maxRetries ?? 0);
  const ready = tasks.filter(
    ({ id, dependencies = [] }) => dependencies.every(isDone) && !isDone(id) && !hasFailed(id),
  );
  const started = ready.map(({ id, dependencies = [] }) => {
    const attempt = endsOf(id).length + 1;
    const position = Math.max(
      0,
      ...dependencies.map((task) => ends.indexOf(resultOf(task) as End) + 1),
    );
    const sections = dependencies.map(
      (task) => `\n\nOutput of task '${task}':\n${textOf(resultOf(task))}`,
    );
    const child = {
      input: input + sections.join(''),
      session: merged(before, ends.slice(0, position)),
    };
    return [attempt === 1 ? id : `${id}.${attempt}`, child] as const;
  });
  const session = merged(before, ends);
  if (started.length > 0) return { started: Object.fromEntries(started), outcome: 'none', session };
  if (tasks.some(({ id }) => hasFailed(id))) return { started: {}, outcome: 'failed', session };
  const sinks = tasks
    .map(({ id }) => id)
    .filter((id) => !tasks.some(({ dependencies = [] }) => dependencies.includes(id)));
  const texts = sinks.map((id) => [id, textOf(resultOf(id))] as const);
  const text = texts.at(-1)?.[1] ?? '';
  const combined = { combinedText: JSON.stringify(Object.fromEntries(texts)) };
  return {
    started: {},
    outcome: 'complete',
    texts: { text, ...(texts.length > 1 ? combined : {}) },
    iterations: iterationsOf(ends),
    session,
  };
}
