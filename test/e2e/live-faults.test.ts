// Streams of real processes: clients that leave at any time, and a PostgreSQL that dies and comes back.
import { connect } from 'node:net';
import type { StreamEvent, TurnHandle } from '../../src/client';
import { eventually } from '../workflow/eventually';
import { LiveSetup } from './live-setup';

const setup = new LiveSetup();
beforeAll(() => setup.open());
afterAll(() => setup.close());
afterEach(() => expect(setup.errors).toEqual([]));

const threadOf = (name: string) =>
  setup.longhaul.thread({ agent: 'host', userId: 'ann', sessionId: `chat-${name}` });

const say = async (conversation: string, name: string): Promise<TurnHandle> =>
  await threadOf(name).send(`${conversation} ${name}`, { messageId: 'm'.repeat(16) });

type Asked = { readonly method: string; readonly path: string; readonly body?: object };

const eventsOf = ({ workflowId }: { readonly workflowId: string }): Asked => ({
  method: 'GET',
  path: `/runs/${encodeURIComponent(workflowId)}/events?tree=1`,
});

function requestText({ method, path, body }: Asked): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'host: backend',
    'x-user: ann',
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

/** Sends the request, and leaves when it has got so many bytes, or `last`. Returns what came. */
async function take(
  backend: string,
  asked: Asked,
  { bytes = Infinity, last }: { readonly bytes?: number; readonly last?: string },
): Promise<Buffer> {
  const { hostname, port } = new URL(backend);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(requestText(asked));
  let got = Buffer.alloc(0);
  if (bytes > 0)
    for await (const chunk of socket) {
      got = Buffer.concat([got, chunk as Buffer]);
      if (got.length >= bytes || (last !== undefined && got.includes(last))) break;
    }
  socket.destroy();
  return got;
}

/**
 * Where a client may leave: around the end of each event, and at every eighth byte. It takes what has come in one piece, an event at
 * least, so at most bytes between it leaves at the same moment.
 */
function placesIn(whole: Buffer): number[] {
  const head = whole.indexOf('\r\n\r\n');
  const isEnd = (place: number): boolean => whole.subarray(place - 2, place).toString() === '\n\n';
  const all = Array.from({ length: whole.length + 1 - head }, (_, index) => head + index);
  return all.filter((place) => place % 8 === 0 || [place - 1, place, place + 1].some(isEnd));
}

describe('clients that leave', () => {
  const atOnce = 25;
  const messages = [{ id: 'm'.repeat(16), role: 'user', content: 'Ask leaving' }];
  const streams: readonly (readonly [string, (turn: TurnHandle) => Asked, string])[] = [
    ['plain', eventsOf, '"type":"paused"'],
    ['AI SDK', () => ({ method: 'GET', path: '/host/chat-leaving/stream' }), 'data: [DONE]\n\n'],
    [
      'AG-UI',
      () => ({
        method: 'POST',
        path: '/host/agui',
        body: { threadId: 'chat-leaving', runId: 'r', messages },
      }),
      '"type":"RUN_FINISHED"',
    ],
  ];
  let turn: TurnHandle;

  beforeAll(async () => {
    turn = await say('Ask', 'leaving');
    await eventually('the question', async () => (await threadOf('leaving').pending()).length > 0);
  });

  it.each(streams)('all along a stream, %s', async (_name, asked, last) => {
    const { backends } = setup;
    const whole = await take(backends[0] ?? '', asked(turn), { last });
    const places = placesIn(whole);
    expect(places.length).toBeGreaterThan(50);
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let bytes = places.shift(); bytes !== undefined; bytes = places.shift())
          await take(backends[places.length % 2] ?? '', asked(turn), { bytes });
      }),
    );
    expect((await take(backends[1] ?? '', asked(turn), { last })).toString()).toContain(last);
  });

  it('leave nothing behind, and the run goes on', async () => {
    await eventually('the backends to read nothing', async () => (await setup.readers()) === 0);
    await threadOf('leaving').resume('red');
    expect((await turn.result()).finalResponse.text).toContain('a1.1.2→');
  });
});

/** The events of a run, from a backend. */
async function* followed(turn: TurnHandle): AsyncGenerator<StreamEvent, void, void> {
  const { path } = eventsOf(turn);
  const headers = { 'x-user': 'ann' };
  const { body } = await fetch(`${setup.backends[0]}${path}`, { headers });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined) yield JSON.parse(data) as StreamEvent;
    }
  }
}

describe('a PostgreSQL that dies', () => {
  it('costs whole turns until it is back, and nothing else', async () => {
    const { postgres } = setup;
    const turn = await say('Long', 'dying');
    /** By turn: in how many pieces its text came, and what it was at its end. */
    const pieces: number[] = [];
    const texts: string[] = [];
    const ends: number[] = [];
    for await (const event of followed(turn)) {
      if (event.type === 'step-begin') [pieces[event.turn], texts[event.turn]] = [0, ''];
      if (event.type === 'step-end') ends[event.turn] = performance.now();
      if (event.type === 'text') {
        pieces[event.turn] = (pieces[event.turn] ?? 0) + 1;
        texts[event.turn] += event.delta;
        if (event.turn === 2 && pieces[2] === 5) postgres.kill();
      }
      if (event.type === 'step-end' && event.turn === 3) postgres.start();
    }
    for (const text of texts.slice(1, 11)) expect(text.match(/→/g)).toHaveLength(40);
    expect(pieces[1]).toBeGreaterThan(5);
    expect(pieces[3]).toBe(1);
    expect(Math.max(...pieces.slice(4))).toBeGreaterThan(5);
    const took = ends.map((end, number) => Math.round(end - (ends[number - 1] ?? end)));
    process.stdout.write(
      `turns of ${took.slice(2).join(', ')} ms in ${pieces.slice(1).join(', ')} pieces\n`,
    );
    expect((await turn.result()).finalResponse.text).toContain('l10.1.2→');
  });
});
