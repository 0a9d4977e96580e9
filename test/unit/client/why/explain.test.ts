// Pure: what is said of runs that no test can hold up at will.
import { explain, type Facts } from '../../../../src/client/why/explain';
import type { Retrying } from '../../../../src/client/why/open-calls';

const now = new Date('2026-01-01T00:02:00.000Z');
const since = '2026-01-01T00:00:00.000Z';

const said = (facts: Partial<Facts>) =>
  explain(
    {
      workflowId: 'run-1',
      status: 'running',
      end: {},
      isCancelling: false,
      isThread: false,
      ...facts,
    },
    now,
  );

const failed = (details: object): Partial<Facts> => ({
  status: 'failed',
  end: { error: { code: 'ProviderError', message: 'refused', details: { ...details } } },
});
const retry = (facts: Partial<Retrying>): Partial<Facts> => ({
  retrying: [
    { what: 'tool send_mail', workflowId: 'run-1', attempt: 7, lastError: 'not here', ...facts },
  ],
});

const deploy = { kind: 'deploy', attempt: 9, lastError: 'no such step', since } as const;

describe('explain', () => {
  it.each<[string, Partial<Facts>, RegExp, RegExp | undefined]>([
    ['a run that works', {}, /^It works/, undefined],
    ['an idle thread', { isThread: true }, /^It waits for the next message/, undefined],
    ['a cancelled run', { isCancelling: true }, /^It is being cancelled/, undefined],
    [
      'a worker that polled last, and may be gone',
      { ...retry({}), lastPoll: { taskQueue: 'shop', identity: '7@host', at: since } },
      /^The last worker of task queue 'shop' \(7@host\) polled 2 min ago; it may be gone\. It retries/,
      /start another with `longhaul worker --task-queue shop`\.$/,
    ],
    [
      'open calls, and nobody who polls',
      { lastPoll: { taskQueue: 'shop' } },
      /^Its calls wait for a worker: none polls task queue 'shop'\.$/,
      /^Start one/,
    ],
    [
      'other code',
      { waitsFor: { ...deploy, cause: 'nondeterminism' } },
      /does not match its history \(attempt 9 in 2 min\): no such step\.$/,
      /longhaul reset run-1/,
    ],
    [
      'a state of a newer version',
      { waitsFor: { ...deploy, cause: 'newer-version' } },
      /^A newer version of Longhaul has gone on with it/,
      /^Start workers of that version/,
    ],
    [
      'failing tasks',
      { waitsFor: { ...deploy, cause: 'error' } },
      /fail to go on with it/,
      /workers' log/,
    ],
    [
      'a queue without workers',
      {
        waitsFor: {
          kind: 'worker',
          taskQueue: 'agent',
          since,
          workers: 'none',
          served: ['agents'],
        },
      },
      /none polls task queue 'agent'\.$/,
      /task queue yours polls \(there are workers on 'agents'\)\.$/,
    ],
    [
      'busy workers',
      { waitsFor: { kind: 'slot', what: 'tool lookup', taskQueue: 'shop', since } },
      /^Tool lookup has waited 2 min for a free slot .* 'shop'\.$/,
      /Start more workers/,
    ],
    [
      'the deepest run below',
      {
        waitsFor: {
          kind: 'child',
          workflowId: 'run-2',
          path: 'plan/scribe',
          waitsFor: { kind: 'worker', taskQueue: 'shop', since, workers: 'silent' },
        },
      },
      /^Run 'run-2' below it \(plan\/scribe\) waits\. It has waited 2 min for a worker: some poll/,
      /overloaded/,
    ],
    [
      'a tool that no worker has',
      retry({ code: 'NotRegisteredHere', since, nextAt: '2026-01-01T00:02:03.000Z' }),
      /^It retries tool send_mail, attempt 7 in 3 s \(the first was 2 min ago\): not here\.$/,
      /^Start a worker that has tool 'send_mail'; after a minute/,
    ],
    [
      'a provider that no worker has',
      retry({ what: 'model local/small', code: 'NotRegisteredHere' }),
      /^It retries model local\/small, attempt 7 now: not here\.$/,
      /^Deploy a worker that has it/,
    ],
    ['a tool that throws', retry({}), /send_mail/, /^Mend the tool's code/],
    [
      'a wrong key while it retries',
      retry({ what: 'model anthropic/fable', code: 'ProviderError', kind: 'auth' }),
      /anthropic/,
      /^Set a valid ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN in the .*; the run goes on/,
    ],
    [
      'a wrong key',
      failed({ kind: 'auth', provider: 'openai', status: 401 }),
      /^It has failed: ProviderError: refused\.$/,
      /^Set a valid OPENAI_API_KEY in the worker's environment, .*; then start the run again\. See/,
    ],
    ['a key of its own', failed({ kind: 'auth', provider: 'my-hub' }), /failed/, /MY_HUB_API_KEY/],
    ['no named provider', failed({ kind: 'auth' }), /failed/, /^Give the workers a valid API key/],
    ['a full context', failed({ kind: 'context_length' }), /failed/, /^Set `context` of the agent/],
    [
      'a wrong URL',
      failed({ kind: 'rejected', status: 404 }),
      /failed/,
      /model's name .*`baseURL`/,
    ],
    ['any other end', failed({ kind: 'rejected' }), /failed/, /^See it with `longhaul show run-1`/],
  ])('says of %s what it waits for and what to do', (_name, facts, reason, todo) => {
    const found = said(facts);
    expect(found.reason).toMatch(reason);
    if (todo === undefined) expect(found.todo).toBeUndefined();
    else expect(found.todo).toMatch(todo);
  });
});
