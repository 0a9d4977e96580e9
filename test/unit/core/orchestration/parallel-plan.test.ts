// Pure: no server.
import type { ParallelConfig } from '../../../../src/protocol/activities';
import type { Plan } from '../../../../src/core/orchestration/plan';
import { utf8Length } from '../../../../src/base/text';
import {
  aFinalResponse,
  aParallel,
  aResult,
  complete,
  fail,
  readyKeys,
  restored,
  seen,
  start,
  takeAll,
  thrown,
} from './plan-builders';

const started = (config: ParallelConfig, session = {}): Plan => {
  const plan = start(config, session);
  takeAll(plan);
  return plan;
};

describe('ParallelPlan', () => {
  it('starts every branch with the same input and session', () => {
    const plan = start(aParallel(['a', 'a']), { x: 1 });
    expect(plan.ready).toStrictEqual([
      { runner: 'a', key: 'branch-1', element: 'branch-1', input: 'go', session: { x: 1 } },
      { runner: 'a', key: 'branch-2', element: 'branch-2', input: 'go', session: { x: 1 } },
    ]);
    complete(plan, 'branch-1', aResult('one', { x: 2 }));
    expect(plan.ready).toStrictEqual([
      { runner: 'a', key: 'branch-2', element: 'branch-2', input: 'go', session: { x: 1 } },
    ]);
  });

  it('takes branches in any order', () => {
    const plan = start(aParallel(['a', 'b', 'c']));
    plan.take('branch-2');
    const before = plan.ready;
    plan.take('branch-1');
    expect(before.map(({ key }) => key)).toStrictEqual(['branch-1', 'branch-3']);
    expect([readyKeys(plan), plan.toStart]).toStrictEqual([['branch-3'], 1]);
  });

  describe('collecting all', () => {
    it('has the texts in branch order and the last branch as its response', () => {
      const plan = started(aParallel(['a', 'b', 'c']), { x: 0, gone: true, __own: 1 });
      plan.completed('branch-3', aResult('three', { x: 3, z: 3 }, { iterations: 4 }));
      plan.completed('branch-1', aResult('one', { x: 1, __own: 9 }, { warnings: ['slow'] }));
      expect([plan.outcome, plan.session]).toStrictEqual([
        undefined,
        { x: 0, gone: true, __own: 1 },
      ]);
      plan.completed(
        'branch-2',
        aResult('two', {}, { delta: { set: {}, removed: ['gone', '__own'] }, iterations: 2 }),
      );
      expect(seen(plan)).toStrictEqual({
        ready: [],
        toStart: 0,
        outcome: {
          kind: 'complete',
          result: {
            finalResponse: aFinalResponse('three'),
            iterations: 7,
            completionReason: 'all branches completed',
            combinedText: '["one","two","three"]',
            warnings: ['branch-1: slow'],
          },
        },
        cancelsRest: false,
        session: { x: 1, z: 3, __own: 1 },
      });
    });

    it('ends with the first failure, and needs nobody any more', () => {
      const plan = start(aParallel(['a', 'b', 'c', 'd']), { x: 0 });
      complete(plan, 'branch-1', aResult('one', { x: 1 }));
      plan.take('branch-2');
      fail(plan, 'branch-3');
      const end = {
        ready: [],
        toStart: 0,
        outcome: { kind: 'failed', cause: 'branch-3' },
        cancelsRest: true,
        session: { x: 0 },
      };
      expect(seen(plan)).toStrictEqual(end);
      plan.failed('branch-2', { message: 'cancelled' });
      expect(seen(plan)).toStrictEqual(end);
    });
  });

  describe('taking the first', () => {
    it.each([
      ['leaves the rest running', {}, false],
      ['cancels the rest where told so', { cancelRest: true }, true],
    ])('has the result of the first to complete, and %s', (_, rest, cancelsRest) => {
      const plan = start(aParallel(['a', 'b', 'c'], { merge: 'first', ...rest }), { x: 0 });
      plan.take('branch-1');
      expect(plan.cancelsRest).toBe(false);
      complete(
        plan,
        'branch-2',
        aResult('two', { x: 2 }, { iterations: 3, combinedText: '[]', warnings: ['slow'] }),
      );
      const end = {
        ready: [],
        toStart: 0,
        outcome: {
          kind: 'complete',
          result: {
            finalResponse: aFinalResponse('two'),
            iterations: 3,
            completionReason: 'branch-2 completed first: answered',
            warnings: ['branch-2: slow'],
          },
        },
        cancelsRest,
        session: { x: 2 },
      };
      expect(seen(plan)).toStrictEqual(end);
      plan.completed('branch-1', aResult('one', { x: 1 }));
      expect(seen(plan)).toStrictEqual(end);
    });

    it('passes over failures while another branch may complete', () => {
      const plan = start(aParallel(['a', 'b'], { merge: 'first' }));
      fail(plan, 'branch-1');
      expect([plan.outcome, plan.cancelsRest, plan.toStart]).toStrictEqual([undefined, false, 1]);
      complete(plan, 'branch-2', aResult('two'));
      expect(plan.outcome?.kind).toBe('complete');
    });

    it('lists the failures of all', () => {
      const plan = started(aParallel(['a', 'b'], { merge: 'first' }), { x: 0 });
      plan.failed('branch-2', { message: 'no\nluck' });
      plan.failed('branch-1', { code: 'ToolError', message: 'it broke' });
      expect(plan.outcome).toStrictEqual({
        kind: 'failed',
        code: 'ParallelFailed',
        message:
          "No branch of 'board' completed. branch-1 (a): ToolError: it broke; branch-2 (b): no luck",
        details: {
          branches: [
            { branch: 'branch-1', runner: 'a', code: 'ToolError', message: 'it broke' },
            { branch: 'branch-2', runner: 'b', message: 'no luck' },
          ],
        },
      });
      expect(plan.session).toStrictEqual({ x: 0 });
    });

    it.each([1, 2, 20, 3_000])('keeps the failures of %d branches short', (count) => {
      const runners = Array.from({ length: count }, (_, index) => `${'r'.repeat(90)}${index}`);
      const plan = started(aParallel(runners, { merge: 'first' }));
      for (let branch = 1; branch <= count; branch += 1)
        plan.failed(`branch-${branch}`, { code: 'ProviderError', message: 'ä'.repeat(3_000) });
      const outcome = plan.outcome as unknown as {
        message: string;
        details: { branches: unknown[] };
      };
      expect(utf8Length(outcome.message)).toBeLessThanOrEqual(2_048);
      expect(utf8Length(JSON.stringify(outcome.details))).toBeLessThanOrEqual(2_048);
      expect(outcome.details.branches.length).toBeGreaterThanOrEqual(Math.min(count, 5));
      if (count === 3_000) expect(outcome.message).toMatch(/; and \d+ more$/);
    });
  });

  it.each<[name: string, config: ParallelConfig]>([
    ['collecting all', aParallel(['a', 'b', 'c'])],
    ['taking the first', aParallel(['a', 'b', 'c'], { merge: 'first' })],
  ])('goes on from what was stored, %s', (_, config) => {
    const plan = start(config, { x: 0 });
    if (config.merge === 'first') fail(plan, 'branch-3');
    else complete(plan, 'branch-3', aResult('three', { x: 3 }, { warnings: ['slow'] }));
    const again = restored(config, plan);
    expect(seen(again)).toStrictEqual(seen(plan));
    for (const one of [plan, again]) {
      complete(one, 'branch-2', aResult('two', { y: 2 }));
      if (one.outcome === undefined) complete(one, 'branch-1', aResult('one', { y: 1 }));
    }
    expect(plan.outcome?.kind).toBe('complete');
    expect(seen(again)).toStrictEqual(seen(plan));
    expect(seen(restored(config, plan))).toStrictEqual(seen(plan));
  });

  it('refuses to start without branches', () => {
    expect(thrown(() => start(aParallel([])))).toStrictEqual({
      code: 'InvalidInput',
      message: "parallel 'board' has no branches",
    });
  });
});
