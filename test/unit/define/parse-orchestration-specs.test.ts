// Pure: no server.
import type { Json } from '../../../src';
import { limits } from '../../../src/protocol/limits';
import { parseRunnerSpec, tryParseRunnerSpec } from '../../../src/define/parse-spec';

const model = { provider: 'openai', model: 'gpt-5-mini' };
const worker = { kind: 'agent', id: 'worker', model } as const;

const sequential = {
  kind: 'sequential',
  id: 'pipeline',
  description: 'All of it',
  sessionPrecedence: 'store',
  budget: { maxTokens: 9, onExceeded: 'fail' },
  passOutput: 'combined',
  steps: ['registered', worker],
};
const parallel = {
  kind: 'parallel',
  id: 'review',
  branches: [worker, 'registered', worker],
  merge: 'first',
  cancelRest: true,
  concurrency: 2,
};
const graph = {
  kind: 'graph',
  id: 'invoice',
  tasks: [
    { id: 'first', runner: worker, prompt: '${z} ${a} ${input}', maxRetries: 0 },
    {
      id: 'second',
      runner: 'registered',
      dependencies: ['first'],
      prompt: '${first.output} ${first.structured.x} ${a}',
    },
  ],
  params: ['a', 'z'],
};
const caller = (runner: Json): Json => ({
  ...worker,
  id: 'caller',
  subAgents: [{ name: 'call', description: 'Calls', runner }],
});
const nested = {
  kind: 'sequential',
  id: 'nested',
  steps: [
    parallel,
    caller(graph),
    { kind: 'graph', id: 'g', tasks: [{ id: 't', runner: sequential }] },
  ],
};

/** As many sequentials around an agent. */
function levels(count: number): Json {
  let spec: Json = worker;
  for (let level = 0; level < count; level += 1) {
    spec = { kind: 'sequential', id: `level-${level}`, steps: [spec] };
  }
  return spec;
}

