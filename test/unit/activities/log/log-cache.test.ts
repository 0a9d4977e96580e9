// Pure: no server. The run that is asked for pages is the workflow's own log.
import { LogCache, type ReadPage } from '../../../../src/activities/log/log-cache';
import type { LogEntry, LogPage, LogRef } from '../../../../src/protocol/log';
import { userEvent } from '../../core/builders';
import { ReferenceRun, turnEvent } from './reference-run';

const noPages: ReadPage = (from) => Promise.reject(new Error(`asked for entry ${from}`));

/** A run with `count` entries of about `bytes` each that no worker holds. */
function longRun(count: number, { bytes = 100, workflowId = 'run-1' } = {}): ReferenceRun {
  const run = new ReferenceRun(workflowId);
  for (let index = 0; index < count; index += 1) run.add(userEvent(`${index} `.padEnd(bytes, 'x')));
  return run;
}

/** What an activity attempt does: it makes an entry, keeps it, and returns it to the run. */
function produce(run: ReferenceRun, logCache: LogCache, id: string, value = id): LogEntry {
  const entry = { id, ...turnEvent(value) };
  logCache.offer(run.workflowId, entry);
  return run.add(turnEvent(value), id);
}

describe('LogCache', () => {
  let run: ReferenceRun;
  let logCache: LogCache;

  beforeEach(() => {
    run = new ReferenceRun();
    logCache = new LogCache();
  });

  const read = (ref: LogRef, readPage = run.pages(ref)) => logCache.read(ref, readPage);

  it('asks for nothing when it produced every entry or they rode along', async () => {
    run.add(userEvent('hello'));
    await read(run.nextRef(), noPages);
    produce(run, logCache, 'turn-1');
    produce(run, logCache, 'turn-2');
    const ref = run.nextRef();
    expect(await read(ref, noPages)).toEqual(run.truth(ref));
    expect(logCache.statistics).toEqual({ hits: 2, pagesRead: 0, diverged: 0 });
  });

  it('asks from the first entry it lacks', async () => {
    run = longRun(3);
    await read(run.nextRef());
    run.add(turnEvent('made by another worker'), 'elsewhere-1');
    produce(run, logCache, 'here-2');
    const ref = run.nextRef();
    const asked: number[] = [];
    const pages = run.pages(ref);
    await read(ref, (from) => {
      asked.push(from);
      return pages(from);
    });
    expect(asked).toEqual([3]);
  });

  it('reads as many pages as it takes, one entry at a time where the entries are large', async () => {
    run = longRun(5, { bytes: 1_000 });
    const ref = run.ref();
    expect(await read(ref, run.pages(ref, 10))).toEqual(run.truth(ref));
    expect(logCache.statistics.pagesRead).toBe(5);
  });

  it('never holds the entry of a lost attempt', async () => {
    run.add(userEvent('hello'));
    logCache.offer(run.workflowId, { id: 'lost', ...turnEvent('never happened') });
    produce(run, logCache, 'kept', 'happened');
    const ref = run.nextRef();
    expect(await read(ref, noPages)).toEqual(run.truth(ref));
  });

  it('keeps apart what two runs offer under one id', async () => {
    const other = new ReferenceRun('run-2');
    logCache.offer('run-2', { id: 'same', ...turnEvent('of run 2') });
    logCache.offer('run-1', { id: 'same', ...turnEvent('of run 1') });
    run.add(turnEvent('of run 1'), 'same');
    other.add(turnEvent('of run 2'), 'same');
    for (const each of [run, other]) {
      const ref = each.nextRef();
      expect(await read(ref, noPages)).toEqual(each.truth(ref));
    }
  });

  it('gives no entry beyond the ref, even when a page brought more', async () => {
    run = longRun(2);
    const early = run.ref();
    run.add(userEvent('later'));
    expect(await read(early)).toEqual(run.truth(early));
    const late = run.ref();
    expect(await read(late, noPages)).toEqual(run.truth(late));
  });

  it.each([
    { name: 'to its beginning', length: 0 },
    { name: 'into its middle', length: 3 },
    { name: 'and goes on shorter than before', length: 5 },
  ])('drops the abandoned branch when the run is reset $name', async ({ length }) => {
    run = longRun(6);
    await read(run.nextRef());
    run.resetTo(length);
    produce(run, logCache, 'after-the-reset');
    const ref = run.nextRef();
    expect(await read(ref)).toEqual(run.truth(ref));
    expect(logCache.statistics.diverged).toBe(1);
  });

  it('answers an attempt from before a reset with what it knew', async () => {
    run = longRun(4);
    const before = run.ref();
    run.resetTo(2);
    run.add(userEvent('another branch'));
    const after = run.ref();
    for (const ref of [after, before, after]) expect(await read(ref)).toEqual(run.truth(ref));
  });

  it('forgets the log of a closed run whose id is used again', async () => {
    const first = longRun(3);
    await read(first.ref(), first.pages(first.ref()));
    const second = new ReferenceRun();
    for (const value of ['a', 'b', 'c', 'd']) second.add(turnEvent(value), `second-${value}`);
    const ref = second.ref();
    expect(await read(ref, second.pages(ref))).toEqual(second.truth(ref));
  });

  it('reads nothing for a log without entries', async () => {
    expect(await read(run.ref(), noPages)).toEqual([]);
  });
});

