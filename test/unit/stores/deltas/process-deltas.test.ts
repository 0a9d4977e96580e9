// Pure: no server.
import { ProcessDeltas } from '../../../../src/stores/deltas/process-deltas';
import type { LiveEvent, ModelDelta } from '../../../../src/protocol/live';

const place = { root: 'root', workflowId: 'run', path: 'agent', agent: 'agent' };
const first = { ...place, turn: 1, calledAt: 5, attempt: 1 };
const begin: LiveEvent = { kind: 'begin', ...first };

function said(seq: number, text: string, of: object = first): LiveEvent {
  return { kind: 'delta', ...first, ...of, seq, delta: { kind: 'text', text } };
}

async function heardLate(events: readonly LiveEvent[], root = 'root'): Promise<LiveEvent[]> {
  const deltas = new ProcessDeltas();
  for (const event of events) deltas.publish(event);
  const heard: LiveEvent[] = [];
  deltas.subscribe(root, (event) => heard.push(event));
  expect(heard).toEqual([]);
  await Promise.resolve();
  return heard;
}

describe('a late subscriber', () => {
  it('hears the call in progress, with merged deltas', async () => {
    expect(await heardLate([begin, said(0, 'Hel'), said(1, 'lo')])).toEqual([
      begin,
      { ...said(0, 'Hello'), count: 2 },
    ]);
  });

  it.each<[title: string, events: LiveEvent[], heard: LiveEvent[]]>([
    ['nothing of another root', [{ ...begin, root: 'other' }], []],
    [
      'only the newest attempt',
      [
        begin,
        said(0, 'old'),
        { ...begin, attempt: 2 },
        said(1, 'older'),
        said(0, 'new', { attempt: 2 }),
      ],
      [{ ...begin, attempt: 2 }, said(0, 'new', { attempt: 2 })],
    ],
    [
      'nothing of a call that ended',
      [begin, said(0, 'a'), { kind: 'moved', ...place, ended: first }],
      [],
    ],
    [
      'a call that outlives a tool and an earlier attempt',
      [
        begin,
        { kind: 'moved', ...place },
        { kind: 'moved', ...place, ended: { ...first, calledAt: 4 } },
        said(0, 'a'),
      ],
      [begin, said(0, 'a')],
    ],
    [
      'nothing after a gap',
      [begin, said(0, 'a'), said(2, 'c'), said(3, 'd')],
      [begin, said(0, 'a')],
    ],
    ['nothing of a call without its beginning', [said(0, 'a')], []],
    [
      'nothing of a call that is too long',
      [begin, said(0, 'a'.repeat(600_000)), said(1, 'b'.repeat(600_000)), said(2, 'c')],
      [],
    ],
  ])('hears %s', async (_title, events, heard) => {
    expect(await heardLate(events)).toEqual(heard);
  });

  it('hears nothing of the oldest calls if there are too many', async () => {
    const calls = Array.from({ length: 50 }, (_, index) => ({ workflowId: `run-${index}` }));
    const heard = await heardLate(
      calls.flatMap((run) => [{ ...begin, ...run }, said(0, 'a'.repeat(1_000_000), run)]),
    );
    const runs = new Set(heard.map(({ workflowId }) => workflowId));
    expect(runs.size).toBe(33);
    expect(runs.has('run-0')).toBe(false);
    expect(runs.has('run-49')).toBe(true);
  });
});

describe('merging', () => {
  const call = (rest: object): ModelDelta => ({ kind: 'tool-call', index: 0, ...rest });
  const text: ModelDelta = { kind: 'text', text: 'a' };

  it.each<[title: string, deltas: ModelDelta[], merged: ModelDelta[]]>([
    ['text', [text, text], [{ kind: 'text', text: 'aa' }]],
    [
      'no reasoning with text',
      [text, { kind: 'reasoning', text: 'b' }],
      [text, { kind: 'reasoning', text: 'b' }],
    ],
    [
      'the arguments of a call',
      [call({ name: 'f', callId: 'c' }), call({ args: '{' }), call({ args: '}', complete: true })],
      [call({ name: 'f', callId: 'c', args: '{}', complete: true })],
    ],
    [
      'no two calls',
      [call({ name: 'f' }), call({ index: 1 })],
      [call({ name: 'f' }), call({ index: 1 })],
    ],
    [
      'no second name',
      [call({ name: 'f' }), call({ name: 'g' })],
      [call({ name: 'f' }), call({ name: 'g' })],
    ],
    [
      'nothing with a complete call',
      [call({ complete: true }), call({ args: '{' })],
      [call({ complete: true }), call({ args: '{' })],
    ],
    ['no call with text', [call({}), text, call({})], [call({}), text, call({})]],
  ])('merges %s', async (_title, deltas, merged) => {
    const events = deltas.map((delta, seq): LiveEvent => ({ kind: 'delta', ...first, seq, delta }));
    const [, ...heard] = await heardLate([begin, ...events]);
    expect(heard.map((event) => event.kind === 'delta' && event.delta)).toEqual(merged);
  });
});