describe('parseRunnerSpec', () => {
  it.each<[string, Json]>([
    ['a sequential', sequential],
    ['a parallel', parallel],
    ['a graph', graph],
    ['runners in runners', nested],
    ['as many levels as runs may have', levels(limits.depth)],
  ])('takes %s as it is, frozen', (_name, spec) => {
    const parsed = parseRunnerSpec(spec);
    expect(parsed).toStrictEqual(spec);
    expect(Object.isFrozen(parsed)).toBe(true);
  });

  it('derives the params of a graph at any depth', () => {
    const { params, ...written } = graph;
    expect(
      parseRunnerSpec({ kind: 'sequential', id: 's', steps: [caller(written)] }),
    ).toMatchObject({
      steps: [{ subAgents: [{ runner: { params } }] }],
    });
  });

  it('takes models as text at any depth', () => {
    const context = { model: 'google/gemini' };
    const step = { ...worker, model: 'openai/gpt-5-mini', context };
    expect(parseRunnerSpec({ ...sequential, steps: [step] })).toMatchObject({
      steps: [{ model, context: { model: { provider: 'google', model: 'gemini' } } }],
    });
  });

  it('lists what is wrong at every depth, with its place', () => {
    const branches = [worker, 5, { ...worker, maxTurns: 0 }];
    const tasks = [{ id: 'a', agent: 'x', runner: { kind: 'agent', id: 'y', model: 'gpt' } }];
    const steps = [
      { ...parallel, branches },
      caller({ kind: 'graph', id: 'g', tasks }),
      { id: 'b' },
    ];
    expect(tryParseRunnerSpec({ ...sequential, steps, passOutput: 'all' })).toEqual({
      ok: false,
      problems: [
        { path: 'passOutput', message: "must be one of true, false, 'combined', not 'all'" },
        {
          path: 'steps[0].branches[1]',
          message: 'must be the id of a runner, or its spec, not 5',
        },
        {
          path: 'steps[0].branches[2].maxTurns',
          message: 'must be a whole number of at least 1, not 0',
        },
        {
          path: 'steps[1].subAgents[0].runner.tasks[0].runner.model',
          message:
            "must be 'provider/model', such as 'openai/gpt-6.1-terra', or {provider, model}, not 'gpt'",
        },
        { path: 'steps[1].subAgents[0].runner.tasks[0].agent', message: 'is not known' },
        {
          path: 'steps[2].kind',
          message: "is required: one of 'agent', 'sequential', 'parallel', 'graph'",
        },
      ],
    });
  });

  it.each<[string, Json, string, string]>([
    ['no steps', { ...sequential, steps: [] }, 'steps', 'must not be empty'],
    [
      'steps that are missing',
      { kind: 'sequential', id: 's' },
      'steps',
      'is required: an array of runners',
    ],
    ['no branches', { ...parallel, branches: [] }, 'branches', 'must not be empty'],
    ['no tasks', { ...graph, tasks: [] }, 'tasks', 'must not be empty'],
    [
      'another merge',
      { ...parallel, merge: 'last' },
      'merge',
      "must be one of 'collect_all', 'first', not 'last'",
    ],
    [
      'a budget of nothing',
      { ...parallel, budget: {} },
      'budget',
      'must have maxTokens, maxCostUsd or both',
    ],
    [
      'params that are not used',
      { ...graph, params: ['a', 'b', 'z'] },
      'params',
      "must be the plain names the prompts use: 'a', 'z'",
    ],
    [
      'params run together',
      { ...graph, params: ['a,z'] },
      'params',
      "must be the plain names the prompts use: 'a', 'z'",
    ],
    [
      'a windowed memory without turns',
      { ...worker, memory: { kind: 'windowed' } },
      'memory.turns',
      'is required: a whole number of turns, 0 or more',
    ],
    [
      'a full memory with turns',
      { ...worker, memory: { kind: 'full', turns: 3 } },
      'memory.turns',
      "is only for kind 'windowed': kind 'full' gives all turns; leave it out or change the kind",
    ],
    [
      'fewer than no turns',
      { ...worker, memory: { kind: 'windowed', turns: -1 } },
      'memory.turns',
      'must be a whole number of turns, 0 or more, not -1',
    ],
    [
      'a context too small',
      { ...worker, context: { window: 999 } },
      'context.window',
      'must be a whole number of at least 1000, not 999',
    ],
    [
      'a share of nothing',
      { ...worker, context: { compactAt: 0 } },
      'context.compactAt',
      'must be a number above 0 and at most 1, not 0',
    ],
    [
      'more than a whole',
      { ...worker, context: { compactAt: 1.1 } },
      'context.compactAt',
      'must be a number above 0 and at most 1, not 1.1',
    ],
    [
      'no turn kept',
      { ...worker, context: { keepTurns: 0 } },
      'context.keepTurns',
      'must be a whole number of at least 1, not 0',
    ],
    [
      'results cleared in another way',
      { ...worker, context: { clearResults: true } },
      'context.clearResults',
      'must be false or {olderThan, over}, not true',
    ],
    [
      'a size in an unknown unit',
      { ...worker, context: { clearResults: { over: '4 pages' } } },
      'context.clearResults.over',
      "must be a size such as '4 KiB' or '1 MiB', or a whole number of bytes, not '4 pages'",
    ],
    [
      'a size that is no longer than the note',
      { ...worker, context: { clearResults: { over: '255 bytes' } } },
      'context.clearResults.over',
      "must be at least 256 bytes, not '255 bytes'",
    ],
    [
      'one level too many',
      levels(limits.depth + 1),
      Array(limits.depth + 1)
        .fill('steps[0]')
        .join('.'),
      'is nested deeper than the 20 levels runs may have',
    ],
  ])('refuses %s', (_name, spec, path, message) => {
    expect(tryParseRunnerSpec(spec)).toEqual({ ok: false, problems: [{ path, message }] });
  });
});
