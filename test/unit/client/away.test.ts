// Pure: no server. Whatever is asked of a server that is away, or with an id that it refuses, ends as an error with a code.
import { ServiceError, type Client } from '@temporalio/client';
import { Longhaul } from '../../../src/client/handles/longhaul';
import { TurnHandle } from '../../../src/client/handles/turn-handle';
import { ThreadView } from '../../../src/client/write/thread-calls';

const unavailable = 14;
const invalidArgument = 3;

/** A server that answers every call with this status. */
function answering(code: number, details: string): Longhaul {
  const fail = (): Promise<never> => {
    const cause = Object.assign(new Error(details), { code, details, metadata: {} });
    return Promise.reject(new ServiceError('refused', { cause }));
  };
  const failing = new Proxy({}, { get: () => fail });
  async function* list(): AsyncGenerator<never, void, void> {
    await fail();
  }
  const call = (_first: unknown, made: () => unknown): unknown => made();
  const client = {
    options: { namespace: 'default', loadedDataConverter: { payloadCodecs: [] } },
    connection: { operatorService: failing },
    withDeadline: call,
    withAbortSignal: call,
    workflow: {
      list,
      getHandle: () => failing,
      start: fail,
      executeUpdateWithStart: fail,
      signalWithStart: fail,
    },
    workflowService: failing,
  };
  return new Longhaul(client as unknown as Client, { taskQueue: 'queue' });
}

const first = async (list: AsyncIterable<unknown>): Promise<unknown> => {
  for await (const item of list) return item;
  return undefined;
};

const turnOf = ({ client }: Longhaul): TurnHandle =>
  new TurnHandle(client, new ThreadView(client, 't', 'queue'), {
    messageId: 'm',
    workflowId: 'r',
    turn: 1,
  });
const threadOf = (longhaul: Longhaul) => longhaul.thread({ agent: 'a', sessionId: 's' });

/** Those that wait for a server come back are left out: `outcome`, `result`, and what waits for a turn to start. */
const calls: Readonly<Record<string, (longhaul: Longhaul) => Promise<unknown>>> = {
  start: (longhaul) => longhaul.start('a', 'Go.'),
  inbox: (longhaul) => first(longhaul.inbox()),
  'inbox of a key': (longhaul) => first(longhaul.inbox({ key: { userId: 'ada' } })),
  runs: (longhaul) => first(longhaul.runs()),
  threads: (longhaul) => first(longhaul.threads()),
  orphans: (longhaul) => longhaul.orphans(),
  'run.state': (longhaul) => longhaul.run('r').state(),
  'run.pending': (longhaul) => longhaul.run('r').pending(),
  'run.usage': (longhaul) => longhaul.run('r').usage(),
  'run.tree': (longhaul) => longhaul.run('r').tree(),
  'run.tree without workers': (longhaul) => longhaul.run('r', { withoutWorker: true }).tree(),
  'run.transcript': (longhaul) => longhaul.run('r').transcript(),
  'run.transcript without workers': (longhaul) =>
    longhaul.run('r', { withoutWorker: true }).transcript(),
  'run.log': (longhaul) => longhaul.run('r').log(),
  'run.events': (longhaul) => first(longhaul.run('r').events()),
  'run.resume': (longhaul) => longhaul.run('r').resume('a'),
  'run.resume of an input': (longhaul) => longhaul.run('r').resume('a', { inputId: 'q1.0' }),
  'run.approve': (longhaul) => longhaul.run('r').approve('a1.0'),
  'run.reject': (longhaul) => longhaul.run('r').reject('a1.0', 'no'),
  'run.cancel': (longhaul) => longhaul.run('r').cancel(),
  'run.reset': (longhaul) => longhaul.run('r').reset({ to: 1 }),
  'thread.send': (longhaul) => threadOf(longhaul).send('Hello'),
  'thread.clear': (longhaul) => threadOf(longhaul).clear(),
  'thread.turns': (longhaul) => threadOf(longhaul).turns(),
  'thread.session': (longhaul) => threadOf(longhaul).session(),
  'thread.pending': (longhaul) => threadOf(longhaul).pending(),
  'thread.state': (longhaul) => threadOf(longhaul).state(),
  'thread.resume': (longhaul) => threadOf(longhaul).resume('a'),
};

describe.each([
  {
    server: 'that is away',
    code: unavailable,
    details: 'no connection',
    told: 'ServerUnavailable',
  },
  {
    server: 'that refuses the id',
    code: invalidArgument,
    details: 'too long',
    told: 'InvalidInput',
  },
])('a server $server', ({ code, details, told }) => {
  it.each(Object.entries(calls))('is told as such by %s', async (_name, call) => {
    await expect(call(answering(code, details))).rejects.toMatchObject({ code: told });
  });
});

it('a turn tells of a server that refuses its id', async () => {
  const turn = turnOf(answering(invalidArgument, 'too long'));
  await expect(turn.state()).rejects.toMatchObject({ code: 'InvalidInput' });
});
