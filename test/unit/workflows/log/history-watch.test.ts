// Pure: no server.

import { limits } from '../../../../src/protocol/limits';
import {
  isDue,
  isFull,
  isOver,
  noHistory,
  type ExecutionSize,
} from '../../../../src/workflows/log/history-watch';

const size = (parts: Partial<ExecutionSize>): ExecutionSize => ({ ...noHistory, ...parts });
const large = 30_000_000;

describe('a run', () => {
  it.each<{
    name: string;
    now: Partial<ExecutionSize>;
    loaded?: Partial<ExecutionSize>;
    steps?: number;
    due: boolean;
  }>([
    { name: 'at the bytes it may have', now: { bytes: limits.historyBytes }, due: false },
    { name: 'a byte over them', now: { bytes: limits.historyBytes + 1 }, due: true },
    { name: 'at the events', now: { events: limits.historyEvents }, due: false },
    { name: 'an event over them', now: { events: limits.historyEvents + 1 }, due: true },
    { name: 'at the updates', now: { updates: limits.historyUpdates }, due: false },
    { name: 'an update over them', now: { updates: limits.historyUpdates + 1 }, due: true },
    { name: 'the server suggests', now: { bytes: 10, isSuggested: true }, due: true },
    {
      name: 'over all of it, without a step',
      now: { bytes: large, events: large, updates: large, isSuggested: true },
      steps: 0,
      due: false,
    },
    {
      name: 'that loaded much and grew little, though the server suggests',
      now: { bytes: large + limits.historyBytes + 1, isSuggested: true },
      loaded: { bytes: large },
      due: false,
    },
    {
      name: 'that grew by a share of what it loaded',
      now: { bytes: large * (1 + limits.historyGrowth) },
      loaded: { bytes: large },
      due: true,
    },
    {
      name: 'that loaded many events and made few',
      now: { events: limits.historyEvents + 100 },
      loaded: { events: 100 },
      due: false,
    },
  ])('$name: due is $due', ({ now, loaded = {}, steps = 1, due }) => {
    expect(isDue({ now: size(now), loaded: size(loaded), steps })).toBe(due);
  });

  it('moves on a bounded number of times, however much it loads', () => {
    const turn = 190 * 1024;
    let [executions, loaded] = [1, 0];
    for (let log = 0, now = 0; log + turn <= limits.maxHistoryBytes;) {
      log += turn;
      now += turn;
      if (!isDue({ now: size({ bytes: now }), loaded: size({ bytes: loaded }), steps: 1 }))
        continue;
      [executions, loaded, now] = [executions + 1, log, log];
    }
    expect(executions).toBeLessThan(10);
  });

  it.each<{ name: string; now: Partial<ExecutionSize>; over: boolean }>([
    { name: 'at the bytes', now: { bytes: limits.maxHistoryBytes }, over: false },
    { name: 'over the bytes', now: { bytes: limits.maxHistoryBytes + 1 }, over: true },
    { name: 'over the events', now: { events: limits.maxHistoryEvents + 1 }, over: true },
  ])('$name where it must end: $over', ({ now, over }) => {
    expect(isOver(size(now))).toBe(over);
  });
});

describe('what may start beside what is open', () => {
  const most = Math.floor(limits.maxHistoryBytes / limits.childResult);
  const noBytes = { bytes: -limits.maxHistoryBytes * 10 };

  it.each<{ name: string; now?: Partial<ExecutionSize>; open: number; full: boolean }>([
    { name: 'all that has room with the largest results', open: most - 1, full: false },
    { name: 'no more than that', open: most, full: true },
    { name: 'all whose answers the server takes', open: 474, now: noBytes, full: false },
    { name: 'no more than those', open: 475, now: noBytes, full: true },
    { name: 'nothing in a full history', now: { bytes: 15_000_001 }, open: 1, full: true },
    {
      name: 'nothing after so many events',
      now: { events: limits.fullHistoryEvents + 1 },
      open: 1,
      full: true,
    },
    { name: 'always what is alone', now: { bytes: limits.maxHistoryBytes }, open: 0, full: false },
  ])('$name', ({ now = {}, open, full }) => {
    expect(isFull(size(now), open)).toBe(full);
  });

  it('leaves the server room for all results, also where a codec adds a third', () => {
    let [open, bytes] = [0, 0];
    while (!isFull(size({ bytes }), open)) open += 1;
    for (; open > 0; open -= 1) bytes += (limits.childResult * 4) / 3;
    expect(bytes + 2 * limits.payload).toBeLessThan(50 * 1024 * 1024);
  });
});
