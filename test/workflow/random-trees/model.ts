// What a tree may come to, worked out in plain memory. Where branches race, it is a set of results; everything else is exact.

import type { JsonObject } from '../../../src/base/json';
import { graphResults } from './graph-model';
import {
  add,
  apply,
  changesBetween,
  distinct,
  free,
  product,
  unknown,
  type Changes,
  type Complete,
  type Cost,
  type Failed,
  type Given,
  type Result,
} from './results';
import { finalText, markOf } from './replies';
import { answerTo, decisionOn, edited } from './tools';
import type { Act, AgentNode, ParallelNode, SequentialNode, TreeNode } from './tree';

export function resultsOf(node: TreeNode, given: Given): readonly Result[] {
  switch (node.kind) {
    case 'agent':
      return distinct(agentResults(node, given));
    case 'sequential':
      return distinct(sequentialResults(node, given));
    case 'parallel':
      return distinct(parallelResults(node, given));
    case 'graph':
      return distinct(graphResults(node, given, resultsOf));
  }
}

// An agent

type Progress = Cost & {
  readonly session: JsonObject;
  readonly results: readonly string[];
  readonly iterations: number;
};

type ActResult = Cost &
  ({ readonly text: string; readonly changes: Changes } | { readonly code: string });

function agentResults(node: AgentNode, { input, session }: Given): readonly Result[] {
  const ended: Result[] = [];
  let open: readonly Progress[] = [{ session, results: [], iterations: 0, ...free }];
  node.turns.forEach((turn, number) => {
    const acts: readonly Act[] = turn.kind === 'marker' ? [{ kind: 'ask' }] : turn.acts;
    open = distinct(
      open.flatMap((before) => {
        const options = acts.map((act, index) =>
          actResults(act, {
            mark: markOf({ agent: node.id, turn: number, index }),
            session: before.session,
          }),
        );
        return product(options).flatMap((way): readonly Progress[] => {
          const failures = way.filter((one) => 'code' in one);
          if (failures.length === 0) return [after(before, acts, way)];
          const cost = acts.length > 1 ? unknown : add(before, called, ...way);
          ended.push(...failures.map(({ code }) => ({ kind: 'failed' as const, code, ...cost })));
          return [];
        });
      }),
    );
  });
  return [...ended, ...open.map((progress) => ending(node, progress, { input, session }))];
}

/** Of one call of the scripted model. */
const called: Cost = { tokens: 15, asks: 0 };

function after(before: Progress, acts: readonly Act[], way: readonly ActResult[]): Progress {
  const done = way.flatMap((one) => ('text' in one ? [one] : []));
  return {
    session: done.reduce((session, { changes }) => apply(session, changes), before.session),
    results: [...before.results, ...done.map(({ text }) => text)],
    iterations: before.iterations + (acts.every(({ kind }) => kind === 'ask') ? 0 : 1),
    ...add(before, called, ...way),
  };
}

function ending(
  { id, ending: how }: AgentNode,
  progress: Progress,
  { input, session }: Given,
): Result {
  const cost = add(progress, how === 'provider' ? free : called);
  if (how !== 'answer') {
    const code = how === 'limit' ? 'MaxIterationsExceeded' : 'ProviderError';
    return { kind: 'failed', code, ...cost };
  }
  return {
    kind: 'complete',
    text: finalText(id, input, progress.results),
    iterations: progress.iterations,
    changes: changesBetween(session, progress.session),
    ...cost,
  };
}

function actResults(
  act: Act,
  { mark, session }: { mark: string; session: JsonObject },
): readonly ActResult[] {
  const written = (key: string, value: string): Changes => {
    const before = session[key];
    return { [key]: `${typeof before === 'string' ? before : ''}${value}` };
  };
  const asked: Cost = { tokens: 0, asks: 1 };
  switch (act.kind) {
    case 'write':
      return [{ text: 'ok', changes: written(act.key, mark), ...free }];
    case 'erase':
      return [
        {
          text: 'ok',
          changes: Object.hasOwn(session, act.key) ? { [act.key]: null } : {},
          ...free,
        },
      ];
    case 'ask':
      return [{ text: answerTo(mark), changes: {}, ...asked }];
    case 'guard': {
      const decision = decisionOn(mark);
      if (decision === 'reject') return [{ text: 'no', changes: {}, ...asked }];
      const value = decision === 'edit' ? edited(mark) : mark;
      return [{ text: 'yes', changes: written(act.key, value), ...asked }];
    }
    case 'stumble':
      return [{ text: '!', changes: {}, ...free }];
    case 'break':
      return [{ code: 'ToolError', ...free }];
    case 'flaky':
      return [{ text: 'ok', changes: {}, ...unknown }];
    case 'call':
      return resultsOf(act.callee, { input: mark, session }).map((result) => {
        const { tokens, asks } = result;
        if (result.kind === 'complete')
          return { text: result.text, changes: result.changes, tokens, asks };
        if (act.onError === 'fail') return { code: result.code, tokens, asks };
        return { text: '!', changes: {}, tokens, asks };
      });
  }
}

