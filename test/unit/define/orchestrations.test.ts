// Pure: no server.
import { parallel, sequential, subAgent } from '../../../src';
import { anAgent, refusalOf } from './builders';

const writer = anAgent({ id: 'writer' });
const editor = anAgent({ id: 'editor' });
const idRule = "1 to 100 letters, digits, '.', '_' or '-', starting with a letter or digit";
const runnerRule =
  'must be a runner (from defineAgent, sequential, parallel or graph) or the id of one';

describe('sequential', () => {
  it('keeps only what was given in the data', () => {
    expect(sequential({ id: 'article', steps: [writer, 'registered', editor, writer] })).toEqual({
      kind: 'sequential',
      id: 'article',
      spec: {
        kind: 'sequential',
        id: 'article',
        steps: [writer.spec, 'registered', editor.spec, writer.spec],
      },
      runners: [writer, editor],
    });
  });

  it('writes every option into the data', () => {
    const options = {
      id: 'article',
      description: 'Writes',
      passOutput: 'combined',
      budget: { maxTokens: 100 },
      sessionPrecedence: 'store',
    } as const;
    expect(sequential({ ...options, steps: ['a'] }).spec).toEqual({
      kind: 'sequential',
      ...options,
      steps: ['a'],
    });
  });

  it('is immutable and keeps no hand on what it was given', () => {
    const steps = [writer];
    const budget = { maxTokens: 1 };
    const article = sequential({ id: 'article', steps, budget });
    steps.push(editor);
    expect(article.spec.steps).toEqual([writer.spec]);
    expect(Object.isFrozen(budget)).toBe(false);
    expect(() => Object.assign(article, { id: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(article.spec.steps, { 0: 'x' })).toThrow(TypeError);
    expect(() => Object.assign(article.runners, { 0: 'x' })).toThrow(TypeError);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no steps', { steps: [] }, 'steps must not be empty'],
    ['steps that are missing', { steps: undefined }, 'steps is required: an array of runners'],
    ['one step', { steps: writer }, 'steps must be an array of runners, not an object'],
    ['a step that is none', { steps: [writer, {}] }, `steps[1] ${runnerRule}, not an object`],
    ['a spec as a step', { steps: [writer.spec] }, `steps[0] ${runnerRule}, not an object`],
    [
      'a tool as a step',
      { steps: [subAgent(writer, { name: 'w', description: 'x' })] },
      `steps[0] ${runnerRule}, not an object`,
    ],
    ['an id that is none', { steps: ['a b'] }, `steps[0] must be ${idRule}, not 'a b'`],
    [
      'another way to pass outputs',
      { passOutput: 'last' },
      "passOutput must be one of true, false, 'combined', not 'last'",
    ],
    ['an option of a near name', { step: [] }, "step is not known; did you mean 'steps'?"],
    ['a budget of nothing', { budget: {} }, 'budget must have maxTokens, maxCostUsd or both'],
  ])('refuses %s', (_name, options, problem) => {
    const define = () => sequential({ id: 'article', steps: [writer], ...options });
    expect(refusalOf(define)).toBe(`SpecError: Sequential 'article': ${problem}`);
  });

  it('lists all that is wrong', () => {
    const options = { steps: [5], passOutput: 1, merge: 'first' };
    expect(refusalOf(() => sequential(options as never))).toBe(
      [
        'SpecError: A sequential has 4 problems:',
        `- id is required: ${idRule}`,
        "- passOutput must be one of true, false, 'combined', not 1",
        `- steps[0] ${runnerRule}, not 5`,
        '- merge is not known',
      ].join('\n'),
    );
  });
});

describe('parallel', () => {
  it('writes every option into the data', () => {
    const options = {
      id: 'review',
      description: 'Reviews',
      merge: 'first',
      cancelRest: true,
      concurrency: 3,
      budget: { maxCostUsd: 1 },
      sessionPrecedence: 'caller',
    } as const;
    const inner = sequential({ id: 'inner', steps: [writer] });
    expect(parallel({ ...options, branches: [inner, editor] })).toEqual({
      kind: 'parallel',
      id: 'review',
      spec: { kind: 'parallel', ...options, branches: [inner.spec, editor.spec] },
      runners: [inner, editor],
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no branches', { branches: [] }, 'branches must not be empty'],
    ['another merge', { merge: 'all' }, "merge must be one of 'collect_all', 'first', not 'all'"],
    [
      'nothing at a time',
      { concurrency: 0 },
      'concurrency must be a whole number of at least 1, not 0',
    ],
    [
      'a rest that is never cancelled',
      { cancelRest: true },
      "cancelRest has no effect unless merge is 'first'",
    ],
    ['steps', { steps: [] }, 'steps is not known'],
  ])('refuses %s', (_name, options, problem) => {
    const define = () => parallel({ id: 'review', branches: [writer], ...options });
    expect(refusalOf(define)).toBe(`SpecError: Parallel 'review': ${problem}`);
  });
});

describe('subAgent', () => {
  it('takes any runner', () => {
    const review = parallel({ id: 'review', branches: [writer] });
    const manager = anAgent({
      tools: [subAgent(review, { name: 'review', description: 'Reviews' })],
    });
    expect(manager.spec.subAgents).toEqual([
      { name: 'review', description: 'Reviews', runner: review.spec },
    ]);
  });

  it('refuses what is no runner', () => {
    const define = () => subAgent('review' as never, { name: 'review', description: 'Reviews' });
    expect(refusalOf(define)).toBe(
      "SpecError: Sub-agent 'review': runner must come from defineAgent, sequential, parallel or graph, not be 'review'",
    );
  });
});
