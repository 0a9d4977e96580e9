// What a graph may come to: every order in which its tasks can end is gone through.

import type { JsonObject } from '../../../src/base/json';
import {
  add,
  apply,
  changesBetween,
  distinct,
  TooManyResults,
  type Complete,
  type Cost,
  type Given,
  type Result,
} from './results';
import { promptOf, type GraphNode, type TaskNode, type TreeNode } from './tree';

/** After so many ends: what is done, what runs with which results to come, what failed first. */
type Moment = {
  readonly session: JsonObject;
  readonly done: ReadonlyMap<string, Complete>;
  readonly running: ReadonlyMap<string, readonly Result[]>;
  readonly failed: readonly string[];
  readonly code?: string;
  readonly cost: Cost;
};

const mostMoments = 3_000;

/** What a task's runner may come to. */
export type ResultsOf = (node: TreeNode, given: Given) => readonly Result[];

export function graphResults(
  node: GraphNode,
  given: Given,
  resultsOf: ResultsOf,
): readonly Result[] {
  const results: Result[] = [];
  let visited = 0;
  const visit = (before: Moment): void => {
    visited += 1;
    if (visited > mostMoments) throw new TooManyResults();
    const now = withStarted(before, readyTasks(node, before), (task) => {
      const { session, done } = before;
      return resultsOf(task.runner, { input: inputOf(task, given.input, done), session });
    });
    if (now.running.size === 0) results.push(resultOf(node, given, now));
    for (const [task, options] of now.running)
      for (const option of options) visit(ended(now, task, option));
  };
  const nothing = { done: new Map(), running: new Map(), failed: [] };
  visit({ session: given.session, ...nothing, cost: { tokens: 0, asks: 0 } });
  return distinct(results);
}

function readyTasks({ tasks }: GraphNode, { done, running, failed }: Moment): readonly TaskNode[] {
  return tasks.filter(
    ({ id, dependencies }) =>
      !done.has(id) &&
      !running.has(id) &&
      !failed.includes(id) &&
      dependencies.every((dependency) => done.has(dependency)),
  );
}

function withStarted(
  moment: Moment,
  ready: readonly TaskNode[],
  resultsOf: (task: TaskNode) => readonly Result[],
): Moment {
  const started = ready.map(
    (task) => [task.id, afterRetries(resultsOf(task), task.maxRetries)] as const,
  );
  return { ...moment, running: new Map([...moment.running, ...started]) };
}

function inputOf(
  { dependencies, hasPrompt }: TaskNode,
  input: string,
  done: ReadonlyMap<string, Complete>,
): string {
  const textOf = (id: string): string => done.get(id)?.text ?? '';
  if (hasPrompt)
    return promptOf(dependencies)
      .replaceAll('${input}', input)
      .replace(/\$\{([^.}]+)\.output\}/g, (_, id: string) => textOf(id));
  return [input, ...dependencies.map((id) => `Output of task '${id}':\n${textOf(id)}`)].join(
    '\n\n',
  );
}

/** What can succeed may need any number of attempts; what always fails uses them all. */
function afterRetries(options: readonly Result[], maxRetries: number): readonly Result[] {
  const canFail = options.some(({ kind }) => kind === 'failed');
  const [only] = options;
  if (maxRetries === 0 || !canFail) return options;
  if (options.length === 1 && only !== undefined)
    return [{ ...only, ...add(...Array.from({ length: maxRetries + 1 }, () => only)) }];
  return distinct(options.map((option) => ({ ...option, tokens: null, asks: null })));
}

function ended(now: Moment, task: string, result: Result): Moment {
  const running = new Map([...now.running].filter(([id]) => id !== task));
  const cost = add(now.cost, result);
  if (result.kind === 'failed')
    return { ...now, running, cost, failed: [...now.failed, task], code: now.code ?? result.code };
  const session = apply(now.session, result.changes);
  return { ...now, running, cost, session, done: new Map([...now.done, [task, result]]) };
}

function resultOf({ tasks }: GraphNode, { session: before }: Given, now: Moment): Result {
  if (now.code !== undefined) return { kind: 'failed', code: now.code, ...now.cost };
  const sinks = tasks.filter(
    ({ id }) => !tasks.some(({ dependencies }) => dependencies.includes(id)),
  );
  const texts = sinks.map(({ id }) => [id, now.done.get(id)?.text ?? ''] as const);
  const done = [...now.done.values()];
  return {
    kind: 'complete',
    text: texts.at(-1)?.[1] ?? '',
    ...(texts.length > 1 && { combinedText: JSON.stringify(Object.fromEntries(texts)) }),
    iterations: done.reduce((sum, { iterations }) => sum + iterations, 0),
    changes: changesBetween(before, now.session),
    ...now.cost,
  };
}
