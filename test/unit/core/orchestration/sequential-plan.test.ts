// Pure: no server.
import { restorePlan } from '../../../../src/core/orchestration/create-plan';
import type { SequentialConfig } from '../../../../src/protocol/activities';
import {
  aFinalResponse,
  aResult,
  aSequential,
  complete,
  fail,
  readyKeys,
  restored,
  seen,
  start,
  thrown,
} from './plan-builders';

describe('SequentialPlan', () => {
  it('gives each step the session that the steps before it left', () => {
    const plan = start(aSequential(['draft', 'polish']), { topic: 'tea', __own: 1 });
    expect(plan.ready).toStrictEqual([
      {
        runner: 'draft',
        key: 'step-1',
        element: 'draft',
        input: 'go',
        session: { topic: 'tea', __own: 1 },
      },
    ]);
    complete(
      plan,
      'step-1',
      aResult(
        'one',
        { draft: 'v1', __own: 2 },
        {
          delta: { set: { draft: 'v1', __own: 2 }, removed: ['topic', '__own'] },
        },
      ),
    );
    expect(plan.ready).toStrictEqual([
      {
        runner: 'polish',
        key: 'step-2',
        element: 'polish',
        input: 'go',
        session: { __own: 1, draft: 'v1' },
      },
    ]);
    expect(plan.session).toStrictEqual({ __own: 1, draft: 'v1' });
  });

  it.each<[name: string, passOutput: SequentialConfig['passOutput'], input: string]>([
    ['nothing said: the original input', undefined, 'go'],
    ['false: the original input', false, 'go'],
    ['true: the text of the step before', true, 'last'],
    ['combined: the combined text of the step before', 'combined', '["a","last"]'],
  ])('passes on with %s', (_, passOutput, input) => {
    const config = aSequential(['a', 'b'], passOutput === undefined ? {} : { passOutput });
    const plan = start(config);
    complete(plan, 'step-1', aResult('last', {}, { combinedText: '["a","last"]' }));
    expect(plan.ready[0]?.input).toBe(input);
  });

  it('passes on the text of a step that has no combined text', () => {
    const plan = start(aSequential(['a', 'b'], { passOutput: 'combined' }));
    complete(plan, 'step-1', aResult('alone'));
    expect(plan.ready[0]?.input).toBe('alone');
  });

  it('has the result of the last step, with the iterations and warnings of all', () => {
    const plan = start(aSequential(['a', 'b']));
    complete(plan, 'step-1', aResult('one', { x: 1 }, { iterations: 2, warnings: ['slow'] }));
    complete(
      plan,
      'step-2',
      aResult(
        'two',
        { y: 2 },
        {
          iterations: 3,
          warnings: ['long', 'late'],
          combinedText: '["two"]',
          completionReason: 'keyword found',
        },
      ),
    );
    expect(seen(plan)).toStrictEqual({
      ready: [],
      toStart: 0,
      outcome: {
        kind: 'complete',
        result: {
          finalResponse: aFinalResponse('two'),
          iterations: 5,
          completionReason: 'keyword found',
          combinedText: '["two"]',
          warnings: ['a: slow', 'b: long', 'b: late'],
        },
      },
      cancelsRest: false,
      session: { x: 1, y: 2 },
    });
  });

  it('ends with the failure of a step', () => {
    const plan = start(aSequential(['a', 'b', 'c']));
    complete(plan, 'step-1', aResult('one', { x: 1 }));
    fail(plan, 'step-2');
    expect(seen(plan)).toStrictEqual({
      ready: [],
      toStart: 0,
      outcome: { kind: 'failed', cause: 'step-2' },
      cancelsRest: false,
      session: { x: 1 },
    });
  });

  it('gives each step all that is left of a budget, because no other step runs beside it', () => {
    const plan = start(aSequential(['a', 'b']));
    const counts = [plan.toStart];
    plan.take('step-1');
    counts.push(plan.toStart);
    plan.completed('step-1', aResult('one'));
    counts.push(plan.toStart);
    plan.take('step-2');
    counts.push(plan.toStart);
    expect(counts).toStrictEqual([1, 0, 1, 0]);
  });

  it.each([
    ['each once', ['a', 'b'], ['a', 'b']],
    ['one twice', ['a', 'b', 'a'], ['a-1', 'b', 'a-3']],
    ['an id that looks numbered', ['a', 'a', 'a-2'], ['a-1', 'a-2', 'a-2-3']],
    [
      'ids that look numbered, and numbered again',
      ['a', 'a', 'a-2', 'a-2-3'],
      ['a-1', 'a-2', 'a-2-3', 'a-2-3-4'],
    ],
  ])('names the places of its steps: %s', (_, runners, expected) => {
    const plan = start(aSequential(runners));
    const elements = runners.map((runner, index) => {
      const element = plan.ready[0]?.element;
      complete(plan, `step-${index + 1}`, aResult(runner));
      return element;
    });
    expect(elements).toStrictEqual(expected);
  });

  it('goes on from what was stored', () => {
    const config = aSequential(['a', 'b', 'c'], { passOutput: true });
    const plan = start(config, { x: 0 });
    complete(plan, 'step-1', aResult('one', { x: 1 }, { warnings: ['slow'] }));
    const again = restored(config, plan);
    expect(seen(again)).toStrictEqual(seen(plan));
    for (const one of [plan, again]) {
      complete(one, 'step-2', aResult('two'));
      complete(one, 'step-3', aResult('three'));
    }
    expect(seen(again)).toStrictEqual(seen(plan));
    expect(seen(restored(config, plan))).toStrictEqual(seen(plan));
  });

  it('keeps the kind of an orchestration among its steps', () => {
    const config = aSequential([], { steps: [{ runner: 'board', kind: 'parallel' }] });
    expect(start(config).ready).toStrictEqual([
      {
        runner: 'board',
        kind: 'parallel',
        key: 'step-1',
        element: 'board',
        input: 'go',
        session: {},
      },
    ]);
  });

  it('refuses what it does not know, and to be stored while a step runs', () => {
    const config = aSequential(['a', 'b']);
    const plan = start(config);
    const refused = [
      thrown(() => plan.take('step-2')),
      thrown(() => plan.completed('step-1', aResult('x'))),
      thrown(() => plan.failed('step-1', { message: 'x' })),
    ];
    plan.take('step-1');
    refused.push(
      thrown(() => plan.take('step-1')),
      thrown(() => plan.toJSON()),
    );
    expect(refused).toStrictEqual([
      { code: 'InternalError', message: "child 'step-2' is not ready to start" },
      { code: 'InternalError', message: "child 'step-1' is not running" },
      { code: 'InternalError', message: "child 'step-1' is not running" },
      { code: 'InternalError', message: "child 'step-1' is not ready to start" },
      { code: 'InternalError', message: "child 'step-1' is still running" },
    ]);
    expect(readyKeys(plan)).toStrictEqual([]);
  });

  it.each([
    [
      'another format',
      { format: 2, kind: 'sequential' },
      'The stored plan has format 2; this version reads format 1. A newer version of Longhaul wrote it: start workers of that version.',
    ],
    [
      'another kind',
      { format: 1, kind: 'graph' },
      'The stored plan is of kind "graph"; the runner is a sequential.',
    ],
    ['no object', [], 'The stored plan is not a JSON object.'],
  ])('refuses to go on from %s', (_, json, message) => {
    expect(thrown(() => restorePlan(aSequential(['a']), json))).toStrictEqual({
      code: 'StateError',
      message,
    });
  });

  it('refuses to start without steps', () => {
    expect(thrown(() => start(aSequential([])))).toStrictEqual({
      code: 'InvalidInput',
      message: "sequential 'pipeline' has no steps",
    });
  });
});
