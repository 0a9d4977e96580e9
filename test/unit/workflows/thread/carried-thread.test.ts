// Pure: no server.
import { randomBytes } from 'node:crypto';
import { deflateSync, strToU8 } from 'fflate';
import { emptyUsage } from '../../../../src/core/budget/usage';
import { limits } from '../../../../src/protocol/limits';
import type { LogEntry } from '../../../../src/protocol/log';
import type { ThreadInput } from '../../../../src/protocol/thread';
import {
  packThread,
  rememberable,
  unpackThread,
} from '../../../../src/workflows/thread/carried-thread';
import { thrown } from '../../core/builders';
import { RunLog } from '../../../../src/workflows/log/run-log';

const key = { appName: 'a', userId: 'u', sessionId: 's' };
const input: ThreadInput = { runner: 'assistant', key };
const noise = (length: number): string => randomBytes(length).toString('base64').slice(0, length);

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

function logOf(entries: readonly LogEntry[]): RunLog {
  return new RunLog({ workflowId: 'thread:a/u/s', runId: 'e', entries });
}

type Thread = Parameters<typeof packThread>[1];

const thread: Thread = {
  requests: { pauseSeq: 3, pending: [], answered: [['q', 'u']], rejected: [] },
  turns: { count: 2, lastTime: 5, queue: [], done: [], cleared: 1 },
  session: { kept: true },
  budget: { limits: {}, spend: { usage: emptyUsage, costUsd: 0.5 } },
  memory: { kind: 'windowed', turns: 2 },
  searchAttributes: true,
  saves: { writes: [{ kind: 'clear', next: 'g' }], generation: '' },
  isClearing: false,
  lastClear: 'c',
};

describe('packThread', () => {
  it('carries a thread whole', () => {
    const entries = entriesOf(['a', 'b']);
    expect(unpackThread(packThread(input, thread, logOf(entries)))).toEqual({
      format: 1,
      ...thread,
      entries,
    });
  });

  it('drops nothing of a conversation to make room for what waits: it says where it stands', () => {
    const log = logOf(entriesOf([noise(1_000_000), noise(500_000)]));
    const waiting = { ...thread, session: { large: noise(700_000) } };
    const carried = unpackThread(packThread(input, waiting, log));
    expect(carried).toEqual({ format: 1, ...waiting, log: log.ref() });
  });

  it('travels with the largest of everything, also through a codec that adds a third', () => {
    const full: Thread = {
      ...thread,
      requests: {
        ...thread.requests,
        answered: Array.from({ length: 1_000 }, () => [noise(200), noise(600)] as const),
      },
      turns: {
        ...thread.turns,
        queue: [
          {
            messageId: 'm',
            turn: 1,
            workflowId: 'r',
            id: 'i',
            createdAt: '',
            input: noise(limits.queuedBytes),
          },
        ],
        done: [
          {
            messageId: noise(limits.listedTurnsBytes),
            turn: 1,
            workflowId: 'r',
            createdAt: '',
            status: 'failed',
            isRemembered: false,
          },
        ],
      },
      session: { large: noise(limits.session) },
    };
    const large: ThreadInput = {
      runner: { kind: 'agent', id: 'x', text: 'x'.repeat(limits.definition) } as never,
      key,
      session: { large: noise(limits.session) },
    };
    const bytes = packThread(large, full, logOf(entriesOf([noise(1_000_000)])));
    const whole = Buffer.byteLength(JSON.stringify(large)) + bytes.length;
    expect((whole * 4) / 3).toBeLessThan(2 * 1024 * 1024 - 1_000);
    expect(unpackThread(bytes).turns.queue).toHaveLength(1);
  });
});

describe('rememberable', () => {
  it('keeps what a thread remembers as it is', () => {
    const entries = entriesOf(['a', noise(1_000_000)]);
    expect(rememberable(entries)).toBe(entries);
  });

  it('leaves the oldest turns behind where all are too much, and counts a summary from the first one kept', () => {
    const turns = entriesOf(Array.from({ length: 6 }, () => noise(400_000)));
    const entries: LogEntry[] = [...turns, { id: 's', kind: 'summary', text: 'S', through: 5 }];
    const kept = rememberable(entries);
    expect(deflateSync(strToU8(JSON.stringify(kept))).length).toBeLessThanOrEqual(
      limits.carriedLog,
    );
    expect(kept.map(({ id }) => id)).toEqual([
      ...turns.slice(-kept.length + 1).map(({ id }) => id),
      's',
    ]);
    const dropped = (turns.length - (kept.length - 1)) / 2;
    expect(kept.at(-1)).toMatchObject({ through: 5 - dropped });
    expect(dropped).toBeGreaterThan(0);
  });

  it('leaves the oldest turns behind where all take too long to deflate', () => {
    const text = 'As long as a page. '.repeat(2_000);
    const turns = entriesOf(Array.from({ length: 200 }, () => text));
    const kept = rememberable(turns);
    expect(JSON.stringify(kept).length).toBeLessThanOrEqual(limits.carriedText);
    expect(kept).toEqual(turns.slice(-kept.length));
    expect(kept.length).toBeGreaterThan(150);
  });
});

describe('unpackThread', () => {
  const unpacked = (format: unknown): unknown =>
    thrown(() => unpackThread(deflateSync(strToU8(JSON.stringify({ format })))));

  it('leaves a newer format to a worker that knows it', () => {
    expect(unpacked(2)).toMatchObject({
      code: 'StateError',
      retryable: true,
      message:
        "A thread's carried state has format 2; this version reads format 1. A newer version of Longhaul wrote it: start workers of that version.",
    });
  });

  it.each([undefined, 0, 1.5, '1'])('refuses format %p, which no version writes', (format) => {
    expect(unpacked(format)).toMatchObject({ code: 'StateError', retryable: false });
  });
});