// A pipeline

type Way = { readonly given: Given; readonly iterations: number; readonly cost: Cost };

function sequentialResults(node: SequentialNode, given: Given): readonly Result[] {
  const failed: Failed[] = [];
  let ways: readonly Way[] = [{ given, iterations: 0, cost: free }];
  let last: readonly Complete[] = [];
  for (const step of node.steps) {
    const next: (Way & { readonly result: Complete })[] = [];
    for (const way of ways) {
      for (const result of resultsOf(step, way.given)) {
        const cost = add(way.cost, result);
        if (result.kind === 'failed') {
          failed.push({ ...result, ...cost });
          continue;
        }
        const session = apply(way.given.session, result.changes);
        const iterations = way.iterations + result.iterations;
        const input = nextInput(node, given.input, result);
        next.push({ given: { input, session }, iterations, cost, result });
      }
    }
    const kept = distinct(next);
    ways = kept;
    last = kept.map(({ result, cost, iterations, given: { session } }) => ({
      ...result,
      ...cost,
      iterations,
      changes: changesBetween(given.session, session),
    }));
  }
  return [...failed, ...last];
}

function nextInput(
  { passOutput }: SequentialNode,
  input: string,
  { text, combinedText }: Complete,
): string {
  if (passOutput === false) return input;
  return passOutput === 'combined' ? (combinedText ?? text) : text;
}

// Branches beside each other

function parallelResults(node: ParallelNode, given: Given): readonly Result[] {
  const inTurn = node.concurrency === 1 || node.branches.length === 1;
  return product(node.branches.map((branch) => resultsOf(branch, given))).flatMap((way) => {
    return node.merge === 'first' ? firstOf(way, inTurn) : allOf(way, { inTurn, given });
  });
}

function firstOf(way: readonly Result[], inTurn: boolean): readonly Result[] {
  const winners = way.filter((result) => result.kind === 'complete');
  if (winners.length === 0) return [{ kind: 'failed', code: 'ParallelFailed', ...add(...way) }];
  return (inTurn ? winners.slice(0, 1) : winners).map(({ combinedText: _none, ...winner }) => ({
    ...winner,
    ...(inTurn
      ? add(...way.slice(0, way.findIndex(({ kind }) => kind === 'complete') + 1))
      : unknown),
  }));
}

function allOf(
  way: readonly Result[],
  { inTurn, given }: { readonly inTurn: boolean; readonly given: Given },
): readonly Result[] {
  const failures = way.filter((result) => result.kind === 'failed');
  if (failures.length > 0 && inTurn) {
    const until = way.findIndex(({ kind }) => kind === 'failed') + 1;
    return failures.slice(0, 1).map((failure) => ({ ...failure, ...add(...way.slice(0, until)) }));
  }
  if (failures.length > 0) return failures.map((failure) => ({ ...failure, ...unknown }));
  const done = way.filter((result) => result.kind === 'complete');
  const orders = inTurn ? [done] : ordersOf(done);
  const last = done.at(-1);
  return orders.map((order) => ({
    kind: 'complete',
    text: last?.text ?? '',
    combinedText: JSON.stringify(done.map(({ text }) => text)),
    iterations: done.reduce((sum, { iterations }) => sum + iterations, 0),
    changes: changesBetween(
      given.session,
      order.reduce((session, { changes }) => apply(session, changes), given.session),
    ),
    ...add(...done),
  }));
}

function ordersOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first, index) =>
    ordersOf(items.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  );
}
