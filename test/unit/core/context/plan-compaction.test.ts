// Pure: no server. The last part plays random conversations against a tokenizer that the planner does not know.
import fc from 'fast-check';
import {
  planCompaction,
  planThreadSummary,
  type CompactionPlan,
  type PlanRequest,
} from '../../../../src/core/context/plan-compaction';
import { PromptMeter } from '../../../../src/core/context/prompt-meter';
import { allMessages, foldLog } from '../../../../src/core/transcript/fold-log';
import { limits } from '../../../../src/protocol/limits';
import type { LogEvent } from '../../../../src/protocol/log';
import type { Message, Usage } from '../../../../src/protocol/message';
import { call, noUsage, result, text, tokens, userEvent } from '../builders';

const request = (rest: Partial<PlanRequest> = {}): PlanRequest => ({
  context: { window: 10_000 },
  except: [],
  isTooLong: false,
  hasMemory: false,
  maySummarise: true,
  ...rest,
});

function meterOf(log: readonly LogEvent[]): PromptMeter {
  const meter = new PromptMeter();
  meter.read(log);
  return meter;
}

const plan = (log: readonly LogEvent[], rest: Partial<PlanRequest> = {}) =>
  planCompaction(meterOf(log), request(rest));

/** A turn with one call and its result. */
const round = (bytes: number, usage: Usage = noUsage, name = 'look'): LogEvent[] => [
  { kind: 'model-turn', content: [call('c', name)], usage },
  { kind: 'tool-result', result: result('c', 'x'.repeat(bytes), { name, index: 0 }) },
];
const said = (bytes: number, usage: Usage = noUsage): LogEvent[] => [
  { kind: 'model-turn', content: [text('x'.repeat(bytes))], usage },
  { kind: 'decision', decision: { kind: 'feedback', text: 'more' } },
];
const rounds = (count: number, bytes: number, usage?: Usage): LogEvent[] => [
  userEvent('go'),
  ...Array.from({ length: count }, () => round(bytes, usage)).flat(),
];
const speech = (count: number, bytes: number, usage?: Usage): LogEvent[] => [
  userEvent('go'),
  ...Array.from({ length: count }, () => said(bytes, usage)).flat(),
];

describe('a prompt below the limit', () => {
  it('stays as it is', () => {
    expect(plan(rounds(9, 2_000, tokens(7_000, 100)))).toBeUndefined();
  });

  it('stays as it is, however long, while nobody knows the window', () => {
    expect(plan(rounds(9, 60_000), { context: {} })).toBeUndefined();
  });

  it('counts what came after the last report', () => {
    const log = rounds(9, 2_000, tokens(7_000, 100));
    expect(plan([...log, userEvent('x'.repeat(9_000))])).toBeDefined();
  });
});

describe('a prompt over the limit', () => {
  it('loses the long results of older turns first', () => {
    expect(plan(rounds(30, 3_000), { context: { window: 30_000 } })).toEqual({
      clear: { kind: 'clear-results', through: 26, over: 1_024 },
    });
  });

  it('is measured again after that', () => {
    const log = rounds(30, 3_000);
    const context = { window: 30_000 };
    const clear = plan(log, { context })?.clear;
    const cleared: LogEvent[] = clear ? [...log, { kind: 'decision', decision: clear }] : [];
    expect(plan(cleared, { context })).toBeUndefined();
    expect(meterOf(cleared).bytes).toBeLessThan(meterOf(log).bytes - 26 * 2_800);
  });

  it('is summarised where results do not make it small enough', () => {
    const made = plan(speech(20, 2_000));
    expect(made).toEqual({
      summarise: {
        through: 14,
        maxBytes: Math.floor((4_000 * 0.25) / 0.3),
        readBytes: Math.floor((8_000 * 0.75) / 0.3),
      },
    });
  });

  it('keeps fewer turns where those alone are over the limit, and always the last one', () => {
    expect(plan(speech(7, 9_000))?.summarise?.through).toBe(5);
    expect(plan(speech(3, 90_000))?.summarise?.through).toBe(2);
    expect(plan(speech(1, 90_000))).toBeUndefined();
  });

  it('keeps results where the agent says so, and those of calls that nobody should repeat', () => {
    const context = { window: 10_000, clearResults: false } as const;
    expect(plan(rounds(12, 3_000), { context })?.clear).toBeUndefined();
    expect(plan(rounds(12, 3_000), { except: ['look'] })?.clear).toBeUndefined();
  });

  it('is not made a little smaller: the next call would need it again', () => {
    const log = [userEvent('x'.repeat(40_000)), ...said(500), ...said(500), ...said(500)];
    expect(plan(log, { context: { window: 10_000, keepTurns: 1 } })).toBeUndefined();
  });

  it('waits with a summary after one has failed', () => {
    expect(plan(speech(20, 2_000), { maySummarise: false })).toBeUndefined();
  });

  it('takes no summary that ends where the provider paused', () => {
    const paused: LogEvent[] = [
      { kind: 'model-turn', content: [text('x'.repeat(2_000))], usage: noUsage },
      { kind: 'decision', decision: { kind: 'go-on' } },
    ];
    const log = [...speech(13, 2_000), ...paused, ...paused, ...said(2_000), ...said(2_000)];
    const keepTurns = 2;
    expect(plan(log, { context: { window: 10_000, keepTurns } })?.summarise?.through).toBe(13);
  });
});

