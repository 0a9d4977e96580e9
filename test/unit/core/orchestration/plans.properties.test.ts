// Pure: no server. Random plans, ended in random order, with a fixed seed.
import fc from 'fast-check';
import type { Plan, PlannedChild } from '../../../../src/core/orchestration/plan';
import type { OrchestrationConfig } from '../../../../src/protocol/activities';
import type { JsonObject } from '../../../../src/base/json';
import type { ChildResult } from '../../../../src/protocol/run';
import {
  aGraph,
  aParallel,
  aResult,
  aSequential,
  aTask,
  restored,
  seen,
  start,
  takeAll,
} from './plan-builders';
import { type End, type Expected, expectedOf, input } from './plan-model';

const seed = 20_261_122;
const numRuns = 200;

const session = fc.dictionary(fc.constantFrom('x', 'y', '__own'), fc.nat(9), {
  noNullPrototype: true,
});
const keys = ['x', 'y', 'z', '__own'];

/** A result from one number: every use of it takes other digits. */
function resultOf(drawn: number): ChildResult {
  const digit = (at: number): number => Math.floor(drawn / 5 ** at) % 5;
  const chosen = keys.filter((_, index) => digit(index) < 2);
  const set = Object.fromEntries(chosen.map((key, index) => [key, digit(index + 4)]));
  const removed = digit(8) === 0 ? [keys[digit(9)] ?? 'constructor'] : [];
  return aResult(
    digit(10) === 0 ? '' : `text ${drawn}`,
    {},
    {
      delta: { set, removed },
      iterations: digit(11),
      ...(digit(12) < 2 ? { combinedText: '["all"]' } : {}),
    },
  );
}

const runners = fc.array(fc.constantFrom('a', 'b', 'a-2'), { minLength: 1, maxLength: 6 });
const sequential = fc
  .tuple(runners, fc.constantFrom(false, true, 'combined' as const))
  .map(([ids, passOutput]) => aSequential(ids, { passOutput }));
const parallel = fc
  .record({
    ids: runners,
    merge: fc.constantFrom('first' as const, 'collect_all' as const),
    cancelRest: fc.boolean(),
  })
  .map(({ ids, ...rest }) => aParallel(ids, rest));
