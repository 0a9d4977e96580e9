// Pure: no server.
import { RetriedCalls } from '../../../../src/workflows/display/retried-calls';

type Watched = { readonly calls: RetriedCalls; end(error?: Error): Promise<void> };

function watched(activityId = '1', calls = new RetriedCalls()): Watched {
  let settle: (error?: Error) => void = () => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  calls.watch({ activityId, type: 'callModel', summary: '#3 openai/gpt-5' }, promise);
  const end = async (error?: Error): Promise<void> => {
    settle(error);
    await promise.catch(() => undefined);
  };
  return { calls, end };
}

const note = { activityId: '1', attempt: 2, lastError: 'connect ECONNREFUSED' };

describe('calls that are tried again', () => {
  it('are named as their summaries name them', () => {
    const { calls } = watched();
    expect(calls.take(note)).toBe(true);
    expect(calls.worst).toMatchObject({
      what: 'model openai/gpt-5',
      failures: 2,
      lastError: 'connect ECONNREFUSED',
    });
  });

  it.each([undefined, new Error('its time was up')])(
    'are forgotten at their end',
    async (error) => {
      const { calls, end } = watched();
      calls.take(note);
      const shown: (string | undefined)[] = [];
      calls.follow(() => shown.push(calls.worst?.what));
      await end(error);
      expect(shown).toEqual(['model openai/gpt-5', undefined]);
      expect(calls.take({ ...note, attempt: 4 })).toBe(false);
    },
  );

  it('end silently if nothing was tried again', async () => {
    const { calls, end } = watched();
    let shows = 0;
    calls.follow(() => (shows += 1));
    await end();
    expect(shows).toBe(1);
  });

  it('show the one that fails most', () => {
    const { calls } = watched();
    watched('2', calls);
    calls.take({ ...note, lastError: 'one' });
    calls.take({ ...note, activityId: '2', attempt: 8, lastError: 'other' });
    expect(calls.worst).toMatchObject({ failures: 8, lastError: 'other' });
  });

  it.each([
    ['is no object', 'again'],
    ['names a call that is not open', { ...note, activityId: '7' }],
    ['names an attempt that no worker tells of', { ...note, attempt: 3 }],
    ['counts in no numbers', { ...note, attempt: '2' }],
    ['counts below one', { ...note, attempt: 0 }],
    ['counts for ever', { ...note, attempt: Infinity }],
    ['has no error', { activityId: '1', attempt: 2 }],
  ])('take no note that %s', (_what, forged) => {
    const { calls } = watched();
    expect(calls.take(forged)).toBe(false);
    expect(calls.worst).toBeUndefined();
  });

  it('take a note once, and none of an earlier attempt', () => {
    const { calls } = watched();
    expect([note, note, { ...note, attempt: 1 }].map((each) => calls.take(each))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('keep one line of 200 bytes', () => {
    const { calls } = watched();
    calls.take({ ...note, lastError: `a\nb ${'x'.repeat(500)}` });
    expect(calls.worst?.lastError).toMatch(/^a b x+…$/);
    expect(Buffer.byteLength(calls.worst?.lastError ?? '')).toBeLessThanOrEqual(200);
  });
});
