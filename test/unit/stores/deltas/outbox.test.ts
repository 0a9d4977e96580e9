// Pure: no server.
import { Outbox } from '../../../../src/stores/deltas/postgres/outbox';
import { newEvents } from '../../../../src/stores/deltas/postgres/new-events';
import type { LiveEvent } from '../../../../src/protocol/live';

const MiB = 1024 * 1024;
const place = { root: 'root', workflowId: 'run', path: 'agent', agent: 'agent' };
const at = { turn: 1, calledAt: 5, attempt: 1 };
const begin: LiveEvent = { kind: 'begin', ...place, ...at };
const moved: LiveEvent = { kind: 'moved', ...place };
const ended: LiveEvent = { ...moved, ended: at };
const again: LiveEvent = { ...begin, attempt: 2 };

function said(seq: number, text: string, of: object = {}): LiveEvent {
  return { kind: 'delta', ...place, ...at, ...of, seq, delta: { kind: 'text', text } };
}

const twoSaid = { ...said(0, 'ab'), count: 2 } as LiveEvent;

function filled(events: readonly LiveEvent[]): Outbox {
  const outbox = new Outbox();
  for (const event of events) outbox.add(event);
  return outbox;
}

describe('the outbox', () => {
  it.each<[title: string, events: LiveEvent[], batch: LiveEvent[][]]>([
    ['nothing', [], []],
    ['the deltas of a call, merged', [begin, said(0, 'a'), said(1, 'b')], [[begin, twoSaid]]],
    ['only the newest attempt', [begin, said(0, 'a'), again], [[again]]],
    ['the end of an earlier call', [begin, said(0, 'a'), ended, again], [[ended, again]]],
    ['one end of many', [moved, ended, moved, moved], [[ended]]],
    [
      'a row for each run',
      [begin, { ...begin, workflowId: 'other' }],
      [[begin], [{ ...begin, workflowId: 'other' }]],
    ],
  ])('gives %s', (_title, events, batch) => {
    const outbox = filled(events);
    expect(outbox.take()).toEqual(batch);
    expect(outbox.take()).toEqual([]);
  });

  it('drops what is too much for one call, and keeps its end', () => {
    const pieces = Array.from({ length: 40 }, (_, seq) => said(seq, 'x'.repeat(MiB / 10)));
    const [events = []] = filled([begin, ...pieces, ended]).take();
    expect(JSON.stringify(events).length).toBeLessThan(1.2 * MiB);
    expect(events.at(-1)).toEqual(ended);
  });

  it('holds 32 MiB, and takes more after it gave some', () => {
    const outbox = new Outbox();
    const fill = (from: number): void => {
      for (let run = from; run < from + 60; run += 1)
        outbox.add(said(0, 'x'.repeat(MiB), { workflowId: `${run}` }));
    };
    const takeAll = (): number => {
      const batches: number[] = [];
      for (let rows = outbox.take(); rows.length > 0; rows = outbox.take())
        batches.push(rows.length);
      expect(Math.max(...batches)).toBe(4);
      return batches.reduce((sum, rows) => sum + rows, 0);
    };
    fill(0);
    expect(takeAll()).toBe(32);
    fill(100);
    expect(takeAll()).toBe(32);
  });

  it('makes batches whose notification fits', () => {
    const runs = Array.from({ length: 400 }, (_, run) => ({ ...begin, workflowId: `${run}` }));
    const outbox = filled(runs);
    expect([outbox.take(), outbox.take(), outbox.take()].map(({ length }) => length)).toEqual([
      150, 150, 100,
    ]);
  });
});

describe('what is new to a reader', () => {
  it.each<[title: string, before: LiveEvent[], event: LiveEvent, isNew: boolean]>([
    ['a beginning', [], begin, true],
    ['a repeated beginning', [begin], begin, false],
    ['another root', [], { ...begin, root: 'other' }, false],
    ['a delta', [begin], said(0, 'a'), true],
    ['a repeated delta', [begin, said(0, 'a')], said(0, 'a'), false],
    ['a delta after a merged one', [twoSaid], said(2, 'c'), true],
    ['a delta within a merged one', [twoSaid], said(1, 'b'), false],
    ['a delta after a gap', [begin], said(7, 'h'), true],
    ['a later attempt', [begin], again, true],
    ['a delta of an earlier attempt', [again], said(0, 'a'), false],
    ['a later call with attempt 1', [again], { ...begin, calledAt: 6 }, true],
    ['a call before that', [{ ...begin, calledAt: 6 }], again, false],
    ['another run', [again], { ...begin, workflowId: 'other' }, true],
    ['a move', [moved], moved, true],
  ])('%s', (_title, before, event, isNew) => {
    const check = newEvents('root');
    for (const earlier of before) check(earlier);
    expect(check(event)).toBe(isNew);
  });
});