/** Each task waits for some of those before it; they are declared in another order. */
const graph = fc
  .array(fc.record({ mask: fc.nat(255), maxRetries: fc.nat(2), place: fc.nat(99) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((drawn) => {
    const tasks = drawn.map(({ mask, maxRetries }, index) => {
      const before = drawn.slice(0, index).flatMap((_, at) => (mask & (1 << at) ? [`t${at}`] : []));
      return aTask(`t${index}`, before, { maxRetries });
    });
    return aGraph(
      ...tasks
        .map((task, index) => ({ task, place: drawn[index]?.place ?? 0 }))
        .sort((left, right) => left.place - right.place)
        .map(({ task }) => task),
    );
  });

const drawnMoves = fc.array(fc.nat(2 ** 31 - 1), { minLength: 60, maxLength: 60 });

/** Equal as JSON text, which is quick; the matcher is only asked for the difference. */
function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toStrictEqual(expected);
}

/** Plays a plan to its end, calling `check` after every event. */
function play(
  plan: Plan,
  drawn: readonly number[],
  check: (state: {
    readonly plan: Plan;
    readonly open: readonly PlannedChild[];
    readonly ends: readonly End[];
  }) => Plan | void,
): Plan {
  let current = plan;
  const open: PlannedChild[] = [];
  const ends: End[] = [];
  for (const move of drawn) {
    current = check({ plan: current, open, ends }) ?? current;
    if (current.ready.length + open.length === 0) return current;
    const at = move % (current.ready.length + open.length);
    const child = current.ready[at];
    const ended = child ? undefined : open.splice(at - current.ready.length, 1)[0];
    if (child) {
      current.take(child.key);
      open.push(child);
    } else if (ended && Math.floor(move / 1_000) % 4 === 0) {
      current.failed(ended.key, { code: 'ToolError', message: 'it broke' });
      ends.push({ key: ended.key });
    } else if (ended) {
      const result = resultOf(move);
      current.completed(ended.key, result);
      ends.push({ key: ended.key, result });
    }
  }
  return current;
}

function said({ outcome, session: now }: Plan, children: readonly PlannedChild[]): Expected {
  const started = Object.fromEntries(
    children.map((child) => [child.key, { input: child.input as string, session: child.session }]),
  );
  if (outcome === undefined) return { started, outcome: 'none', session: now };
  if (outcome.kind === 'failed') {
    const cause = 'cause' in outcome ? { cause: outcome.cause } : {};
    return { started: {}, outcome: 'failed', ...cause, session: now };
  }
  const { finalResponse, combinedText, iterations } = outcome.result;
  const combined = combinedText === undefined ? {} : { combinedText };
  const texts = { text: finalResponse.text, ...combined };
  return { started: {}, outcome: 'complete', texts, iterations, session: now };
}

describe.each<[name: string, config: fc.Arbitrary<OrchestrationConfig>]>([
  ['a sequential', sequential],
  ['a parallel', parallel],
  ['a graph', graph],
])(`The plan of %s, by random ends (seed ${seed})`, (_, config) => {
  const forAll = (
    check: (config: OrchestrationConfig, before: JsonObject, drawn: readonly number[]) => void,
  ): void => {
    fc.assert(fc.property(config, session, drawnMoves, check), { seed, numRuns });
  };

  it('says what the rules say, and ends', () => {
    forAll((given, before, drawn) => {
      const end = play(start(given, before, input), drawn, ({ plan, open, ends }) => {
        const expected = expectedOf(given, before, ends);
        expectSame(said(plan, [...plan.ready, ...open]), expected);
        if (expected.outcome === 'none')
          expect(plan.toStart).toBeGreaterThanOrEqual(plan.ready.length);
        else expect([plan.ready, plan.toStart]).toStrictEqual([[], 0]);
      });
      expect(end.outcome).toBeDefined();
    });
  });

  it('goes on from storage as if it had never been there', () => {
    forAll((given, before, drawn) => {
      const never = play(start(given, before), drawn, () => undefined);
      const often = play(start(given, before), drawn, ({ plan, open }) => {
        if (open.length > 0) return plan;
        const again = restored(given, plan);
        expectSame(seen(again), seen(plan));
        return again;
      });
      expectSame(seen(often), seen(never));
    });
  });

  it('never changes its outcome, nor a list it gave', () => {
    forAll((given, before, drawn) => {
      let outcome: Plan['outcome'];
      const lists: (readonly [readonly PlannedChild[], readonly PlannedChild[]])[] = [];
      play(start(given, before), drawn, ({ plan }) => {
        if (outcome !== undefined) expect(plan.outcome === outcome).toBe(true);
        ({ outcome } = plan);
        lists.push([plan.ready, [...plan.ready]]);
      });
      for (const [list, copy] of lists) expectSame(list, copy);
    });
  });
});

describe('Large plans', () => {
  it.each<[name: string, config: OrchestrationConfig]>([
    ['a parallel of 5,000 branches', aParallel(Array.from({ length: 5_000 }, () => 'a'))],
    [
      'a graph of 1,000 tasks that all wait for one, and one for all',
      aGraph(
        aTask('first'),
        ...Array.from({ length: 1_000 }, (_, index) => aTask(`t${index}`, ['first'])),
        aTask(
          'last',
          Array.from({ length: 1_000 }, (_, index) => `t${index}`),
        ),
      ),
    ],
  ])('brings %s to its end', (_, config) => {
    const plan = start(config);
    while (plan.outcome === undefined)
      for (const { key } of takeAll(plan)) plan.completed(key, aResult(key, { last: key }));
    expect([plan.outcome.kind, plan.ready, plan.toStart]).toStrictEqual(['complete', [], 0]);
  });
});