describe('a prompt that the provider refused', () => {
  it('goes down to half, whether anybody knows the window or not', () => {
    for (const context of [{}, { window: 1_000_000 }]) {
      expect(plan(speech(20, 2_000), { context, isTooLong: true })?.summarise).toMatchObject({
        through: 14,
      });
    }
  });

  it('loses even its newest results where nothing else helps', () => {
    const log = [
      userEvent('go'),
      ...said(300),
      {
        kind: 'model-turn',
        content: Array.from({ length: 16 }, (_each, at) => call(`c${at}`)),
        usage: noUsage,
      } as LogEvent,
      ...Array.from({ length: 16 }, (_each, at): LogEvent => ({
        kind: 'tool-result',
        result: result(`c${at}`, 'x'.repeat(64 * 1_024), { index: at }),
      })),
    ];
    expect(plan(log, { isTooLong: true })).toEqual({
      clear: { kind: 'clear-results', through: 2, over: 1_024 },
    });
    const context = { clearResults: false } as const;
    expect(plan(log, { isTooLong: true, context })).toBeUndefined();
  });

  it('gives up the turns that a thread remembers', () => {
    expect(plan([userEvent('go')], { isTooLong: true })).toBeUndefined();
    expect(plan([userEvent('go')], { isTooLong: true, hasMemory: true })?.summarise).toMatchObject({
      through: 0,
    });
    const summarised: LogEvent[] = [userEvent('go'), { kind: 'summary', text: 'S', through: 0 }];
    expect(plan(summarised, { isTooLong: true, hasMemory: true })).toBeUndefined();
  });
});

describe('what a provider reports', () => {
  it.each([
    { name: 'nothing', usage: noUsage },
    { name: 'zero', usage: tokens(0, 0) },
    { name: 'too little to be true', usage: tokens(1, 1) },
  ])('is not believed if it is $name', ({ usage }) => {
    expect(plan(speech(40, 2_000, usage))?.summarise?.through).toBeGreaterThan(30);
  });

  it('ends in few compactions where it is far too much', () => {
    const log = speech(40, 2_000, tokens(1e12, 5));
    const first = plan(log)?.summarise;
    const summarised: LogEvent[] = [...log, { kind: 'summary', text: 'S', through: 39 }];
    expect(first?.through).toBe(39);
    expect(plan(summarised)).toBeUndefined();
  });

  it('may be a total alone', () => {
    expect(plan(speech(7, 900, { ...noUsage, totalTokens: 9_000 }))).toBeDefined();
  });
});

describe('media and stored content', () => {
  const picture = { type: 'media', mediaType: 'image/png' } as const;
  const stored = { digest: 'ab'.repeat(32), bytes: 500_000 };

  it('weighs a picture by what it costs, not by its bytes', () => {
    const source = { kind: 'base64', data: 'A'.repeat(400_000) } as const;
    const content = [{ ...picture, source }, text('a note')];
    const log: LogEvent[] = [
      userEvent('go'),
      { kind: 'model-turn', content: [call('c')], usage: noUsage },
      { kind: 'tool-result', result: result('c', '', { content, index: 0 }) },
    ];
    expect(meterOf(log).bytes).toBeGreaterThan(4_000);
    expect(meterOf(log).bytes).toBeLessThan(8_000);
  });

  it('weighs a stored text of the user whole, and a stored result by its head', () => {
    const message = { role: 'user', parts: [{ ...text('head'), stored }] } as const;
    const log: LogEvent[] = [{ kind: 'user', message }];
    expect(meterOf(log).bytes).toBeGreaterThan(500_000);
    const content = [{ ...text('head'), stored }];
    const after: LogEvent[] = [
      userEvent('go'),
      { kind: 'model-turn', content: [call('c')], usage: noUsage },
      { kind: 'tool-result', result: result('c', '', { content, index: 0 }) },
    ];
    expect(meterOf(after).bytes).toBeLessThan(1_000);
  });
});

describe('planThreadSummary', () => {
  const thread = (count: number): LogEvent[] =>
    Array.from({ length: count }, (_each, at): LogEvent[] => [
      userEvent(`${at}`),
      { kind: 'model-turn', content: [text('x'.repeat(600))], usage: noUsage },
    ]).flat();

  it('keeps the last turns, and says how much it may read and write', () => {
    expect(planThreadSummary(meterOf(thread(9)), { window: 1_000_000 })).toBeUndefined();
    expect(planThreadSummary(meterOf(thread(9)), { window: 5_000 })).toMatchObject({ through: 3 });
    expect(planThreadSummary(meterOf(thread(9)), {})).toMatchObject({
      through: 3,
      readBytes: limits.carriedText,
    });
  });

  it('summarises no turn twice', () => {
    const log: LogEvent[] = [...thread(9), { kind: 'summary', text: 'S', through: 3 }];
    expect(planThreadSummary(meterOf(log), {})).toBeUndefined();
  });
});

