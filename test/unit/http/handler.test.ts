// Pure: no server. What a request meets at the door, before any run is asked. The runs are in test/workflow/http.test.ts.

import type { AgentHandlerOptions } from '../../../src/http';
import { LonghaulError } from '../../../src/protocol/errors';
import { get, post, problem, setUp } from './door';

describe('options', () => {
  test.each<[string, object, RegExp]>([
    ['no agents', { agents: [] }, /at least one agent/],
    ...['runs', 'threads', 'inbox', 'openapi.json'].map((id): [string, object, RegExp] => [
      id,
      { agents: ['a', id] },
      /has the name of a route/,
    ]),
    ['an unknown option', { authentication: 1 }, /'authentication' is not a member/],
    ['no authenticate', { authenticate: undefined }, /authenticate must be a function/],
    ['a base path with a slash at its end', { basePath: '/api/' }, /basePath/],
    ['cookies for every origin', { cors: { origins: '*', credentials: true } }, /name the origins/],
    ['an unknown member of cors', { cors: { origins: '*', origin: 1 } }, /'origin'/],
    ['something else as deltas', { deltas: {} }, /deltas/],
    ['no size', { maxBodyBytes: 0 }, /maxBodyBytes/],
    ['a name of an application with a line break', { appName: 'a\nb' }, /application/],
  ])('refuse %s', (_, options, message) => {
    expect(() => setUp(options as Partial<AgentHandlerOptions>)).toThrow(message);
  });
});

