// Pure: no server.
import { graph, parallel, sequential, subAgent, type Agent, type Runner } from '../../../src';
import { limits } from '../../../src/protocol/limits';
import { createRegistry } from '../../../src/define/registry';
import { anAgent, aTool, refusalOf } from './builders';

const search = aTool('search');
const worker = anAgent({ id: 'worker', tools: [search] });
const row = (id: string, ...steps: (Runner | string)[]) => sequential({ id, steps });
const caller = (id: string, runner: Runner): Agent =>
  anAgent({ id, tools: [subAgent(runner, { name: 'call', description: 'Calls' })] });
const tasks = (id: string, runner: Runner | string) => graph({ id, tasks: [{ id: 't', runner }] });

/** As many sequentials around a runner. */
function levels(count: number, innermost: Runner | string, name = 'level'): Runner {
  const first = row(`${name}-0`, innermost);
  return Array.from({ length: count - 1 }).reduce<Runner>(
    (inner, _, index) => row(`${name}-${index + 1}`, inner),
    first,
  );
}

describe('circles', () => {
  it.each<[string, () => unknown, string]>([
    ['a sequential of itself', () => row('a', 'a'), 'a → a'],
    ['a parallel of itself', () => parallel({ id: 'a', branches: ['b', 'a'] }), 'a → a'],
    ['a graph of itself', () => tasks('a', 'a'), 'a → a'],
    ['a runner inside another', () => row('a', worker, row('b', tasks('c', 'a'))), 'a → b → c → a'],
    [
      'an agent that calls what contains it',
      () => caller('boss', row('a', 'x', 'boss')),
      'boss → a → boss',
    ],
    [
      'an orchestration of an agent that calls it',
      () => row('a', caller('boss', row('b', 'a'))),
      'a → boss → b → a',
    ],
  ])('are refused when defined: %s', (_name, define, path) => {
    expect(refusalOf(define)).toBe(
      `CircularAgentCall: Runners call each other in a circle: ${path}.`,
    );
  });

  it.each<[string, Runner[], string]>([
    ['through two ids', [row('a', 'b'), row('b', 'a')], 'a → b → a'],
    ['below the first', [row('top', 'a'), row('a', worker, 'b'), tasks('b', 'a')], 'a → b → a'],
    ['through an agent', [caller('boss', row('a', 'b')), row('b', 'boss')], 'boss → a → b → boss'],
    [
      'inside a shared runner',
      [row('top', row('x', row('s', 'y')), row('y', 's'))],
      'top → x → s → y → s',
    ],
  ])('are refused when registered: %s', (_name, runners, path) => {
    const circle = path.startsWith('top') ? path.slice(path.indexOf('s →')) : path;
    expect(refusalOf(() => createRegistry({ runners }))).toBe(
      `CircularAgentCall: Runners call each other in a circle: ${circle}.`,
    );
  });

  it('are refused in a spec from outside', () => {
    const registry = createRegistry({ runners: [row('known', worker)] });
    const spec = { kind: 'sequential', id: 'worker', steps: ['known'] } as const;
    expect(refusalOf(() => registry.definition(spec))).toBe(
      'CircularAgentCall: Runners call each other in a circle: worker → known → worker.',
    );
  });
});

describe('depth', () => {
  const tooDeep = `nests runners more than ${limits.depth} levels deep: make fewer levels.`;

  it('is taken as far as runs go', () => {
    const deepest = levels(limits.depth, worker);
    const { runners } = createRegistry({ runners: [deepest] }).definition(deepest.id);
    expect(Object.keys(runners)).toHaveLength(limits.depth + 1);
  });

  it('is refused beyond when defined', () => {
    expect(refusalOf(() => levels(limits.depth + 1, worker))).toBe(
      `DepthExceeded: Sequential 'level-20' ${tooDeep}`,
    );
    expect(refusalOf(() => caller('boss', levels(limits.depth, worker)))).toBe(
      `DepthExceeded: Agent 'boss' ${tooDeep}`,
    );
  });

  it('is refused beyond when registered, through ids', () => {
    const runners = [levels(12, 'low-11', 'high'), levels(12, worker, 'low')];
    expect(refusalOf(() => createRegistry({ runners }))).toBe(
      `DepthExceeded: Sequential 'high-11' ${tooDeep}`,
    );
  });

  it('counts the longest way where a runner is reached twice', () => {
    const low = levels(12, worker, 'low');
    const runners = [
      parallel({ id: 'top', branches: ['low-11', levels(10, 'low-11', 'high')] }),
      low,
    ];
    expect(refusalOf(() => createRegistry({ runners }))).toBe(
      `DepthExceeded: Parallel 'top' ${tooDeep}`,
    );
  });

  it('costs no more for a runner that stands in many places', () => {
    let runner: Runner = worker;
    for (let level = 0; level < limits.depth; level += 1) {
      runner = parallel({ id: `p${level}`, branches: Array<Runner>(10).fill(runner) });
    }
    const registry = createRegistry({ runners: [runner] });
    expect(registry.runners.names()).toHaveLength(limits.depth + 1);
  });
});