// A model whose tokens the planner must guess: so many bytes make one, and instructions take some of the window.

const textBytes = (messages: readonly Message[]): number =>
  messages.reduce((sum, { parts }) => sum + JSON.stringify(parts).length, 0);

type Tokenizer = { readonly bytesPerToken: number; readonly overhead: number };
const tokensOf = (messages: readonly Message[], { bytesPerToken, overhead }: Tokenizer): number =>
  overhead + Math.ceil(textBytes(messages) / bytesPerToken);

/** Carries a plan out, as a run does. */
function carriedOut(log: readonly LogEvent[], made: CompactionPlan | undefined): LogEvent[] {
  const { clear, summarise } = made ?? {};
  return [
    ...log,
    ...(clear ? [{ kind: 'decision', decision: clear } as const] : []),
    ...(summarise
      ? [
          {
            kind: 'summary',
            text: 's'.repeat(summarise.maxBytes),
            through: summarise.through,
          } as const,
        ]
      : []),
  ];
}

describe('random conversations', () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ calls: fc.integer({ min: 1, max: 3 }), bytes: fc.nat(6_000) }),
    },
    { weight: 2, arbitrary: fc.record({ calls: fc.constant(0), bytes: fc.nat(3_000) }) },
  );
  const tokenizer = fc.record({
    bytesPerToken: fc.constantFrom(3, 4, 4, 5),
    overhead: fc.constantFrom(200, 2_000),
  });
  const conversation = fc.record({
    steps: fc.array(step, { minLength: 40, maxLength: 60, size: 'max' }),
    tokenizer,
    reports: fc.constantFrom('all', 'all', 'some'),
  });
  const window = 32_000;

  function turnOf({ calls, bytes }: { calls: number; bytes: number }, usage: Usage): LogEvent[] {
    if (calls === 0) return said(bytes, usage);
    const ids = Array.from({ length: calls }, (_each, at) => `c${at}`);
    return [
      { kind: 'model-turn', content: [text('so'), ...ids.map((id) => call(id))], usage },
      ...ids.map((id, index): LogEvent => ({
        kind: 'tool-result',
        result: result(id, 'y'.repeat(bytes), { index }),
      })),
    ];
  }

  it('stay in the window, with few compactions, and lose nothing', () => {
    const property = fc.property(conversation, ({ steps, tokenizer: own, reports }) => {
      let log: LogEvent[] = [userEvent('first')];
      let compactions = 0;
      let sent = 0;
      for (const [at, each] of steps.entries()) {
        const made = plan(log, { context: { window } });
        const after = carriedOut(log, made);
        if (made !== undefined) compactions += 1;
        log = after;
        const prompt = foldLog(log);
        const used = tokensOf(prompt, own);
        expect(used).toBeLessThanOrEqual(window);
        expect(plan(log, { context: { window } })).toBeUndefined();
        sent += textBytes(foldLog(turnOf(each, noUsage)));
        const isReported = reports === 'all' || at % 3 === 0;
        log.push(...turnOf(each, isReported ? tokens(used, 50) : noUsage));
      }
      const mostNeeded = Math.ceil(sent / (0.1 * window * own.bytesPerToken)) + 1;
      expect(compactions).toBeLessThanOrEqual(mostNeeded);
      const plain = log.filter(
        (each) =>
          each.kind !== 'summary' &&
          !(each.kind === 'decision' && each.decision.kind === 'clear-results'),
      );
      expect(allMessages(log)).toEqual(foldLog(plain));
    });
    fc.assert(property, { seed: 2_026, numRuns: 15 });
  });

  it('are planned alike by a meter that read the log at once and by one that read it bit by bit', () => {
    const property = fc.property(conversation, ({ steps, tokenizer: own }) => {
      const kept = new PromptMeter();
      let log: LogEvent[] = [userEvent('first')];
      for (const each of steps.slice(0, 40)) {
        kept.read(log);
        const made = planCompaction(kept, request({ context: { window } }));
        expect(plan(log, { context: { window } })).toEqual(made);
        log = carriedOut(log, made);
        log.push(...turnOf(each, tokens(tokensOf(foldLog(log), own), 50)));
      }
      kept.read(log);
      expect(kept.bytes).toBe(meterOf(log).bytes);
    });
    fc.assert(property, { seed: 7, numRuns: 10 });
  });

  it('have a size that goes with what the model gets', () => {
    const property = fc.property(conversation, ({ steps }) => {
      let log: LogEvent[] = [userEvent('first')];
      for (const each of steps) {
        log = carriedOut(log, plan(log, { context: { window } }));
        const shown = textBytes(foldLog(log));
        const { bytes } = meterOf(log);
        const framed = shown * 1.2 + 300 * foldLog(log).length;
        expect(bytes).toBeGreaterThan(shown * 0.6 - 400);
        expect(bytes).toBeLessThan(framed);
        log.push(...turnOf(each, noUsage));
      }
    });
    fc.assert(property, { seed: 11, numRuns: 5 });
  });
});
