// Pure: no server.
import { randomBytes } from 'node:crypto';
import { deflateSync, strToU8 } from 'fflate';
import { emptyUsage } from '../../../src/core/usage';
import type { LogEntry } from '../../../src/protocol/log';
import { packThread, unpackThread } from '../../../src/workflows/carried-thread';

function entriesOf(texts: readonly string[]): LogEntry[] {
  return texts.flatMap((text, index): LogEntry[] => [
    { id: `u/${index}`, kind: 'user', message: { role: 'user', parts: [{ type: 'text', text }] } },
    {
      id: `a/${index}`,
      kind: 'model-turn',
      content: [{ type: 'text', text: 'ok' }],
      usage: emptyUsage,
    },
  ]);
}

function threadOf(entries: readonly LogEntry[]): Parameters<typeof packThread>[0] {
  return {
    board: { pauseSeq: 3, pending: [], answered: [['q', 'u']], rejected: [] },
    turns: { count: 2, lastTime: 5, queue: [], done: [] },
    entries,
    session: { kept: true },
    budget: { limits: {}, spend: { usage: emptyUsage, costUsd: 0.5 } },
    memory: { kind: 'windowed', turns: 2 },
    searchAttributes: true,
    unsaved: [{ kind: 'clear' }],
    clearedTurns: 1,
    isClearing: false,
  };
}

const noise = (): string => randomBytes(300_000).toString('base64');

describe('packThread', () => {
  it('carries a thread whole', () => {
    const thread = threadOf(entriesOf(['a', 'b']));
    expect(unpackThread(packThread(thread))).toEqual({ format: 1, ...thread });
  });

  it('leaves the oldest turns behind where all are too much, and counts a summary from the first one kept', () => {
    const turns = entriesOf(Array.from({ length: 6 }, noise));
    const entries: LogEntry[] = [...turns, { id: 's', kind: 'summary', text: 'S', turns: 5 }];
    const bytes = packThread(threadOf(entries));
    expect(bytes.length).toBeLessThanOrEqual(1_500_000);
    const carried = unpackThread(bytes).entries;
    expect(carried.map(({ id }) => id)).toEqual([
      ...turns.slice(-carried.length + 1).map(({ id }) => id),
      's',
    ]);
    const dropped = (turns.length - (carried.length - 1)) / 2;
    expect(carried.at(-1)).toMatchObject({ turns: 5 - dropped });
    expect(dropped).toBeGreaterThan(0);
  });

  it('leaves the oldest turns behind where all take too long to deflate', () => {
    const text = 'As long as a page. '.repeat(2_000);
    const turns = entriesOf(Array.from({ length: 200 }, () => text));
    const carried = unpackThread(packThread(threadOf(turns))).entries;
    expect(JSON.stringify(carried).length).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(carried).toEqual(turns.slice(-carried.length));
    expect(carried.length).toBeGreaterThan(150);
  });

  it('keeps of summaries the last one, and none where even that is too much', () => {
    const summaryOf = (id: string, text: string): LogEntry => ({ id, kind: 'summary', text });
    const short = summaryOf('short', 'S');
    const large = [noise(), noise(), noise(), noise(), noise()].join('');
    const entriesCarried = (entries: readonly LogEntry[]) =>
      unpackThread(packThread(threadOf(entries))).entries;
    const turns = entriesOf([large, large, 'last']);
    expect(entriesCarried([summaryOf('old', 'O'), ...turns, short])).toEqual([
      ...turns.slice(-2),
      { ...short, turns: 0 },
    ]);
    expect(entriesCarried([...entriesOf(['only']), summaryOf('large', large)])).toEqual([]);
  });

  it('refuses a state that is too much without any turn', () => {
    const thread = {
      ...threadOf([]),
      session: { large: noise() + noise() + noise() + noise() + noise() + noise() },
    };
    expect(() => packThread(thread)).toThrow(
      expect.objectContaining({ code: 'TranscriptTooLarge' }) as Error,
    );
  });
});

it('unpackThread refuses a format it does not know', () => {
  const bytes = deflateSync(strToU8(JSON.stringify({ format: 2 })));
  expect(() => unpackThread(bytes)).toThrow('unknown format 2 of a thread');
});
