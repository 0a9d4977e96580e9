// Pure: no server.
import {
  EventBuffer,
  type BufferedEvent,
  type BufferPlace,
} from '../../../../src/client/stream/event-buffer';
import { emptyUsage } from '../../../../src/core/budget/usage';

const place = { root: 'r', workflowId: 'r', path: 'a', agent: 'a' };

const user = (told: number, text: string): BufferedEvent => ({
  ...place,
  told,
  type: 'user',
  message: { role: 'user', parts: [{ type: 'text', text }] },
});
const begin = (told: number, attempt = 1): BufferedEvent => ({
  ...place,
  told,
  type: 'step-begin',
  turn: 1,
  attempt,
});
const text = (told: number, delta: string): BufferedEvent => ({
  ...place,
  told,
  type: 'text',
  turn: 1,
  part: 0,
  delta,
});
const end = (told: number): BufferedEvent => ({
  ...place,
  told,
  type: 'step-end',
  turn: 1,
  content: [],
  usage: emptyUsage,
});

function tapeOf(...events: readonly BufferedEvent[]) {
  const tape = new EventBuffer();
  let orders = 0;
  const add = (...more: readonly BufferedEvent[]): void => tape.add(more, () => (orders += 1));
  add(...events);
  return { tape, add };
}

/** What a stream gets, in short. */
function rest(tape: EventBuffer, at: BufferPlace): string[] {
  const read: string[] = [];
  while (tape.orderAt(at) !== undefined) {
    const event = tape.next(at);
    read.push(event && 'delta' in event ? event.delta : (event?.type ?? 'nothing'));
  }
  return read;
}

describe('the tape of a run', () => {
  it('joins deltas that follow each other, for streams that come later', () => {
    const { tape } = tapeOf(begin(1), text(1, 'Hel'), text(1, 'lo'), end(2));
    expect(rest(tape, tape.open())).toEqual(['step-begin', 'Hello', 'step-end']);
  });

  it('gives a stream that reads along each delta once', () => {
    const { tape, add } = tapeOf(begin(1), text(1, 'Hel'));
    const at = tape.open();
    expect(rest(tape, at)).toEqual(['step-begin', 'Hel']);
    add(text(1, 'l'), text(1, 'o'));
    expect(rest(tape, at)).toEqual(['lo']);
    expect(rest(tape, at)).toEqual([]);
    add(text(1, ''), end(2));
    expect(rest(tape, at)).toEqual(['step-end']);
  });

  it('forgets what an earlier attempt said, also in front of a slow stream', () => {
    const { tape, add } = tapeOf(user(1, 'Go.'), begin(1), text(1, 'Wrong'));
    const [slow, fast] = [tape.open(), tape.open()];
    expect(rest(tape, fast)).toEqual(['user', 'step-begin', 'Wrong']);
    add(begin(1, 2), text(1, 'Right'), end(2));
    expect(rest(tape, fast)).toEqual(['step-begin', 'Right', 'step-end']);
    expect(rest(tape, slow)).toEqual(['user', 'step-begin', 'Right', 'step-end']);
    expect(rest(tape, tape.open())).toEqual(['user', 'step-begin', 'Right', 'step-end']);
  });

  it('keeps a message that came during a step that begins again', () => {
    const { tape, add } = tapeOf(user(1, 'Go.'), begin(1), text(1, 'Wro'));
    const [before, during] = [tape.open(), tape.open()];
    rest(tape, during);
    add(user(2, 'Stop.'));
    const after = tape.open();
    expect(rest(tape, after)).toEqual(['user', 'step-begin', 'Wro', 'user']);
    add(begin(2), text(2, 'Right'), end(3));
    expect(rest(tape, after)).toEqual(['step-begin', 'Right', 'step-end']);
    expect(rest(tape, during)).toEqual(['user', 'step-begin', 'Right', 'step-end']);
    expect(rest(tape, before)).toEqual(['user', 'user', 'step-begin', 'Right', 'step-end']);
  });

  it('begins after entries of the log, and before a step that they do not have', () => {
    const { tape, add } = tapeOf(user(1, 'Go.'), begin(1), text(1, 'Hel'));
    expect(rest(tape, tape.open(1))).toEqual(['step-begin', 'Hel']);
    add(text(1, 'lo'), end(2), user(3, 'More.'));
    expect(rest(tape, tape.open(1))).toEqual(['step-begin', 'Hello', 'step-end', 'user']);
    expect(rest(tape, tape.open(2))).toEqual(['user']);
    expect(rest(tape, tape.open(3))).toEqual([]);
  });

  it('never begins inside a step, though the log grew while it streamed', () => {
    const { tape, add } = tapeOf(user(1, 'Go.'), begin(1), text(2, 'Hel'));
    expect(rest(tape, tape.open(2))).toEqual(['step-begin', 'Hel']);
    add(text(2, 'lo'), end(3), user(4, 'More.'));
    expect(rest(tape, tape.open(2))).toEqual(['step-begin', 'Hello', 'step-end', 'user']);
    expect(rest(tape, tape.open(3))).toEqual(['user']);
  });
});
