// Pure: no server.
import { Compactions, compactionsOf } from '../../../../src/core/transcript/compactions';
import type { LogEvent } from '../../../../src/protocol/log';
import { noUsage, text } from '../builders';

const user: LogEvent = { kind: 'user', message: { role: 'user', parts: [text('Read.')] } };

/** A turn with one call, and its result of so many bytes. */
function turn(bytes: number): LogEvent[] {
  const call = { type: 'tool_call', callId: 'c', name: 'read', args: {} } as const;
  const result = {
    type: 'tool_result',
    callId: 'c',
    name: 'read',
    turn: 1,
    index: 0,
    isError: false,
    content: [text('x'.repeat(bytes))],
  } as const;
  return [
    { kind: 'model-turn', content: [call], usage: noUsage },
    { kind: 'tool-result', result },
  ];
}

const clear = (through: number): LogEvent => ({
  kind: 'decision',
  decision: { kind: 'clear-results', through, over: 1_024 },
});
const summary = (through: number): LogEvent => ({ kind: 'summary', text: 'They read.', through });

describe('compactionsOf', () => {
  it('says what each compaction left out, and counts nothing twice', () => {
    const log = [
      user,
      ...turn(2_048),
      ...turn(100),
      ...turn(4_096),
      clear(2),
      ...turn(3_072),
      clear(4),
      summary(3),
      ...turn(10_240),
      summary(5),
    ];
    expect(compactionsOf(log).map(({ index, turn: at, text: said }) => [index, at, said])).toEqual([
      [7, 3, '1 result cleared, 2 KiB'],
      [10, 4, '2 results cleared, 7 KiB'],
      [11, 4, 'summary of turns 1 to 3, 1 KiB less: They read.'],
      [14, 5, 'summary of turns 1 to 5, 11 KiB less: They read.'],
    ]);
  });

  it('is empty for a log without compactions', () => {
    expect(compactionsOf([user, ...turn(2_048)])).toEqual([]);
  });
});

describe('Compactions', () => {
  it('says of a log that grows what it says of the whole, and reads no entry more often', () => {
    const log = [
      user,
      ...turn(2_048),
      clear(1),
      ...turn(3_072),
      summary(1),
      ...turn(100),
      clear(3),
    ];
    let reads = 0;
    const watched = log.map((event) =>
      Object.defineProperty({ ...event }, 'kind', {
        get: () => {
          reads += 1;
          return event.kind;
        },
      }),
    );
    const compactions = new Compactions();
    const grown = watched.map((_event, last) => [...compactions.of(watched.slice(0, last + 1))]);
    const readsOfGrowing = reads;
    reads = 0;
    expect(compactionsOf(watched)).toEqual(grown.at(-1));
    expect(readsOfGrowing).toBe(reads);
    expect(grown).toEqual(log.map((_event, last) => compactionsOf(log.slice(0, last + 1))));
  });
});
