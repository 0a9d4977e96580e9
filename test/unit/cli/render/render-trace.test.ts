// Pure: no server.
import type { RunTrace, TraceStep } from '../../../../src/client';
import { formatMs, renderTrace } from '../../../../src/cli/render/render-trace';
import { createStyle } from '../../../../src/cli/render/text';
import { usageOf } from '../builders';

const startedAt = '2026-01-01T00:00:00.000Z';
const spent = { ...usageOf(932), inputTokens: 812, outputTokens: 120, cacheReadTokens: 600 };
const call = { status: 'completed', startedAt, ms: 1_240, attempts: 1, attemptMs: 1_240 } as const;

const chat: TraceStep = {
  kind: 'chat',
  model: 'openai/gpt-5',
  turn: 1,
  ...call,
  attempts: 2,
  ms: 4_000,
  error: 'ProviderError: \u001b[31mdown',
  usage: spent,
  costUsd: 0.0031,
};

const aTrace = (
  segments: readonly (readonly TraceStep[])[],
  rest: Partial<RunTrace> = {},
): RunTrace => ({
  workflowId: 'r1',
  runner: 'helper',
  kind: 'agent',
  path: 'helper',
  status: 'completed',
  executions: 1,
  startedAt,
  ms: 5_000,
  pausedMs: 0,
  segments: segments.map((steps) => ({ startedAt, ms: 2_000, steps })),
  usage: spent,
  costUsd: 0.0031,
  gaps: [],
  ...rest,
});

const render = (trace: RunTrace): readonly string[] =>
  renderTrace(trace, { style: createStyle(false), width: 80 });

describe('renderTrace', () => {
  it('shows what is not as usual, and leaves out calls of stores that went well', () => {
    const steps: TraceStep[] = [
      { kind: 'work', name: 'loadDefinition', ...call, ms: 10 },
      chat,
      { kind: 'inline-tool', name: 'look_up' },
      { kind: 'tool', name: 'read', ...call, status: 'open', attempts: 0 },
    ];
    expect(render(aTrace([steps], { gaps: ['no key'], cut: 'events' }))).toEqual([
      'WHAT                 TIME    TOKENS   COST     NOTE',
      'helper               5.00 s  812→120  $0.0031  completed',
      '  no key',
      '  not read to the end: too many events',
      '  chat openai/gpt-5  1.24 s  812→120  $0.0031  2 attempts in 4.00 s · 600 cached',
      '    ProviderError: down',
      '  look_up                                      inline',
      '  read               1.24 s                    waits for a worker',
      '',
      'total: 1 run · 1 model call · 2 tool calls · 812→120 tokens · 600 cached · $0.0031',
    ]);
  });

  it('shows the segments of a run between its pauses', () => {
    const pause: TraceStep = {
      kind: 'pause',
      asks: 'approval',
      inputId: 'a1.0',
      question: 'May it?',
      startedAt,
      ms: 180_000_000,
      end: 'approved',
      by: 'ada',
    };
    const child = aTrace([], { path: 'helper/below', runner: 'other', executions: 2 });
    expect(render(aTrace([[pause], [{ kind: 'run', run: child }]])).slice(2, 7)).toEqual([
      '  segment 1        2.00 s',
      '  pause: approval  2 d 2 h                    approved · ada',
      '    May it?',
      '  segment 2        2.00 s',
      '    below (other)  5.00 s   812→120  $0.0031  completed · 2 executions',
    ]);
  });
});

it.each([
  [45, '45 ms'],
  [1_240, '1.24 s'],
  [12_340, '12.3 s'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
  [273_600_000, '3 d 4 h'],
])('formats %d ms as %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text);
});
