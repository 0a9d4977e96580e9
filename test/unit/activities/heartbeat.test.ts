// Pure: no server.
import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat, type Heartbeat } from '../../../src/activities/heartbeat';
import { limits } from '../../../src/protocol/limits';

/** What the server is told by code that beats. */
async function told(work: (heartbeat: Heartbeat) => void): Promise<unknown[]> {
  const environment = new MockActivityEnvironment();
  const details: unknown[] = [];
  environment.on('heartbeat', (latest: unknown) => details.push(latest));
  await environment.run(() =>
    withHeartbeat((_signal, { heartbeat }) => Promise.resolve(work(heartbeat))),
  );
  return details;
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
});