describe('registration at any depth', () => {
  const fetch = aTool('fetch');
  const helper = anAgent({ id: 'helper', tools: [fetch] });
  const boss = caller('boss', parallel({ id: 'both', branches: [worker, helper, worker] }));
  const top = row('top', tasks('graph', boss), 'other');
  const other = row('other', worker);

  it('knows every runner below, and the code of all agents', () => {
    const registry = createRegistry({ runners: [top, other] });
    expect(registry.runners.names()).toEqual([
      'top',
      'graph',
      'boss',
      'both',
      'worker',
      'helper',
      'other',
    ]);
    expect(registry.tools.names()).toEqual(['search', 'fetch']);
    expect(registry.runners.get('both')?.kind).toBe('parallel');
  });

  it('closes over all of it, by id', () => {
    expect(createRegistry({ runners: [top, other] }).definition('top')).toEqual({
      format: 1,
      runner: 'top',
      runners: {
        top: { kind: 'sequential', id: 'top', steps: ['graph', 'other'] },
        graph: { kind: 'graph', id: 'graph', tasks: [{ id: 't', runner: 'boss' }] },
        boss: {
          ...boss.spec,
          subAgents: [{ name: 'call', description: 'Calls', runner: 'both' }],
        },
        both: { kind: 'parallel', id: 'both', branches: ['worker', 'helper', 'worker'] },
        worker: worker.spec,
        helper: helper.spec,
        other: { kind: 'sequential', id: 'other', steps: ['worker'] },
      },
      tools: { search: search.spec, fetch: fetch.spec },
    });
  });

  it.each<[string, Runner[], string]>([
    [
      'a runner nobody registered',
      [row('top', 'wrker', worker)],
      "Sequential 'top' uses the runner 'wrker', which is not registered here; did you mean 'worker'? Registered runners: top, worker.",
    ],
    [
      'another runner of one id below',
      [row('top', worker), row('x', anAgent({ id: 'worker' }))],
      "The registry: sequential 'x' (which calls 'worker') has another runner 'worker' than sequential 'top' (which calls 'worker'): rename one",
    ],
  ])('refuses %s', (_name, runners, message) => {
    expect(refusalOf(() => createRegistry({ runners }))).toBe(`SpecError: ${message}`);
  });

  it.each([
    [
      'two inline runners of one id',
      [{ ...worker.spec, tools: [] }, worker.spec],
      "Two different runners have the id 'worker': rename one.",
    ],
    [
      'two of one id further down',
      [
        { kind: 'sequential', id: 's', steps: [worker.spec] },
        {
          kind: 'parallel',
          id: 'p',
          branches: [{ kind: 'sequential', id: 's', steps: [{ ...worker.spec, maxTurns: 9 }] }],
        },
      ],
      "Two different runners have the id 'worker': rename one.",
    ],
    [
      'a spec too large',
      Array.from({ length: 30 }, (_, index) => ({
        kind: 'agent',
        id: `a${index}`,
        model: 'a/b',
        instructions: 'x'.repeat(20_000),
      })),
      "Sequential 'top' is 589 KiB with its runners and their tools; a definition may have 512 KiB: shorten their instructions and prompts, or the schemas of the tools.",
    ],
  ])('refuses %s', (_name, steps, message) => {
    const registry = createRegistry({ tools: [search] });
    expect(
      refusalOf(() => registry.definition({ kind: 'sequential', id: 'top', steps } as never)),
    ).toBe(`SpecError: ${message}`);
  });
});
