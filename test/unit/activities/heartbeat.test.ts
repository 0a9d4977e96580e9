// Pure: no server.
import { CompleteAsyncError } from '@temporalio/activity';
import { ActivityCancelledError, ActivityNotFoundError, type Client } from '@temporalio/client';
import {
  type Beats,
  type Heartbeat,
  type LoopWatch,
  withHeartbeat,
} from '../../../src/activities/heartbeat';
import type { Json } from '../../../src/base/json';
import { askAboutCalls } from '../../../src/activities/open-calls';
import { limits } from '../../../src/protocol/limits';
import { QuietActivity } from './quiet-activity';

/** What the server is told by code that beats. */
async function told(work: (heartbeat: Heartbeat) => void): Promise<unknown[]> {
  const environment = new QuietActivity();
  const details: unknown[] = [];
  environment.on('heartbeat', (latest: unknown) => details.push(latest));
  await environment.run(() =>
    withHeartbeat({}, (_signal, { heartbeat }) => Promise.resolve(work(heartbeat))),
  );
  return details;
}

/** The beats of the SDK, and those that the attempt waits for. */
async function sent(work: (beats: Beats) => Promise<void>): Promise<object[]> {
  const beats: object[] = [];
  const client = {
    withDeadline: (_deadline: unknown, call: () => unknown) => call(),
    withAbortSignal: (_signal: unknown, call: () => unknown) => call(),
    activity: { heartbeat: (_token: unknown, told: unknown) => void beats.push({ told }) },
  } as unknown as Client;
  const environment = new QuietActivity({}, { client });
  environment.on('heartbeat', (beat: unknown) => beats.push({ beat }));
  await environment
    .run(() => withHeartbeat({}, async (_signal, own) => await work(own)))
    .catch(() => undefined);
  return beats;
}

describe('withHeartbeat', () => {
  it('tells details up to the limit', async () => {
    const largest = 'x'.repeat(limits.heartbeat - 2);
    expect(await told((heartbeat) => heartbeat(largest))).toEqual([largest]);
  });

  it('refuses larger ones where they are told, and keeps the latest good ones', async () => {
    const details = await told((heartbeat) => {
      heartbeat({ done: 1 });
      expect(() => heartbeat('x'.repeat(limits.heartbeat - 1))).toThrow(
        'the details of a heartbeat have 65537 bytes; at most 65536 are kept',
      );
      heartbeat();
    });
    expect(details).toEqual([{ done: 1 }, { done: 1 }]);
  });

  it('tells what the details were, not what became of them', async () => {
    const progress = { done: 1 };
    const details = await told((heartbeat) => {
      heartbeat(progress);
      progress.done = 2;
      heartbeat();
    });
    expect(details).toEqual([{ done: 1 }, { done: 1 }]);
  });

  it('sends kept details when the attempt fails, unless the server has them', async () => {
    const fail = (): never => {
      throw new Error('failed');
    };
    const kept = await sent(async ({ keep }) => Promise.resolve(keep('kept')).then(fail));
    expect(kept).toEqual([{ beat: 'kept' }]);
    const told = await sent(async ({ keep, tell }) => {
      keep('kept');
      await tell();
      fail();
    });
    expect(told).toEqual([{ told: 'kept' }]);
  });

  it('tells the SDK first if it may hold an earlier beat back', async () => {
    const beats = await sent(async ({ heartbeat, keep, tell }) => {
      heartbeat();
      keep('kept');
      await tell();
    });
    expect(beats).toEqual([{ beat: undefined }, { beat: 'kept' }, { told: 'kept' }]);
  });
});

/** A call that waits for its signal, whose server gives these answers after a hint. `asked`: what the server got. */
async function hinted(answers: readonly (Error | undefined)[]) {
  const asked: string[] = [];
  const left = [...answers];
  const client = {
    withDeadline: (_deadline: unknown, call: () => unknown) => call(),
    withAbortSignal: (_signal: unknown, call: () => unknown) => call(),
    activity: {
      heartbeat: () => {
        asked.push('is it over?');
        const answer = left.shift();
        return answer ? Promise.reject(answer) : Promise.resolve();
      },
      reportCancellation: () => Promise.resolve(void asked.push('cancelled')),
    },
  } as unknown as Client;
  const workflowExecution = { workflowId: 'run', runId: 'hinted' };
  const environment = new QuietActivity({ workflowExecution }, { client });
  const error: unknown = await environment
    .run(() =>
      withHeartbeat({}, async (signal) => {
        askAboutCalls('another');
        askAboutCalls('hinted');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        asked.push(`aborted: ${(signal.reason as Error).name}`);
      }),
    )
    .catch((thrown: unknown) => thrown);
  return { asked, error };
}

