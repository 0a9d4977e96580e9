// Pure: no server.

import { randomBytes } from 'node:crypto';
import { inflateSync, strFromU8 } from 'fflate';
import { emptyDigest, extendDigest } from '../../../../src/base/digest';
import { limits } from '../../../../src/protocol/limits';
import type { LogEvent, LogPage, NewEntry } from '../../../../src/protocol/log';
import { RunLog } from '../../../../src/workflows/log/run-log';
import { noUsage, result, text, userEvent } from '../../core/builders';

const address = { workflowId: 'run-1', runId: 'e1' };

const turn: LogEvent = { kind: 'model-turn', content: [text('hm')], usage: noUsage };
const resultOf = (at: number, index: number): LogEvent => ({
  kind: 'tool-result',
  result: result('c', 'found', { turn: at, index }),
});
const feedback: LogEvent = { kind: 'decision', decision: { kind: 'feedback', text: 'again' } };

const idsOf = (log: RunLog): string[] => log.entries.map(({ id }) => id);
const digestOf = (ids: readonly string[]): string => ids.reduce(extendDigest, emptyDigest);

describe('RunLog', () => {
  let log: RunLog;

  beforeEach(() => {
    log = new RunLog(address);
  });

  const add = (...events: NewEntry[]): void => {
    for (const event of events) log.add(event);
  };

  it('gives no id twice, also where another log goes on after it', () => {
    log.add(userEvent('hello'));
    log.add(turn);
    const next = new RunLog({ ...address, minted: log.minted });
    next.add(userEvent('again'));
    expect([...idsOf(log), ...idsOf(next)]).toEqual(['e1/1', 'e1/2', 'e1/3']);
    expect(next.digest).toBe(digestOf(['e1/3']));
  });

  it('numbers what the run adds itself, and keeps the ids that attempts minted', () => {
    add(userEvent('hello'), { id: 'minted-turn', ...turn });
    add({ ...resultOf(1, 0), id: 'minted-a' }, { ...resultOf(1, 1), id: 'minted-b' }, feedback);
    expect(log.entries).toEqual([
      { id: 'e1/1', ...userEvent('hello') },
      { id: 'minted-turn', ...turn },
      { id: 'minted-a', ...resultOf(1, 0) },
      { id: 'minted-b', ...resultOf(1, 1) },
      { id: 'e1/2', ...feedback },
    ]);
  });

  it('has the rolling hash of all its ids', () => {
    expect(log.digest).toBe(emptyDigest);
    add(userEvent('hello'), { ...turn, id: 'minted' });
    expect(log.digest).toBe(digestOf(['e1/1', 'minted']));
  });

  it('goes on after continue-as-new with the entries as they were, and numbers of its own execution', () => {
    add(userEvent('hello'), turn);
    const next = new RunLog({ ...address, runId: 'e2', entries: log.entries });
    next.add(feedback);
    expect(idsOf(next)).toEqual(['e1/1', 'e1/2', 'e2/1']);
    expect(next.nextRef()).toEqual({
      workflowId: 'run-1',
      runId: 'e2',
      length: 3,
      tail: ['e2/1'],
      digest: digestOf(['e1/1', 'e1/2', 'e2/1']),
      entries: [{ id: 'e2/1', ...feedback }],
    });
  });

  describe('announced to a model call', () => {
    it('names the entries since the last one; those that no worker holds ride along', () => {
      add(userEvent('hello'));
      expect(log.nextRef()).toEqual({
        ...address,
        length: 1,
        tail: ['e1/1'],
        digest: digestOf(['e1/1']),
        entries: [{ id: 'e1/1', ...userEvent('hello') }],
      });
      add({ ...turn, id: 'minted-turn' }, { ...resultOf(1, 0), id: 'minted-result' });
      expect(log.nextRef()).toEqual({
        ...address,
        length: 3,
        tail: ['minted-turn', 'minted-result'],
        digest: digestOf(['e1/1', 'minted-turn', 'minted-result']),
      });
      expect(log.nextRef()).toEqual({ ...log.ref(), tail: [] });
    });

    it('is not announced by being named', () => {
      add(userEvent('hello'));
      expect(log.ref()).toEqual({ ...address, length: 1, tail: [], digest: log.digest });
      expect(log.nextRef().tail).toEqual(['e1/1']);
    });

    const padding = JSON.stringify({ id: 'e1/1', ...userEvent('') }).length;

    it.each([
      { name: 'fits exactly', size: limits.rideAlongEntry - padding, rides: true },
      { name: 'is a byte too long', size: limits.rideAlongEntry - padding + 1, rides: false },
    ])('takes along an entry that $name: $rides', ({ size, rides }) => {
      add(userEvent('x'.repeat(size)));
      const { tail, entries } = log.nextRef();
      expect(tail).toEqual(['e1/1']);
      expect(entries !== undefined).toBe(rides);
    });

    it('measures entries in bytes, not in characters', () => {
      add(userEvent('€'.repeat(limits.rideAlongEntry / 2)));
      expect(log.nextRef().entries).toBeUndefined();
    });

    it('takes at most 8 KiB along, and no less than fits', () => {
      add(...Array.from({ length: 10 }, () => userEvent('x'.repeat(1_500))), userEvent('small'));
      const { tail, entries = [] } = log.nextRef();
      expect(tail).toHaveLength(11);
      expect(entries.map(({ id }) => id)).toEqual([
        'e1/1',
        'e1/2',
        'e1/3',
        'e1/4',
        'e1/5',
        'e1/11',
      ]);
      expect(Buffer.byteLength(JSON.stringify(entries))).toBeLessThanOrEqual(8 * 1024 + 100);
    });
  });

  describe('read in pages', () => {
    const bytesOf = ({ entries }: LogPage): number =>
      entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)), 0);

    /** All pages, as a worker reads them. */
    function pagesOf(maxBytes?: number): LogPage[] {
      const pages: LogPage[] = [];
      let from = 0;
      while (from < log.length) {
        const page = log.page(from, maxBytes);
        pages.push(page);
        from += page.entries.length;
      }
      return pages;
    }

    it.each([
      { name: 'small ones', sizes: Array.from({ length: 300 }, () => 10), maxBytes: 1_000 },
      { name: 'wide ones', sizes: [500, 500, 500, 500], maxBytes: 2_000 },
      { name: 'the default', sizes: Array.from({ length: 30 }, () => 50_000), maxBytes: undefined },
    ])('gives every entry once, within the bound: $name', ({ sizes, maxBytes }) => {
      add(...sizes.map((size) => userEvent('é'.repeat(size))));
      const pages = pagesOf(maxBytes);
      expect(pages.flatMap(({ entries }) => entries)).toEqual(log.entries);
      expect(pages.length).toBeGreaterThan(1);
      for (const page of pages) {
        expect(bytesOf(page)).toBeLessThanOrEqual(maxBytes ?? limits.logPage);
        expect(page).toMatchObject({ length: log.length, digest: log.digest });
      }
    });

    it('gives an entry larger than a page alone', () => {
      add(userEvent('a'), userEvent('x'.repeat(5_000)), userEvent('b'));
      expect(pagesOf(1_000).map(({ from, entries }) => [from, entries.length])).toEqual([
        [0, 1],
        [1, 1],
        [2, 1],
      ]);
    });

    it.each([{ from: 1 }, { from: 2 }, { from: 99 }])(
      'gives nothing beyond its end: $from',
      ({ from }) => {
        add(userEvent('a'));
        expect(log.page(from)).toEqual({ from, entries: [], length: 1, digest: log.digest });
      },
    );

    it.each([
      { name: 'that deflates', text: () => 'word '.repeat(40_000), most: 1 },
      { name: 'that does not', text: () => randomBytes(150_000).toString('base64'), most: 20 },
    ])('bounds a deflated page of text $name by what travels', ({ text: of, most }) => {
      add(...Array.from({ length: 14 }, () => userEvent(of())));
      let pages = 0;
      for (let from = 0; from < log.length; pages += 1) {
        const bytes = log.deflatedPage(from);
        expect(bytes.length).toBeLessThanOrEqual(limits.payload);
        from += (JSON.parse(strFromU8(inflateSync(bytes))) as LogPage).entries.length;
      }
      expect(pages).toBeLessThanOrEqual(most);
    });

    it('names the largest entries with their turn and tool', () => {
      const long = (at: number): LogEvent => ({
        kind: 'tool-result',
        result: result('c', 'x'.repeat(at * 1_000), { turn: at, index: 0 }),
      });
      add(userEvent('é'.repeat(5_000)), turn, long(1), turn, long(2));
      expect(log.largest(3)).toEqual([
        { kind: 'user', bytes: Buffer.byteLength(JSON.stringify(log.entries[0])) },
        expect.objectContaining({ kind: 'tool-result', turn: 2 }),
        expect.objectContaining({ kind: 'tool-result', turn: 1 }),
      ]);
    });

    it('deflates the same page for the run that follows', () => {
      add(
        userEvent('a'),
        userEvent('é'.repeat(1_000_000)),
        userEvent('x'.repeat(2_500_000)),
        userEvent('b'),
      );
      const page = JSON.parse(strFromU8(inflateSync(log.deflatedPage(1)))) as LogPage;
      expect(page.entries).toEqual(log.entries.slice(1, 2));
      expect(page).toMatchObject({ from: 1, length: 4, digest: log.digest });
      expect(log.deflatedPage(1).length).toBeLessThan(limits.carriedLog);
    });
  });
});
