// Pure: no server.
import { graph, type GraphTask } from '../../../src';
import { anAgent, refusalOf } from './builders';

const worker = anAgent({ id: 'worker' });
const task = (id: string, options: Partial<GraphTask> = {}): GraphTask => ({
  id,
  runner: worker,
  ...options,
});
const after = (id: string, ...dependencies: string[]): GraphTask => task(id, { dependencies });

describe('graph', () => {
  it('writes every option into the data, with the params of its prompts', () => {
    const options = {
      id: 'invoice',
      description: 'Checks an invoice',
      budget: { maxTokens: 1 },
      sessionPrecedence: 'store',
    } as const;
    const totals = { id: 'totals', prompt: 'Invoice ${no}: ${input}', maxRetries: 2 };
    const grade = {
      id: 'grade.v2',
      dependencies: ['totals'],
      prompt: '{"is": "${totals.structured.sum.net}"} $${no} ${by} ${no}',
    };
    const last = { id: 'last', dependencies: ['grade.v2'], prompt: '${totals.output}' };
    const tasks = [
      { runner: worker, ...totals },
      { runner: 'registered', ...grade },
      { runner: worker, ...last },
    ];
    expect(graph({ ...options, tasks })).toEqual({
      kind: 'graph',
      id: 'invoice',
      spec: {
        kind: 'graph',
        ...options,
        tasks: [
          { runner: worker.spec, ...totals },
          { runner: 'registered', ...grade },
          { runner: worker.spec, ...last },
        ],
        params: ['by', 'no'],
      },
      runners: [worker],
    });
  });

  it('keeps only what was given in the data', () => {
    const { spec } = graph({ id: 'g', tasks: [task('a')] });
    expect(spec).toEqual({ kind: 'graph', id: 'g', tasks: [{ id: 'a', runner: worker.spec }] });
    expect(Object.isFrozen(spec.tasks[0])).toBe(true);
  });

  it('takes a thousand tasks in a row', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `t${index}`);
    const tasks = ids.map((id, index) => after(id, ...ids.slice(Math.max(0, index - 1), index)));
    expect(graph({ id: 'g', tasks: tasks.reverse() }).spec.tasks).toHaveLength(1000);
  });

  const prompted = (prompt: string): GraphTask[] => [
    task('first'),
    task('second', { prompt, dependencies: ['first'] }),
    task('third'),
  ];

  it.each<[string, unknown, string]>([
    ['no tasks', [], 'tasks must not be empty'],
    ['tasks that are missing', undefined, 'tasks is required: an array of tasks'],
    ['tasks by name', { a: worker }, 'tasks must be an array of tasks, not an object'],
    [
      'a runner as a task',
      [worker, task('b')],
      'tasks[0] must be {id, runner}, not the runner itself',
    ],
    ['no task', [null], 'tasks[0] must be an object, not null'],
    [
      'an agent that is not called runner',
      [{ id: 'a', runner: worker, agent: worker }],
      'tasks[0].agent is not known',
    ],
    ['an unknown option', [{ ...task('a'), depends: [] }], 'tasks[0].depends is not known'],
    [
      'a near option',
      [{ ...task('a'), dependencys: [] }],
      "tasks[0].dependencys is not known; did you mean 'dependencies'?",
    ],
    [
      'a runner that is none',
      [task('a', { runner: {} as never })],
      'tasks[0].runner must be a runner (from defineAgent, sequential, parallel or graph) or the id of one, not an object',
    ],
    [
      'an id twice',
      [task('a'), task('b'), task('a')],
      "tasks[2].id must not be 'a': tasks[0] has that id, too",
    ],
    [
      'an empty prompt',
      [task('a', { prompt: '' })],
      'tasks[0].prompt must be a text that is not empty, not an empty string',
    ],
    [
      'retries in parts',
      [task('a', { maxRetries: 0.5 })],
      'tasks[0].maxRetries must be a whole number of at least 0, not 0.5',
    ],
    [
      'a task that waits for itself',
      [after('a', 'a')],
      'tasks[0].dependencies[0] must not be the task itself',
    ],
    [
      'an unknown dependency',
      [task('totals'), after('b', 'total')],
      "tasks[1].dependencies[0] must be a task of the graph, not 'total'; did you mean 'totals'?",
    ],
    [
      'a dependency twice',
      [task('a'), after('b', 'a', 'a')],
      "tasks[1].dependencies[1] lists 'a' a second time",
    ],
    [
      'two that wait for each other',
      [task('x'), after('a', 'b', 'x'), after('b', 'a')],
      'tasks depend on each other in a circle: a → b → a',
    ],
    [
      'a circle that others lead to',
      [after('in', 'a'), after('a', 'b'), after('b', 'c'), after('c', 'a')],
      'tasks depend on each other in a circle: a → b → c → a',
    ],
    [
      'a reference to an unknown task',
      prompted('${frst.output}'),
      "tasks[1].prompt refers to the unknown task 'frst' in '${frst.output}'; did you mean 'first'?",
    ],
    [
      'a reference to a task it does not wait for',
      prompted('${third.output}'),
      "tasks[1].prompt refers to task 'third', on which it does not depend: add it to dependencies",
    ],
    [
      'a reference to its own result',
      prompted('${second.output}'),
      "tasks[1].prompt refers to the task's own result",
    ],
    [
      'a malformed reference',
      prompted('${first.text}'),
      "tasks[1].prompt holds '${first.text}', which is none of ${input}, ${task.output}, ${task.structured.field} and ${name}; a literal '${' is written '$${'",
    ],
    [
      'a reference without end',
      prompted('so ${first'),
      "tasks[1].prompt has no '}' for '${first'; a literal '${' is written '$${'",
    ],
  ])('refuses %s', (_name, tasks, problem) => {
    expect(refusalOf(() => graph({ id: 'g', tasks: tasks as GraphTask[] }))).toBe(
      `SpecError: Graph 'g': ${problem}`,
    );
  });

  it('lists all that is wrong, each task by itself', () => {
    const tasks = [{ id: 'a', runner: worker, retries: 1, prompt: '' }, after('b', 'b'), {}];
    expect(refusalOf(() => graph({ id: 'g', tasks: tasks as GraphTask[] }))).toBe(
      [
        "SpecError: Graph 'g' has 4 problems:",
        '- tasks[0].prompt must be a text that is not empty, not an empty string',
        "- tasks[0].retries is not known; did you mean 'maxRetries'?",
        "- tasks[2].id is required: 1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit",
        '- tasks[2].runner is required: a runner (from defineAgent, sequential, parallel or graph) or the id of one',
      ].join('\n'),
    );
  });
});