describe('paths', () => {
  test.each([
    ['/', 404],
    ['/nothing/of/the/kind', 404],
    ['//runs', 404],
    ['/runs//events', 404],
    ['/runs/', 404],
    ['/runs/%', 400],
    ['/runs/%ff', 400],
    ['/runs/a%00b', 400],
    ['/runs/a%0Ab/events', 400],
  ])('%s is %i', async (path, status) => {
    const { handle } = setUp();
    expect((await problem(await handle(get(path)))).status).toBe(status);
  });

  test('are below the base path only', async () => {
    const { handle } = setUp({ basePath: '/api/agents' });
    expect((await handle(get('/api/agents/openapi.json'))).status).toBe(200);
    expect((await handle(get('/openapi.json'))).status).toBe(404);
    expect((await handle(get('/api/agentsx/openapi.json'))).status).toBe(404);
    expect((await handle(get('/api/agents'))).status).toBe(404);
  });

  test('take the methods of their routes', async () => {
    const { handle } = setUp();
    const refused = await handle(new Request('http://agents.test/runs/a', { method: 'PUT' }));
    expect(await problem(refused)).toMatchObject({ status: 405, code: 'MethodNotAllowed' });
    expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    const options = await handle(get('/support/runs', { method: 'OPTIONS' }));
    expect(options.status).toBe(204);
    expect(options.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
    const trace = await handle(get('/inbox', { method: 'DELETE' }));
    expect(trace.status).toBe(405);
  });

  test('answer HEAD like GET, without a body', async () => {
    const { handle } = setUp();
    const head = await handle(get('/openapi.json', { method: 'HEAD' }));
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('application/json');
    expect(await head.text()).toBe('');
    const refused = await handle(get('/inbox?wrong=1', { method: 'HEAD' }));
    expect(refused.status).toBe(400);
    expect(await refused.text()).toBe('');
  });
});

describe('authentication', () => {
  test.each([undefined, null])('refuses who is %s', async (principal) => {
    const { handle, errors } = setUp({ authenticate: () => principal });
    const answer = await handle(get('/runs'));
    expect(await problem(answer)).toMatchObject({ status: 401, code: 'NotAuthenticated' });
    expect(errors).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['true', true],
    ['a text', 'ada'],
    ['no user', {}],
    ['an empty user', { user: '' }],
    ['a user that is a number', { user: 7 }],
    ['a line break', { user: 'a\nb' }],
    ['an unknown member', { user: 'ada', tennant: 'acme' }],
    ['roles that are a text', { user: 'ada', roles: 'admin' }],
    ['an empty tenant', { user: 'ada', tenant: '' }],
    ['an unknown width', { user: 'ada', sees: 'everything' }],
    ['a tenant without a name', { user: 'ada', sees: 'tenant' }],
  ])('that returns %s is a fault of the server', async (_, principal) => {
    const { handle, errors } = setUp({
      authenticate: (() => principal) as unknown as AgentHandlerOptions['authenticate'],
    });
    expect(await problem(await handle(get('/runs')))).toMatchObject({ code: 'InternalError' });
    expect(errors).toHaveLength(1);
  });

  test.each([
    new Error('secret of the database'),
    new LonghaulError('RunNotFound', 'secret of the database'),
  ])('that throws tells the backend and nobody else', async (failure) => {
    const { handle, errors } = setUp({
      authenticate: () => {
        throw failure;
      },
    });
    const answer = await handle(get('/runs'));
    const text = await answer.text();
    expect([answer.status, text.includes('secret')]).toEqual([500, false]);
    expect(errors).toEqual([failure]);
  });

  test('a hook for errors that throws breaks nothing', async () => {
    const { handle } = setUp({
      authenticate: () => ({ user: '' }),
      onError: () => {
        throw new Error('no log');
      },
    });
    expect((await handle(get('/runs'))).status).toBe(500);
  });
});

describe('a start', () => {
  test('has the key and the actor of the principal, and what the backend adds', async () => {
    const { handle, started } = setUp({
      startWith: ({ principal, agent }) => ({ context: { account: `${principal.user}@${agent}` } }),
    });
    const answer = await handle(post('/support/runs', { input: 'Hello' }));
    expect([answer.status, await answer.json()]).toEqual([201, { workflowId: 'support-1' }]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(started).toEqual([
      {
        runner: 'support',
        input: 'Hello',
        options: {
          key: { appName: 'shop', userId: 'ada', tenant: 'acme' },
          by: { id: 'ada', roles: ['agent'] },
          context: { account: 'ada@support' },
        },
      },
    ]);
  });

  test('with a known request id finds the run', async () => {
    const { handle, started } = setUp({}, new LonghaulError('RunAlreadyExists', 'is there'));
    const send = async () => await handle(post('/support/runs', { input: 'x', requestId: 'r' }));
    const answers = [await send(), await send()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [first, second] = started.map(({ options }) => options.workflowId);
    expect(first).toMatch(/^support-[0-9a-f]{32}$/);
    expect(second).toBe(first);
  });

  test('of an agent that is not one of the handler is like one of an agent that nobody has', async () => {
    const { handle, started } = setUp();
    const answers = ['/admin/runs', '/nobody/runs'].map(async (path) => {
      const answer = await handle(post(path, { input: 'x' }));
      return [answer.status, await answer.text()];
    });
    const [known, unknown] = await Promise.all(answers);
    expect(known).toEqual(unknown);
    expect(known?.[0]).toBe(404);
    expect(started).toEqual([]);
  });

  test('by a backend whose option fails is a fault of the server', async () => {
    const wrong = [() => 'nothing', () => ({ contxt: {} }), () => Promise.reject(new Error('no'))];
    for (const startWith of wrong) {
      const { handle, errors } = setUp({
        startWith: startWith as unknown as NonNullable<AgentHandlerOptions['startWith']>,
      });
      expect((await handle(post('/support/runs', { input: 'x' }))).status).toBe(500);
      expect(errors).toHaveLength(1);
    }
  });
});

test.each([
  '/runs?limit=0',
  '/runs?limit=201',
  '/runs?limit=1e2',
  '/runs?limit=1&limit=2',
  '/runs?status=broken',
  '/runs?user=bob',
  '/inbox?kind=other',
  '/threads?last=1',
])('refuses the query of %s', async (path) => {
  const { handle } = setUp();
  expect(await problem(await handle(get(path)))).toMatchObject({ code: 'InvalidInput' });
});

test('no answer repeats anything of a request', async () => {
  const { handle } = setUp();
  const word = 'xyzzy';
  const requests = [
    get(`/${word}`),
    get(`/runs/${word}%00`),
    get(`/runs?${word}=${word}`),
    get(`/runs?limit=${word}`),
    get(`/inbox?kind=${word}`),
    new Request(`http://agents.test/runs/${word}`, { method: 'PATCH', headers: { [word]: word } }),
    post(`/${word}/runs`, { input: word }),
    post(`/support/runs`, word),
    post(`/support/runs`, { [word]: word }),
    post(`/support/runs`, { input: { [word]: word } }),
    post(`/support/runs`, { input: 'x', requestId: [word] }),
    post(`/support/runs`, { input: word }, { 'content-type': word }),
  ];
  for (const request of requests) {
    const answer = await handle(request);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    const headers = JSON.stringify([...answer.headers]);
    expect(`${headers} ${await answer.text()}`).not.toContain(word);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

describe('other origins', () => {
  const preflight = (origin: string) =>
    get('/support/runs', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });
  const corsOf = ({ headers }: Response) =>
    [...headers].filter(([name]) => name.startsWith('access-control-'));

  test('get nothing without the option', async () => {
    const { handle } = setUp();
    expect(corsOf(await handle(preflight('https://app.test')))).toEqual([]);
    expect(
      corsOf(await handle(get('/x/y/z', { headers: { origin: 'https://app.test' } }))),
    ).toEqual([]);
  });

  test('get what the option says, also with an error', async () => {
    const cors = { origins: ['https://app.test'], credentials: true, headers: ['x-csrf'] };
    const { handle } = setUp({ cors });
    const allowed = await handle(preflight('https://app.test'));
    expect(Object.fromEntries(corsOf(allowed))).toEqual({
      'access-control-allow-origin': 'https://app.test',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
      'access-control-allow-headers': 'content-type, authorization, last-event-id, x-csrf',
      'access-control-max-age': '600',
    });
    const refused = await handle(get('/x/y/z', { headers: { origin: 'https://app.test' } }));
    expect(refused.status).toBe(404);
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://app.test');
    const foreign = await handle(preflight('https://evil.test'));
    expect([corsOf(foreign), foreign.headers.get('vary')]).toEqual([[], 'Origin']);
  });

  test('may be all of them, without cookies', async () => {
    const { handle } = setUp({ cors: { origins: '*' } });
    const answer = await handle(preflight('https://any.test'));
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
  });
});