describe('LogCache, read at the same time', () => {
  it('asks once for what two attempts need', async () => {
    const run = longRun(4);
    const logCache = new LogCache();
    const ref = run.ref();
    const asked: number[] = [];
    const pages = run.pages(ref);
    const counted: ReadPage = (from) => {
      asked.push(from);
      return pages(from);
    };
    const [one, other] = await Promise.all([
      logCache.read(ref, counted),
      logCache.read(ref, counted),
    ]);
    expect([one, other]).toEqual([run.truth(ref), run.truth(ref)]);
    expect(asked).toEqual([0]);
  });

  it('does not let one run wait for another', async () => {
    const logCache = new LogCache();
    const [slow, quick] = [longRun(2), longRun(2, { workflowId: 'run-2' })];
    let answer: (page: LogPage) => void = () => undefined;
    const held = new Promise<LogPage>((resolve) => (answer = resolve));
    const waiting = logCache.read(slow.ref(), () => held);
    const ref = quick.ref();
    expect(await logCache.read(ref, quick.pages(ref))).toEqual(quick.truth(ref));
    answer(await slow.pages(slow.ref())(0));
    expect(await waiting).toEqual(slow.truth(slow.ref()));
  });

  it('goes on after an attempt whose read failed, from where that one stopped', async () => {
    const run = longRun(4);
    const logCache = new LogCache();
    const ref = run.ref();
    const pages = run.pages(ref, 10);
    const failing: ReadPage = (from) =>
      from < 2 ? pages(from) : Promise.reject(new Error('the query timed out'));
    const asked: number[] = [];
    const counted: ReadPage = (from) => {
      asked.push(from);
      return pages(from);
    };
    const first = logCache.read(ref, failing);
    const second = logCache.read(ref, counted);
    await expect(first).rejects.toThrow('the query timed out');
    expect(await second).toEqual(run.truth(ref));
    expect(asked).toEqual([2, 3]);
  });
});

describe('LogCache, given pages that are not the log', () => {
  const run = longRun(3);
  const ref = run.ref();
  const [first, ...rest] = run.truth(ref) as [LogEntry, ...LogEntry[]];
  const page = (from: number, entries: readonly LogEntry[]): LogPage => ({
    from,
    entries,
    length: 3,
    digest: ref.digest,
  });

  it.each([
    { name: 'empty pages', pages: () => page(0, []) },
    { name: 'pages from elsewhere', pages: () => page(1, rest) },
    { name: 'a missing entry', pages: (from: number) => page(from, [first, ...rest.slice(1)]) },
    { name: 'another order', pages: (from: number) => page(from, [...rest, first]) },
    {
      name: 'an entry of another id',
      pages: (from: number) => page(from, [first, ...rest.slice(0, 1), { ...first, id: 'x' }]),
    },
  ])('fails with a retryable error instead of believing $name', async ({ pages }) => {
    const logCache = new LogCache();
    await expect(logCache.read(ref, (from) => Promise.resolve(pages(from)))).rejects.toMatchObject({
      code: 'InternalError',
      retryable: true,
    });
    expect(await logCache.read(ref, run.pages(ref))).toEqual(run.truth(ref));
  });
});

describe('LogCache, bounded', () => {
  /** Reads a run after each of its entries, as a run's model calls do. */
  async function addEntries(
    logCache: LogCache,
    workflowId: string,
    count: number,
  ): Promise<ReferenceRun> {
    const run = new ReferenceRun(workflowId);
    for (let index = 0; index < count; index += 1) {
      produce(run, logCache, `${workflowId}-${index}`, 'x'.repeat(500));
      await logCache.read(run.nextRef(), noPages);
    }
    return run;
  }

  const isKept = async (logCache: LogCache, run: ReferenceRun): Promise<boolean> => {
    const before = logCache.statistics.pagesRead;
    const ref = run.ref();
    expect(await logCache.read(ref, run.pages(ref))).toEqual(run.truth(ref));
    return logCache.statistics.pagesRead === before;
  };

  it('counts a log as it has grown, and lets go of the one that was read longest ago', async () => {
    const logCache = new LogCache(27_500);
    const runs = [];
    for (const workflowId of ['a', 'b', 'c']) runs.push(await addEntries(logCache, workflowId, 12));
    const [a, b, c] = runs as [ReferenceRun, ReferenceRun, ReferenceRun];
    expect([await isKept(logCache, c), await isKept(logCache, b)]).toEqual([true, true]);
    expect(await isKept(logCache, a)).toBe(false);
  });

  it('counts what a failed read brought', async () => {
    const logCache = new LogCache(27_500);
    const kept = await addEntries(logCache, 'kept', 12);
    const run = longRun(20, { bytes: 500, workflowId: 'failing' });
    const pages = run.pages(run.ref(), 10);
    const failing: ReadPage = (from) =>
      from < 19 ? pages(from) : Promise.reject(new Error('the query timed out'));
    await expect(logCache.read(run.ref(), failing)).rejects.toThrow('the query timed out');
    expect(await isKept(logCache, kept)).toBe(false);
  });

  it('reads a log that is larger than all its memory, every time', async () => {
    const logCache = new LogCache(1_000);
    const run = longRun(10, { bytes: 500 });
    expect([await isKept(logCache, run), await isKept(logCache, run)]).toEqual([false, false]);
  });

  it('gives up entries that are never placed, the oldest first', async () => {
    const logCache = new LogCache(10_000);
    const run = new ReferenceRun();
    produce(run, logCache, 'mine', 'x'.repeat(500));
    for (let index = 0; index < 10; index += 1) {
      logCache.offer('lost', { id: `lost-${index}`, ...turnEvent('x'.repeat(500)) });
    }
    const ref = run.nextRef();
    await expect(logCache.read(ref, noPages)).rejects.toThrow('asked for entry 0');
    expect(await logCache.read(ref, run.pages(ref))).toEqual(run.truth(ref));
  });
});
