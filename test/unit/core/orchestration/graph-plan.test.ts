// Pure: no server.
import type { Plan } from '../../../../src/core/orchestration/plan';
import { utf8Length } from '../../../../src/base/text';
import type { ErrorCode } from '../../../../src/protocol/errors';
import {
  aFinalResponse,
  aGraph,
  aResult,
  aTask,
  complete,
  fail,
  readyKeys,
  restored,
  seen,
  start,
  takeAll,
  thrown,
} from './plan-builders';

const inputOf = (plan: Plan, key: string): unknown =>
  plan.ready.find((child) => child.key === key)?.input;

describe('GraphPlan', () => {
  it('starts a task as soon as its own dependencies are done', () => {
    const plan = start(
      aGraph(aTask('a'), aTask('b'), aTask('c', ['a']), aTask('d', ['a', 'b']), aTask('e', ['c'])),
    );
    const steps = [[readyKeys(plan), plan.toStart]];
    for (const key of ['a', 'c', 'b', 'e', 'd']) {
      complete(plan, key, aResult(key));
      steps.push([readyKeys(plan), plan.toStart]);
    }
    expect(steps).toStrictEqual([
      [['a', 'b'], 2],
      [['b', 'c'], 2],
      [['b', 'e'], 2],
      [['e', 'd'], 2],
      [['d'], 1],
      [[], 0],
    ]);
    expect(plan.outcome?.kind).toBe('complete');
  });

  it('has the response of its last sink, and the texts of all', () => {
    const plan = start(aGraph(aTask('a'), aTask('left', ['a']), aTask('right', ['a'])), { x: 0 });
    complete(plan, 'a', aResult('A', { x: 1 }, { iterations: 2, warnings: ['slow'] }));
    takeAll(plan);
    plan.completed('right', aResult('R', { x: 2, y: 2 }));
    plan.completed('left', aResult('L', { x: 3 }, { warnings: ['long'] }));
    expect(seen(plan)).toStrictEqual({
      ready: [],
      toStart: 0,
      outcome: {
        kind: 'complete',
        result: {
          finalResponse: aFinalResponse('R'),
          iterations: 4,
          completionReason: 'all tasks completed',
          combinedText: '{"left":"L","right":"R"}',
          warnings: ['a: slow', 'left: long'],
        },
      },
      cancelsRest: false,
      session: { x: 3, y: 2 },
    });
  });

  it('has no combined text with one sink', () => {
    const plan = start(aGraph(aTask('z', ['a']), aTask('a')));
    complete(plan, 'a', aResult('A'));
    complete(plan, 'z', aResult('Z'));
    expect(plan.outcome).toStrictEqual({
      kind: 'complete',
      result: {
        finalResponse: aFinalResponse('Z'),
        iterations: 2,
        completionReason: 'all tasks completed',
      },
    });
  });

  it('starts a task with the session as it stands when it becomes ready', () => {
    const plan = start(aGraph(aTask('a'), aTask('b'), aTask('c', ['a'])), { x: 0 });
    takeAll(plan);
    plan.completed('a', aResult('A', { x: 1 }));
    plan.completed('b', aResult('B', { x: 2 }));
    expect([plan.ready[0]?.session, plan.session]).toStrictEqual([{ x: 1 }, { x: 2 }]);
  });

  describe('prompts', () => {
    it('is the input of the graph for a task without dependencies', () => {
      const parts = [
        { type: 'text', text: 'look' },
        { type: 'media', mediaType: 'image/png', source: { kind: 'url', url: 'https://x/y.png' } },
      ] as const;
      const plan = start(aGraph(aTask('a'), aTask('b', ['a'])), {}, parts);
      expect(inputOf(plan, 'a')).toBe(parts);
      complete(plan, 'a', aResult('A'));
      expect(inputOf(plan, 'b')).toStrictEqual([
        ...parts,
        { type: 'text', text: "Output of task 'a':\nA" },
      ]);
    });

    it('adds the outputs of the dependencies in the order listed', () => {
      const plan = start(aGraph(aTask('a'), aTask('b'), aTask('c', ['b', 'a'])));
      complete(plan, 'a', aResult('A'));
      complete(plan, 'b', aResult('B'));
      expect(inputOf(plan, 'c')).toBe("go\n\nOutput of task 'b':\nB\n\nOutput of task 'a':\nA");
    });

    it.each([
      ['the input', '<${input}>', '<go>'],
      ['an output', '${a.output}|${b.output}', '{"score":1,"a":true}|```json\n{"score":2}\n```'],
      ['a field of a reply', '${a.structured.score}', '1'],
      ['a parameter of the later dependency', '${score}', '2'],
      ['a parameter of any dependency', '${a}', 'true'],
      ['a parameter of the session', '${topic} ${list}', 'tea [1]'],
    ])('fills in %s', (_, prompt, expected) => {
      const plan = start(aGraph(aTask('a'), aTask('b'), aTask('c', ['a', 'b'], { prompt })), {
        topic: 'tea',
        list: [1],
        score: 0,
      });
      complete(plan, 'a', aResult('{"score":1,"a":true}'));
      complete(plan, 'b', aResult('```json\n{"score":2}\n```'));
      expect(inputOf(plan, 'c')).toBe(expected);
    });

    it('prefers the structured reply to the text', () => {
      const prompt = '${score} ${a.structured.score}';
      const plan = start(aGraph(aTask('a'), aTask('b', ['a'], { prompt })));
      const finalResponse = { ...aFinalResponse('{"score":1}'), structured: { score: 2 } };
      complete(plan, 'a', aResult('', {}, { finalResponse }));
      expect(inputOf(plan, 'b')).toBe('2 2');
    });

    it('takes the text of the input only', () => {
      const media = { type: 'media', mediaType: 'image/png' } as const;
      const plan = start(aGraph(aTask('a', [], { prompt: '<${input}>' })), {}, [
        { type: 'text', text: 'one' },
        { ...media, source: { kind: 'ref', ref: 'picture' } },
        { type: 'text', text: 'two' },
      ]);
      expect(inputOf(plan, 'a')).toBe('<one\ntwo>');
    });

    it('is refused at the start when a task without dependencies lacks a parameter', () => {
      const graph = aGraph(aTask('a', [], { prompt: '${topic} ${tone}' }));
      expect(thrown(() => start(graph, { topic: 'tea' }))).toStrictEqual({
        code: 'InvalidInput',
        message:
          "task 'a' of 'review' cannot start: the prompt needs the parameter 'tone': it has no dependencies, and the session has no such key",
      });
    });

    it.each([
      [
        '${tone}',
        "the prompt needs the parameter 'tone': neither the JSON reply of a nor the session has this key",
      ],
      [
        '${a.structured.tone}',
        "The prompt uses ${a.structured.tone}, which has no value: the JSON reply of task 'a' has no such field.",
      ],
    ])('fails the task that lacks %s when its dependencies are done', (prompt, reason) => {
      const graph = aGraph(
        aTask('a'),
        aTask('b', ['a'], { prompt, maxRetries: 3 }),
        aTask('c', ['b']),
        aTask('d', ['a']),
      );
      const plan = start(graph);
      complete(plan, 'a', aResult('A'));
      expect([readyKeys(plan), plan.toStart]).toStrictEqual([['d'], 1]);
      complete(plan, 'd', aResult('D'));
      expect(plan.outcome).toMatchObject({
        code: 'InvalidInput',
        message: expect.stringContaining(`Task 'b' failed: InvalidInput: ${reason}`),
        details: { failed: ['b'], ran: ['a', 'd'], notStarted: ['c'] },
      });
    });
  });

  describe('failures', () => {
    it('runs a failed task again with the same input and session', () => {
      const plan = start(aGraph(aTask('a', [], { maxRetries: 2 }), aTask('b')), { x: 0 });
      const first = plan.ready[0];
      fail(plan, 'a');
      complete(plan, 'b', aResult('B', { x: 1 }));
      expect(plan.ready).toStrictEqual([{ ...first, key: 'a.2' }]);
      fail(plan, 'a.2');
      expect(plan.ready).toStrictEqual([{ ...first, key: 'a.3' }]);
      expect(plan.toStart).toBe(1);
      complete(plan, 'a.3', aResult('A'));
      expect(plan.outcome?.kind).toBe('complete');
    });

    it('gives a retry a key no task has', () => {
      const plan = start(aGraph(aTask('a', [], { maxRetries: 1 }), aTask('a.2')));
      fail(plan, 'a');
      expect(readyKeys(plan)).toStrictEqual(['a.2', 'a:2']);
    });

    it.each<ErrorCode>([
      'CircularAgentCall',
      'DisallowedAgentCall',
      'DepthExceeded',
      'BudgetExceeded',
      'RunCancelled',
      'InvalidInput',
    ])('never retries %s', (code) => {
      const plan = start(aGraph(aTask('a', [], { maxRetries: 2 })));
      plan.take('a');
      plan.failed('a', { code, message: 'no' });
      expect(plan.outcome).toStrictEqual({
        kind: 'failed',
        code,
        message: `Task 'a' failed: ${code}: no. No task ran to its end.`,
        details: { failed: ['a'], ran: [], notStarted: [] },
      });
    });

    it('keeps the details that belong to the code of the failure, and what became of the tasks', () => {
      const plan = start(aGraph(aTask('a'), aTask('b', ['a'])));
      plan.take('a');
      const details = { kind: 'rejected', status: 400, provider: 'openai', failed: ['theirs'] };
      plan.failed('a', { code: 'ProviderError', message: 'bad', details });
      expect(plan.outcome).toMatchObject({
        code: 'ProviderError',
        details: {
          kind: 'rejected',
          status: 400,
          provider: 'openai',
          failed: ['a'],
          ran: [],
          notStarted: ['b'],
        },
      });
    });

    it('keeps no details that there is no room for', () => {
      const plan = start(aGraph(aTask('a')));
      plan.take('a');
      const details = { kind: 'rejected', body: 'x'.repeat(2_000) };
      plan.failed('a', { code: 'ProviderError', message: 'bad', details });
      expect(plan.outcome).toMatchObject({ details: { kind: 'rejected', failed: ['a'] } });
      expect(JSON.stringify(plan.outcome)).not.toContain('xxx');
    });

    it('fails once the independent tasks have finished', () => {
      const plan = start(
        aGraph(aTask('a'), aTask('b', ['a']), aTask('c', ['b']), aTask('d'), aTask('e', ['d'])),
        { x: 0 },
      );
      fail(plan, 'a');
      expect([plan.outcome, plan.cancelsRest, plan.toStart]).toStrictEqual([undefined, false, 1]);
      complete(plan, 'd', aResult('D', { x: 1 }));
      plan.take('e');
      plan.failed('e', { message: 'lost' });
      expect(seen(plan)).toStrictEqual({
        ready: [],
        toStart: 0,
        outcome: {
          kind: 'failed',
          code: 'ToolError',
          message:
            "Task 'a' failed: ToolError: it broke. Failed, too: e. Ran: d. Not started: b, c.",
          details: { failed: ['a', 'e'], ran: ['d'], notStarted: ['b', 'c'] },
        },
        cancelsRest: false,
        session: { x: 1 },
      });
    });

    it('fails as an internal error when the failure is not one of ours', () => {
      const plan = start(aGraph(aTask('a')));
      plan.take('a');
      plan.failed('a', { message: 'lost' });
      expect(plan.outcome).toMatchObject({ kind: 'failed', code: 'InternalError' });
    });

    it('names what there is room for', () => {
      const rest = Array.from({ length: 500 }, (_, index) => aTask(`task-${index}`, ['first']));
      const plan = start(aGraph(aTask('first'), ...rest));
      fail(plan, 'first', 'ä'.repeat(4_000));
      const { message, details } = plan.outcome as unknown as { message: string; details: object };
      expect(message).toMatch(/Not started: task-0, .*, and \d+ more\.$/);
      expect(utf8Length(message)).toBeLessThanOrEqual(2_048);
      expect(utf8Length(JSON.stringify(details))).toBeLessThanOrEqual(2_048);
    });
  });

  it('goes on from what was stored', () => {
    const graph = aGraph(
      aTask('z', ['b', 'c'], { prompt: '${b.output} ${c.structured.score} ${x}' }),
      aTask('a'),
      aTask('b', ['a']),
      aTask('c', ['a'], { maxRetries: 1 }),
      aTask('lone', [], { prompt: '${x}' }),
      aTask('lost', ['d']),
      aTask('d'),
    );
    const plan = start(graph, { x: 0 });
    complete(plan, 'a', aResult('A', { x: 1 }, { warnings: ['slow'] }));
    fail(plan, 'c');
    complete(plan, 'b', aResult('B', { x: 2 }));
    fail(plan, 'd');
    const again = restored(graph, plan);
    expect(seen(again)).toStrictEqual(seen(plan));
    expect(again.ready.map(({ key, session }) => [key, session])).toStrictEqual([
      ['lone', { x: 0 }],
      ['c.2', { x: 1 }],
    ]);
    for (const one of [plan, again]) {
      complete(one, 'c.2', aResult('{"score":7}', { x: 3 }));
      expect(inputOf(one, 'z')).toBe('B 7 3');
      complete(one, 'lone', aResult('alone'));
      complete(one, 'z', aResult('Z'));
    }
    expect(seen(again)).toStrictEqual(seen(plan));
    expect(seen(restored(graph, plan))).toStrictEqual(seen(plan));
    expect(plan.outcome?.kind).toBe('failed');
  });

  it('keeps only what is still needed when it is stored', () => {
    const graph = aGraph(aTask('a'), aTask('b', ['a']), aTask('c', ['b']));
    const plan = start(graph);
    complete(plan, 'a', aResult('a long text'));
    expect(JSON.stringify(plan)).toContain('a long text');
    complete(plan, 'b', aResult('B'));
    expect(JSON.stringify(plan)).not.toContain('"text":"a long text"');
  });

  it.each([
    ['no tasks', aGraph(), "graph 'review' has no tasks"],
    [
      'unknown tasks to wait for',
      aGraph(aTask('a', ['b'])),
      "task 'a' of 'review' waits for 'b', which is no task",
    ],
  ])('refuses to start with %s', (_, graph, message) => {
    expect(thrown(() => start(graph))).toStrictEqual({ code: 'InvalidInput', message });
  });

  it('ends where tasks wait for each other', () => {
    const plan = start(aGraph(aTask('a'), aTask('b', ['c']), aTask('c', ['b'])));
    complete(plan, 'a', aResult('A'));
    expect(plan.outcome).toStrictEqual({
      kind: 'failed',
      code: 'InternalError',
      message: "Tasks of 'review' wait for each other: b, c",
    });
  });
});
