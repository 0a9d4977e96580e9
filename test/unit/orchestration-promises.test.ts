// Pure: no server. What users of orchestration rely on: how branches merge, end and fail, and when a graph starts its tasks.

import { graph } from '../../src';
import {
  aGraph,
  aParallel,
  aResult,
  aSequential,
  aTask,
  complete,
  fail,
  readyKeys,
  start,
  takeAll,
} from './core/orchestration/plan-builders';
import { anAgent, refusalOf } from './define/builders';

describe('a parallel that merges', () => {
  it('the first branch is the first to complete, not the first in order', () => {
    const plan = start(aParallel(['slow', 'broken', 'fast'], { merge: 'first' }));
    takeAll(plan);
    plan.failed('branch-2', { code: 'ToolError', message: 'it broke' });
    expect(plan.outcome).toBeUndefined();
    plan.completed('branch-3', aResult('fast'));
    expect(plan.outcome).toMatchObject({ result: { finalResponse: { text: 'fast' } } });
    plan.completed('branch-1', aResult('slow', { late: true }));
    expect(plan.outcome).toMatchObject({ result: { finalResponse: { text: 'fast' } } });
    expect(plan.session).toEqual({});
  });

  it('when two branches write a key, the last to complete wins; a branch that only reads it does not count', () => {
    const plan = start(aParallel(['a', 'b', 'reader']), { city: 'Rome', plan: 'free' });
    takeAll(plan);
    plan.completed('branch-2', aResult('two', { city: 'Oslo' }));
    plan.completed('branch-1', aResult('one', { city: 'Bonn' }));
    plan.completed('branch-3', aResult('three'));
    expect(plan.session).toEqual({ city: 'Bonn', plan: 'free' });
  });
});

describe('orchestration', () => {
  it('branches keep the updates of each other; a branch that fails leaves no updates and ends the rest', () => {
    const both = start(aParallel(['a', 'b']), { count: 1, note: 'x' });
    takeAll(both);
    both.completed('branch-1', aResult('one', { count: 2 }));
    both.completed('branch-2', aResult('two', { added: true }));
    expect(both.session).toEqual({ count: 2, note: 'x', added: true });
    const failing = start(aParallel(['a', 'b', 'c']), { count: 1 });
    takeAll(failing);
    failing.completed('branch-1', aResult('one', { count: 2 }));
    failing.failed('branch-2', { code: 'ToolError', message: 'it broke' });
    expect([failing.outcome, failing.cancelsRest, failing.session]).toEqual([
      { kind: 'failed', cause: 'branch-2' },
      true,
      { count: 1 },
    ]);
  });

  it('one completed branch is enough; if no branch completes, all failures are reported', () => {
    const merge = 'first';
    const some = start(aParallel(['a', 'b'], { merge, cancelRest: true }));
    takeAll(some);
    some.failed('branch-1', { code: 'ToolError', message: 'it broke' });
    some.completed('branch-2', aResult('two'));
    expect([some.outcome?.kind, some.cancelsRest]).toEqual(['complete', true]);
    const none = start(aParallel(['a', 'b'], { merge }));
    takeAll(none);
    none.failed('branch-1', { code: 'ToolError', message: 'it broke' });
    none.failed('branch-2', { code: 'ProviderError', message: 'no key' });
    expect(none.outcome).toMatchObject({
      code: 'ParallelFailed',
      message:
        "No branch of 'board' completed. branch-1 (a): ToolError: it broke; branch-2 (b): ProviderError: no key",
    });
  });

  it.each([
    { passOutput: false, input: 'go' },
    { passOutput: true, input: 'two' },
    { passOutput: 'combined' as const, input: '["one","two"]' },
  ])('passOutput $passOutput gives the step after a parallel $input', (row) => {
    const plan = start(aSequential(['board', 'writer'], { passOutput: row.passOutput }));
    complete(plan, 'step-1', aResult('two', {}, { combinedText: '["one","two"]' }));
    expect(plan.ready[0]?.input).toBe(row.input);
  });

  describe('a graph', () => {
    it('starts a task when its own dependencies are done, without waves', () => {
      const plan = start(aGraph(aTask('fast'), aTask('slow'), aTask('next', ['fast'])));
      takeAll(plan);
      plan.completed('fast', aResult('done'));
      expect(readyKeys(plan)).toEqual(['next']);
    });

    it('runs a task again from the same prompt, the last one included, and then fails with the list', () => {
      const leaf = aTask('leaf', ['root'], { maxRetries: 1, prompt: 'Check ${root.output}.' });
      const plan = start(aGraph(aTask('root'), leaf, aTask('after', ['leaf'])));
      complete(plan, 'root', aResult('it'));
      const [first] = takeAll(plan);
      plan.failed('leaf', { code: 'ToolError', message: 'it broke' });
      expect(plan.ready).toEqual([{ ...first, key: 'leaf.2' }]);
      expect(first?.input).toBe('Check it.');
      fail(plan, 'leaf.2');
      expect(plan.outcome).toEqual({
        kind: 'failed',
        code: 'ToolError',
        message: "Task 'leaf' failed: ToolError: it broke. Ran: root. Not started: after.",
        details: { failed: ['leaf'], ran: ['root'], notStarted: ['after'] },
      });
    });

    it('gives a task the replies in the order it names them, as they are', () => {
      const prompt = '${b.output}, ${a.output}; total ${total}, ${a.structured.vendor}';
      const plan = start(aGraph(aTask('a'), aTask('b'), aTask('sum', ['b', 'a'], { prompt })));
      complete(plan, 'a', aResult('{"total":12,"vendor":"ACME"}'));
      complete(plan, 'b', aResult('plain "words"'));
      expect(plan.ready[0]?.input).toBe(
        'plain "words", {"total":12,"vendor":"ACME"}; total 12, ACME',
      );
      const unsaid = start(aGraph(aTask('a'), aTask('b'), aTask('sum', ['b', 'a'])));
      complete(unsaid, 'a', aResult('one'));
      complete(unsaid, 'b', aResult('two'));
      expect(unsaid.ready[0]?.input).toMatch(/^go[^]*two[^]*one/);
    });

    it.each([
      { name: 'no tasks', tasks: [], refusal: /tasks must/ },
      {
        name: 'tasks that wait for each other',
        tasks: [
          { id: 'a', runner: anAgent(), dependencies: ['b'] },
          { id: 'b', runner: anAgent(), dependencies: ['a'] },
        ],
        refusal: /'?a'?.*'?b'?/,
      },
      {
        name: 'a task that is not there',
        tasks: [{ id: 'a', runner: anAgent(), dependencies: ['bb'] }],
        refusal: /bb/,
      },
      {
        name: 'one id twice',
        tasks: [
          { id: 'a', runner: anAgent() },
          { id: 'a', runner: anAgent() },
        ],
        refusal: /'a'/,
      },
    ])('is refused where it is defined: $name', ({ tasks, refusal }) => {
      const message = refusalOf(() => graph({ id: 'review', tasks }));
      expect(message).toMatch(/^SpecError: Graph 'review'/);
      expect(message).toMatch(refusal);
    });
  });
});
