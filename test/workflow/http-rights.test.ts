// Who may answer what over HTTP, by every route: the run decides, whatever the handler knows of it.

import { randomUUID } from 'node:crypto';
import { defineTool, subAgent } from '../../src';
import { type Longhaul, RunHandle } from '../../src/client';
import { listedInputId } from '../../src/core/people/input-ids';
import { agentHandler, type Principal } from '../../src/http';
import type { CreateWorkerOptions } from '../../src/worker';
import type { Json } from '../../src/base/json';
import { signalNames } from '../../src/protocol/names';
import { aTool, callOf } from './builders';
import { eventually } from './eventually';
import { openHarness } from './harness';
import { withoutRights } from './next-version';
import { scriptedAgents } from './scripted-agents';

const ada: Principal = { user: 'ada', tenant: 'acme' };
const lead: Principal = { user: 'mia', tenant: 'acme', sees: 'tenant' };

/** What a model call of the script counts. */
const perCall = 15;

/** What `look` waits for. */
class Gate {
  begun = 0;
  #open: () => void = () => undefined;

  async waits(begun: number): Promise<void> {
    await eventually('the tool works', () => this.begun >= begun);
  }

  readonly pass = (): Promise<string> => {
    this.begun += 1;
    return new Promise((resolve) => (this.#open = () => resolve('seen')));
  };

  open(): void {
    this.#open();
  }
}

/** One spends its budget in its first turn, one waits for a bank, and one calls that one. */
function agentsBehind(gate: Gate) {
  const scripted = scriptedAgents();
  const check = defineTool({
    name: 'check',
    description: 'Asks the bank',
    inputSchema: { type: 'object', properties: {} },
    result: 'later',
    execute: () => undefined,
  });
  const look = aTool('look', gate.pass);
  const banker = scripted.agent('banker', [callOf('look'), callOf('check'), 'Paid.'], {
    tools: [look, check],
  });
  const boss = scripted.agent('boss', [callOf('bank', { input: 'Go.' }), 'Done.'], {
    tools: [subAgent(banker, { name: 'bank', description: 'Knows the bank' })],
  });
  const spender = scripted.agent('spender', [callOf('look'), callOf('look'), 'Done.'], {
    tools: [look],
  });
  return { runners: [spender, banker, boss], providers: { scripted: scripted.provider } };
}

/** The same value for the same input, by each wire. */
const wires = {
  plain: (turn: string, inputId: string, value: Json): [path: string, body: object] => {
    const input = `/runs/${encodeURIComponent(turn)}/inputs/${encodeURIComponent(inputId)}`;
    return inputId.startsWith('t')
      ? [`${input}/complete`, { value }]
      : [`${input}/answer`, { answer: value }];
  },
  agUi: (agent: string, chat: string, inputId: string, payload: Json): [string, object] => {
    const resume = [{ interruptId: inputId, status: 'resolved', payload }];
    return [`/${agent}/agui`, { threadId: chat, runId: 'r', messages: [], resume }];
  },
  aiSdk: (agent: string, chat: string, toolCallId: string, output: Json): [string, object] => {
    const parts = [{ type: 'tool-x', state: 'output-available', toolCallId, output }];
    return [`/${agent}`, { id: chat, message: { id: 'm', role: 'assistant', parts } }];
  },
};

/** A handler before workers of this version or another one. */
async function openDesk(workerOptions: CreateWorkerOptions['workerOptions'] = {}) {
  const harness = await openHarness();
  const gate = new Gate();
  await harness.worker({ ...agentsBehind(gate), workerOptions });
  const handle = agentHandler(harness.longhaul, {
    agents: ['spender', 'banker', 'boss'],
    authenticate: (request) => JSON.parse(request.headers.get('x-user') ?? '{}') as Principal,
    startWith: ({ agent }) => (agent === 'spender' ? { budget: { maxTokens: perCall } } : {}),
  });

  const post = async (principal: Principal, path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-user': JSON.stringify(principal) };
    const request = new Request(`http://agents.test${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const response = await handle(request);
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const read = isJson ? ((await response.json()) as { code?: string }) : undefined;
    if (!isJson) await response.body?.cancel();
    return [response.status, ...(read?.code === undefined ? [] : [read.code])];
  };

  /** A chat whose turn works. */
  async function working(agent: string) {
    const chat = randomUUID();
    const { begun } = gate;
    const sent = await post(ada, `/${agent}/${chat}/messages`, { input: 'Go.' });
    expect(sent).toEqual([202]);
    await gate.waits(begun + 1);
    const thread = harness.longhaul.thread({
      agent,
      appName: harness.longhaul.application,
      userId: 'ada',
      tenant: 'acme',
      sessionId: chat,
    });
    const [turn] = await thread.turns();
    const workflowId = turn?.workflowId ?? '';
    const open = async (): Promise<string> => {
      gate.open();
      await eventually('an open input', async () => (await thread.pending()).length > 0);
      return (await thread.pending())[0]?.inputId ?? '';
    };
    return { chat, thread, workflowId, open };
  }

  return { harness, gate, post, working };
}

describe('answers over HTTP', () => {
  let desk: Awaited<ReturnType<typeof openDesk>>;
  let post: (typeof desk)['post'];
  let working: (typeof desk)['working'];
  let longhaul: Longhaul;
  let gate: Gate;

  beforeAll(async () => {
    desk = await openDesk();
    ({ post, working, gate } = desk);
    ({ longhaul } = desk.harness);
  });
  afterAll(() => desk.harness.close());

  it('an early answer is not waiting, at once and by every wire, and changes nothing', async () => {
    const { chat, thread, workflowId, open } = await working('spender');
    const budget = listedInputId(workflowId, `budget-2-${perCall}`);
    const early = [409, 'NotWaiting'];
    expect(await post(ada, ...wires.agUi('spender', chat, budget, 1_000_000))).toEqual(early);
    expect(await post(ada, ...wires.aiSdk('spender', chat, budget, 1_000_000))).toEqual(early);
    expect(await post(ada, ...wires.plain(workflowId, budget, 1_000_000))).toEqual(early);
    const verdict = { inputId: listedInputId(workflowId, 'a2.0'), approved: true };
    const parts = [{ type: 'data-longhaul-verdict', data: verdict }];
    const message = { id: 'm', role: 'assistant', parts };
    expect(await post(ada, '/spender', { id: chat, message })).toEqual(early);
    expect(await open()).toBe(budget);
    expect(await thread.audit()).not.toContainEqual(expect.objectContaining({ kind: 'verdict' }));
    await thread.resume('stop');
  });

  it('only somebody who sees more than their own runs raises a budget', async () => {
    const { chat, thread, workflowId, open } = await working('spender');
    const budget = await open();
    const refused = [403, 'NotPermitted'];
    const tries = async (): Promise<void> => {
      expect(await post(ada, ...wires.agUi('spender', chat, budget, 1_000))).toEqual(refused);
      expect(await post(ada, ...wires.aiSdk('spender', chat, budget, 1_000))).toEqual(refused);
      expect(await post(ada, ...wires.plain(workflowId, budget, 1_000))).toEqual(refused);
      expect(await post(ada, ...wires.plain(thread.threadId, budget, 1_000))).toEqual(refused);
    };
    await tries();
    // The memo lists inputs up to 2 KiB. A handler whose workers are slow knows no more.
    const pending = jest.spyOn(RunHandle.prototype, 'pending').mockResolvedValue([]);
    expect(await post(ada, ...wires.agUi('spender', chat, budget, 1_000))).toEqual(refused);
    expect(await post(ada, ...wires.plain(workflowId, budget, 1_000))).toEqual(refused);
    pending.mockRestore();
    const { begun } = gate;
    expect(await post(lead, ...wires.plain(workflowId, budget, 1_000))).toEqual([204]);
    await gate.waits(begun + 1);
    gate.open();
    await thread.turn((await thread.turns())[0] as never).result();
    expect(await thread.audit()).toContainEqual(
      expect.objectContaining({ kind: 'verdict', by: { id: 'mia' }, added: { tokens: 1_000 } }),
    );
  });

  it('anybody may end a run at its budget', async () => {
    const { thread, workflowId, open } = await working('spender');
    const budget = await open();
    expect(await post(ada, ...wires.plain(workflowId, budget, ' Stop '))).toEqual([204]);
    await eventually('the end', async () => (await thread.turns())[0]?.status === 'failed');
  });

  it.each(['banker', 'boss'])('no wire gives a result that comes by token: %s', async (agent) => {
    const { chat, thread, workflowId, open } = await working(agent);
    const { children = [] } = await longhaul.run(workflowId).tree();
    const asking = children[0]?.workflowId ?? workflowId;
    const early = listedInputId(asking, 't2.0');
    const notYet = [409, 'NotWaiting'];
    const paid = { paid: true };
    expect(await post(ada, ...wires.agUi(agent, chat, early, paid))).toEqual(notYet);
    expect(await post(ada, ...wires.plain(workflowId, early, paid))).toEqual(notYet);
    expect(await open()).toBe(early);
    const refused = [403, 'NotPermitted'];
    for (const principal of [ada, { ...lead, sees: 'all' } as const]) {
      expect(await post(principal, ...wires.plain(workflowId, early, paid))).toEqual(refused);
      const [path] = wires.plain(workflowId, early, paid);
      const fail = path.replace(/complete$/, 'fail');
      expect(await post(principal, fail, { reason: 'no' })).toEqual(refused);
    }
    expect(await post(ada, ...wires.plain(asking, early, paid))).toEqual(refused);
    expect(await post(ada, ...wires.plain(thread.threadId, early, paid))).toEqual(refused);
    expect(await post(ada, ...wires.agUi(agent, chat, early, paid))).toEqual(refused);
    expect(await post(ada, ...wires.aiSdk(agent, chat, early, paid))).toEqual(refused);
    // The run that asked looks again at what a run above it passed on.
    const forwarded = { kind: 'complete', inputId: early, value: paid, may: ['raise-budget'] };
    const { client } = longhaul;
    await client.workflow.getHandle(asking).signal(signalNames.answer, forwarded);
    await eventually('a refusal', async () => {
      const { rejected } = await longhaul.run(asking).state();
      return rejected.some(({ code }) => code === 'NotPermitted');
    });
    await thread.complete(early, { paid: false });
    const end = await thread.turn((await thread.turns())[0] as never).result();
    expect(end.finalResponse.text).toBe(agent === 'banker' ? 'Paid.' : 'Done.');
  });

  it('counts an answer that somebody gave to the run itself, and tells what comes after', async () => {
    const { chat, thread, workflowId, open } = await working('spender');
    const budget = await open();
    const { begun } = gate;
    expect(await post(lead, ...wires.plain(workflowId, budget, 1_000))).toEqual([204]);
    await gate.waits(begun + 1);
    // The thread did not take that answer, and nothing is open.
    expect(await post(ada, ...wires.agUi('spender', chat, budget, 'stop'))).toEqual([200]);
    gate.open();
    await thread.turn((await thread.turns())[0] as never).result();
  });
});

it('holds to the rights of people before workers that do not know them', async () => {
  const { harness, post, working } = await openDesk(withoutRights());
  const { thread, workflowId, open } = await working('spender');
  const early = listedInputId(workflowId, `budget-2-${perCall}`);
  const raise = wires.plain(workflowId, early, 1_000);
  expect(await post(ada, ...raise)).toEqual([409, 'NotWaiting']);
  expect(await open()).toBe(early);
  expect(await post(ada, ...raise)).toEqual([403, 'NotPermitted']);
  expect(await post(ada, ...wires.plain(workflowId, early, 'stop'))).toEqual([204]);
  await eventually('the end', async () => (await thread.turns())[0]?.status === 'failed');
  await harness.close();
});