describe('a hint that a call may be cancelled', () => {
  it('is not believed: the server decides', async () => {
    const cancelled = new ActivityCancelledError('cancelled');
    const { asked, error } = await hinted([undefined, new Error('away'), cancelled]);
    const questions = ['is it over?', 'is it over?', 'is it over?'];
    expect(asked).toEqual([...questions, 'aborted: CancelledFailure', 'cancelled']);
    expect(error).toBeInstanceOf(CompleteAsyncError);
  });

  it('ends a call that the server does not know any more, without a word to it', async () => {
    const { asked, error } = await hinted([new ActivityNotFoundError('its run has ended')]);
    expect(asked).toEqual(['is it over?', 'aborted: CancelledFailure']);
    expect(error).toBeInstanceOf(CompleteAsyncError);
  });
});

/** What a watch of the event loop hears of one call, in order, and what the server hears. */
async function watched(
  work: (beats: Beats) => void,
  { earlier }: { earlier?: Json } = {},
): Promise<unknown[]> {
  const environment = new QuietActivity({ heartbeatDetails: earlier });
  const heard: unknown[] = [];
  environment.on('heartbeat', (latest: unknown) => heard.push(['server', latest]));
  const loopWatch: LoopWatch = {
    wasBlocked: () => false,
    open: (_token, { activityId }) => {
      heard.push(['open', activityId]);
      return {
        tell: (details) => void heard.push(['watch', details]),
        end: () => void heard.push(['end']),
      };
    },
  };
  await environment.run(() =>
    withHeartbeat({ loopWatch }, (_signal, beats) => Promise.resolve(work(beats))),
  );
  return heard;
}

describe('a watch of the event loop', () => {
  it('hears the details that go to the server, each once, and the end', async () => {
    const heard = await watched(({ heartbeat, keep }) => {
      heartbeat();
      keep({ kept: 1 });
      heartbeat();
      heartbeat();
    });
    expect(heard).toEqual([
      ['open', 'test'],
      ['server', undefined],
      ['watch', { kept: 1 }],
      ['server', { kept: 1 }],
      ['server', { kept: 1 }],
      ['end'],
    ]);
  });

  it('hears the details of the attempt before at once, which a beat without them would erase', async () => {
    const heard = await watched(() => undefined, { earlier: { kept: 2 } });
    expect(heard.slice(0, 2)).toEqual([
      ['open', 'test'],
      ['watch', { kept: 2 }],
    ]);
  });

  it.each([
    { said: 'knows the call', name: 'Error', begins: true },
    { said: 'gave the call up', name: 'ActivityNotFoundError', begins: false },
  ])('makes a call that waited for a blocked loop ask a server that $said', async (row) => {
    const heartbeat = jest.fn(() => Promise.reject(Object.assign(new Error(), { name: row.name })));
    const client = {
      activity: { heartbeat },
      withDeadline: (_deadline: number, ask: () => Promise<void>) => ask(),
      withAbortSignal: (_signal: AbortSignal, run: () => Promise<void>) => run(),
    } as unknown as Client;
    const environment = new QuietActivity({}, { client });
    const begin = jest.fn(() => Promise.resolve());
    const loopWatch: LoopWatch = {
      wasBlocked: () => true,
      open: () => ({ tell: () => undefined, end: () => undefined }),
    };
    const ended = environment
      .run(() => withHeartbeat({ loopWatch }, begin))
      .then(
        () => true,
        () => false,
      );
    expect([await ended, begin.mock.calls.length]).toEqual([row.begins, row.begins ? 1 : 0]);
    expect(heartbeat).toHaveBeenCalledTimes(1);
  });
});
