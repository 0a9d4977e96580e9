// Pure: what each kind of entry adds to a prompt.
import { PromptMeter } from '../../../../src/core/context/prompt-meter';
import type { Decision, LogEvent } from '../../../../src/protocol/log';
import type { MediaPart, ToolContent } from '../../../../src/protocol/message';
import { call, noUsage, result, text, userEvent } from '../builders';

const meterOf = (...log: readonly LogEvent[]): PromptMeter => {
  const meter = new PromptMeter();
  meter.read(log);
  return meter;
};

const started: readonly LogEvent[] = [
  userEvent('go'),
  { kind: 'model-turn', content: [call('c', 'look')], usage: noUsage },
];
const gainOf = (...log: readonly LogEvent[]): number =>
  meterOf(...started, ...log).bytes - meterOf(...started).bytes;
const decided = (decision: Decision): LogEvent => ({ kind: 'decision', decision });
const media = (mediaType: string, source: MediaPart['source']): MediaPart => ({
  type: 'media',
  mediaType,
  source,
});
const seen = (part: MediaPart): number =>
  gainOf({ kind: 'user', message: { role: 'user', parts: [part] } });

describe('a decision', () => {
  it.each<[string, Decision]>([
    ['feedback', { kind: 'feedback', text: 'x'.repeat(900) }],
    [
      'the answers of calls',
      { kind: 'answer-calls', answers: [{ index: 0, text: 'x'.repeat(900) }] },
    ],
    ['edited arguments', { kind: 'edit-call', turn: 1, index: 0, args: { note: 'x'.repeat(900) } }],
    [
      "the caller's history",
      { kind: 'history', messages: [{ role: 'user', parts: [text('x'.repeat(900))] }] },
    ],
  ])('with a long text takes room: %s', (_name, decision) => {
    const bytes = gainOf(decided(decision));
    expect(bytes).toBeGreaterThanOrEqual(900);
    expect(bytes).toBeLessThan(1_100);
  });

  it('about a turn that does not exist takes none', () => {
    const answers = decided({ kind: 'answer-calls', answers: [{ index: 0, text: 'late' }] });
    const pause = decided({ kind: 'go-on' });
    expect(meterOf(userEvent('go'), answers, pause).bytes).toBe(meterOf(userEvent('go')).bytes);
  });

  it('that only renames or drops a call takes none', () => {
    expect(gainOf(decided({ kind: 'repair-call', index: 0, name: 'see' }))).toBe(0);
  });
});

describe('media', () => {
  it('of a picture take the same room, whatever their bytes', () => {
    const small = seen(media('image/png', { kind: 'base64', data: 'AAAA' }));
    const large = seen(media('image/png', { kind: 'base64', data: 'AAAA'.repeat(100_000) }));
    const stored = { kind: 'stored', digest: 'd'.repeat(64), bytes: 9_000_000 } as const;
    expect([large, seen(media('image/png', stored))]).toEqual([small, small]);
  });

  it('of a document take room by its size', () => {
    const inline = seen(media('application/pdf', { kind: 'base64', data: 'AAAA'.repeat(100_000) }));
    const stored = { kind: 'stored', digest: 'd'.repeat(64), bytes: 300_000 } as const;
    expect(inline).toBe(seen(media('application/pdf', stored)));
    expect(inline).toBeGreaterThanOrEqual(50_000);
    const linked = seen(media('application/pdf', { kind: 'url', url: 'https://a.example/b.pdf' }));
    expect(linked).toBeLessThan(6_000);
  });

  it('of a result count as pictures, beside its texts', () => {
    const content: readonly ToolContent[] = [
      { type: 'text', text: 'x'.repeat(900) },
      {
        type: 'media',
        mediaType: 'image/png',
        source: { kind: 'base64', data: 'AAAA'.repeat(50_000) },
      },
    ];
    const bytes = gainOf({
      kind: 'tool-result',
      result: { ...result('c', '', { name: 'look', index: 0 }), content },
    });
    expect(bytes).toBeGreaterThan(5_900);
    expect(bytes).toBeLessThan(6_200);
  });
});

describe('the last message of the user', () => {
  it('keeps its room when a summary stands for its turn', () => {
    const turn: LogEvent = { kind: 'model-turn', content: [text('done')], usage: noUsage };
    const log = [...started, userEvent('x'.repeat(5_000)), turn, turn];
    const summary: LogEvent = { kind: 'summary', text: 'so far', through: 2 };
    expect(meterOf(...log, summary).bytes).toBeGreaterThan(5_000);
    expect(meterOf(...log, userEvent('new'), turn, summary).bytes).toBeLessThan(1_000);
  });
});

describe('a report of the provider', () => {
  const report = (usage: Partial<typeof noUsage>): number => {
    const content = [text('x'.repeat(4_000))];
    const meter = meterOf(userEvent('go'), {
      kind: 'model-turn',
      content,
      usage: { ...noUsage, ...usage },
    });
    return meter.tokensOf(meter.bytes);
  };

  it('counts with input and output, or with the total alone', () => {
    expect(report({ inputTokens: 900, outputTokens: 100 })).toBe(1_000);
    expect(report({ inputTokens: 900 })).toBe(900);
    expect(report({ totalTokens: 1_000 })).toBe(1_000);
  });

  it('of nothing is not believed', () => {
    expect(report({ inputTokens: 0, totalTokens: 0 })).toBe(report({}));
  });
});
