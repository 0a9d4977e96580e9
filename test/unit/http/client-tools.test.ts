// Pure: no server. Whose tools the door takes.
import type { AgentHandlerOptions } from '../../../src/http';
import { get, post, problem, setUp } from './door';

const pick = {
  name: 'pick_item',
  description: 'Lets the user pick an item',
  inputSchema: { type: 'object' },
};

const say = { role: 'user', id: 'm1', parts: [{ type: 'text', text: 'Hello' }], content: 'Hello' };

/** The same request in each way to bring tools. */
const wires: [string, string, (tools: readonly object[]) => object][] = [
  ['a run', '/support/runs', (clientTools) => ({ input: 'Hello', clientTools })],
  ['a message', '/support/c1/messages', (clientTools) => ({ input: 'Hello', clientTools })],
  ['the AI SDK', '/support', (clientTools) => ({ id: 'c1', messages: [say], clientTools })],
  ['AG-UI', '/support/agui', (tools) => ({ threadId: 'c1', runId: 'r1', messages: [say], tools })],
];

describe.each(wires)('tools of %s', (_wire, path, body) => {
  it.each<[string, AgentHandlerOptions['clientTools'] | undefined]>([
    ['by default', undefined],
    ['if the option is off', false],
    ['if the backend says no to this caller', ({ principal }) => principal.user === 'grace'],
    ['unless the backend says true', () => Promise.resolve('yes' as never)],
  ])('are refused %s', async (_when, clientTools) => {
    const { handle, started } = setUp(clientTools === undefined ? {} : { clientTools });
    const answer = await problem(await handle(post(path, body([pick]))));
    expect(answer).toMatchObject({
      status: 403,
      code: 'ClientToolsRefused',
      detail: 'the option clientTools of agentHandler says whose tools it takes',
    });
    expect(started).toEqual([]);
  });

  it('are measured before anything looks at them', async () => {
    const { handle, started } = setUp({ clientTools: true });
    const inputSchema = { type: 'object', pattern: '(?:(?:(?:x1){1,99}){1,99}){1,99}' };
    const tools = [{ ...pick, inputSchema, parameters: inputSchema }];
    const given = path.endsWith('agui') ? tools : [{ ...pick, inputSchema }];
    const answer = await problem(await handle(post(path, body(given))));
    expect(answer).toMatchObject({
      status: 400,
      detail: expect.stringContaining('clientTools has patterns of more than') as string,
    });
    expect(started).toEqual([]);
  });
});

it('start a run if the backend takes them, and an empty list needs nobody to ask', async () => {
  const asked: unknown[] = [];
  const { handle, started } = setUp({
    clientTools: ({ principal, agent }) => Boolean(asked.push([principal.user, agent])),
  });
  expect((await handle(post('/support/runs', { input: 'x', clientTools: [] }))).status).toBe(201);
  expect(asked).toEqual([]);
  const response = await handle(post('/support/runs', { input: 'x', clientTools: [pick] }));
  expect(response.status).toBe(201);
  expect(asked).toEqual([['ada', 'support']]);
  expect(started.map(({ options }) => options.clientTools)).toEqual([undefined, [pick]]);
});

it('are in the capabilities of AG-UI only if the caller may bring some', async () => {
  for (const clientTools of [false, true]) {
    const response = await setUp({ clientTools }).handle(get('/support/agui'));
    expect(await response.json()).toMatchObject({ tools: { clientProvided: clientTools } });
  }
});

it('are no more than true, false or a function', () => {
  expect(() => setUp({ clientTools: 'yes' as never })).toThrow(
    'clientTools must be true, false or a function',
  );
});

it('do not hide behind another name: the AI SDK has a list of members, too', async () => {
  const { handle } = setUp();
  const body = { id: 'c1', messages: [say], trigger: 'submit-message', tools: [pick] };
  expect(await problem(await handle(post('/support', body)))).toMatchObject({
    status: 400,
    errors: [
      {
        pointer: '',
        detail: 'an unknown name; known: id, messages, message, messageId, trigger, clientTools',
      },
    ],
  });
});
