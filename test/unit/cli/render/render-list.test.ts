// Pure: no server.
import type { RunSummary } from '../../../../src/client';
import { age } from '../../../../src/base/duration';
import { renderList } from '../../../../src/cli/render/render-list';
import { createStyle } from '../../../../src/cli/render/text';
import { aQuestion } from '../builders';

const run = (fields: Partial<RunSummary>): RunSummary => ({
  workflowId: 'planner-1',
  runId: 'e1',
  agent: 'planner',
  status: 'completed',
  startTime: '2026-01-01T00:00:00.000Z',
  pending: [],
  ...fields,
});

const now = new Date('2026-01-01T02:30:00.000Z');

describe('renderList', () => {
  it('aligns the columns and cuts no question', () => {
    const pending = [aQuestion({ question: 'Which\ncity is \u001b[31mmeant, after all?' })];
    const runs = [run({}), run({ workflowId: 'a', agent: '漢', status: 'needs-input', pending })];
    expect(renderList(runs, { style: createStyle(false), now })).toEqual([
      'RUN        AGENT    STATUS       AGE  WAITS FOR',
      'planner-1  planner  completed    2 h',
      'a          漢       needs-input  2 h  Which city is meant, after all?',
    ]);
  });

  it('fits a terminal: the question stands below its run, and is whole', () => {
    const question = 'May refund run? {"order": "1002", "reason": "it came too late, and broken"}';
    const pending = [aQuestion({ question })];
    const lines = renderList([run({ status: 'needs-input', pending }), run({})], {
      style: createStyle(false),
      now,
      columns: 60,
    });
    expect(lines).toEqual([
      'RUN        AGENT    STATUS       AGE',
      'planner-1  planner  needs-input  2 h',
      '  May refund run? {"order": "1002", "reason": "it came too',
      '  late, and broken"}',
      'planner-1  planner  completed    2 h',
    ]);
  });

  it('keeps ids whole where not even they fit', () => {
    const workflowId = `thread:shop/ada/${'s'.repeat(20)}`;
    const lines = renderList([run({ workflowId })], {
      style: createStyle(false),
      now,
      columns: 40,
    });
    expect(lines).toEqual(['RUN  AGENT  STATUS  AGE', workflowId, '  planner  completed  2 h']);
  });

  it('prints nothing for nothing', () => {
    expect(renderList([], { style: createStyle(false), now })).toEqual([]);
  });
});

describe('age', () => {
  it.each([
    [0, '0 s'],
    [59, '59 s'],
    [61, '1 min'],
    [7_200, '2 h'],
    [200_000, '2 d'],
    [-5, '0 s'],
  ])('names %i seconds %s', (seconds, expected) => {
    expect(age(new Date(now.getTime() - seconds * 1_000), now)).toBe(expected);
  });
});
