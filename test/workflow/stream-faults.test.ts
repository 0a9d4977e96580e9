// Streams when something breaks, on the dev server: of the run, of its history, of the server.

import { randomUUID } from 'node:crypto';
import { connect, type Longhaul, type RunHandle, type StreamEvent } from '../../src/client';
import { agentHandler } from '../../src/http';
import { workflowTypes } from '../../src/protocol/names';
import { Proxy } from '../contract/tcp-proxy';
import { devServerAddress } from '../servers';
import { askUser, aTool, callOf, TestAgents } from './builders';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { continueAsNew } from './history';
import { adapters, caller, principalOf, serve, type Server } from './http-server';

const principal = { user: 'ada' };

describe('a stream', () => {
  let harness: Harness;
  let longhaul: Longhaul;
  let server: Server;
  const errors: unknown[] = [];
  const agents = new TestAgents();
  const look = aTool('look', () => 'seen');
  const asking = [callOf('look'), askUser('Red or blue?'), 'Fine.'];
  for (const id of ['ended', 'gone', 'deleted', 'moving', 'killed', 'silent', 'open'])
    agents.agent(id, asking, { askUser: 'tool', tools: [look] });

  beforeAll(async () => {
    harness = await openHarness();
    longhaul = harness.longhaul;
    await harness.deploy({ runners: agents.runners, providers: agents.providers });
    const handle = agentHandler(longhaul, {
      agents: agents.runners,
      authenticate: principalOf,
      onError: (error) => void errors.push(error),
    });
    server = await serve(adapters.node(handle));
  });
  afterAll(async () => {
    await server.close();
    await harness.close();
  });

  const events = (run: RunHandle): string => `/runs/${encodeURIComponent(run.workflowId)}/events`;

  /** Answers as soon as the run waits. */
  async function endOf(run: RunHandle): Promise<StreamEvent[]> {
    const told: StreamEvent[] = [];
    for await (const event of run.stream()) {
      told.push(event);
      if (event.type === 'paused') await run.resume('blue');
    }
    return told;
  }

  async function remove({ workflowId }: RunHandle): Promise<void> {
    const { client } = longhaul;
    const { namespace } = client.options;
    const workflowExecution = { workflowId };
    await client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    await eventually('the run to be deleted', async () => {
      const described = client.workflow.getHandle(workflowId).describe();
      return await described.then(
        () => false,
        () => true,
      );
    });
  }

  const logged = (told: readonly StreamEvent[]): unknown[] =>
    told.flatMap(({ position: _position, ...event }) =>
      ['user', 'step-end', 'verdict', 'result', 'end'].includes(event.type) ? [event] : [],
    );

  async function post(agent: string, path: string, body: object): Promise<string> {
    const response = await fetch(`${server.url}/${agent}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': JSON.stringify(principal) },
      body: JSON.stringify(body),
    });
    return `${response.status} ${await response.text()}`;
  }

  it('of a run that has ended waits for a worker, because history alone lacks answers', async () => {
    const own = await openHarness();
    const options = { runners: agents.runners, providers: agents.providers };
    const worker = await own.worker(options);
    const run = await own.longhaul.start('ended', 'Go.');
    const told = await endOf(run);
    await worker.stop();
    const other = await connect({ address: devServerAddress(), taskQueue: own.taskQueue });
    const late: StreamEvent[] = [];
    for await (const event of other.run(run.workflowId).stream()) {
      late.push(event);
      if (event.type === 'stalled') await own.worker(options);
    }
    expect(late[0]).toMatchObject({ type: 'stalled', reason: 'worker' });
    expect(logged(late)).toEqual(logged(told));
    await other.close();
    await own.close();
  });

  it('ends with a run that failed before it began', async () => {
    const { client } = longhaul;
    const workflowId = `forged-${randomUUID()}`;
    const { taskQueue } = harness;
    await client.workflow.start(workflowTypes.agent, { workflowId, taskQueue, args: ['forged'] });
    const told: StreamEvent[] = [];
    for await (const event of longhaul.run(workflowId).stream()) told.push(event);
    expect(told).toMatchObject([{ type: 'end', status: 'failed' }]);
  });

  it('of a run that was cancelled before it began has its input', async () => {
    const own = await openHarness();
    const run = await own.longhaul.start('ended', 'Go.');
    await run.cancel();
    await own.worker({ runners: agents.runners, providers: agents.providers });
    const told: StreamEvent[] = [];
    for await (const event of run.stream()) told.push(event);
    expect(told).toMatchObject([{ type: 'user' }, { type: 'end', status: 'cancelled' }]);
    await own.close();
  });

  it('of a run that the server has deleted is not there', async () => {
    const as = caller(server, principal);
    const { body } = await as.post('/gone/runs', { input: 'Go.' });
    const run = longhaul.run(body.workflowId);
    const told: StreamEvent[] = [];
    const open: StreamEvent[] = [];
    const watching = (async () => {
      for await (const { data } of as.events(events(run))) open.push(data);
    })();
    for await (const event of run.stream()) {
      told.push(event);
      if (event.type === 'paused') break;
    }
    await remove(run);
    await watching;
    expect(open.at(-1)).toMatchObject({ code: 'RunNotFound' });
    const from = encodeURIComponent(told.at(-1)?.position ?? '');
    for (const path of [events(run), `${events(run)}?from=${from}`])
      expect(await as.get(path)).toMatchObject({ status: 404, body: { code: 'RunNotFound' } });
  });

  it('of a turn that the server has deleted is refused by the protocols of browsers', async () => {
    const threadId = randomUUID();
    const thread = longhaul.thread({ agent: 'deleted', userId: 'ada', sessionId: threadId });
    const turn = await thread.send('Go.', { messageId: 'm1' });
    const run = longhaul.run(turn.workflowId);
    await endOf(run);
    await remove(run);
    const messages = [{ id: 'm1', role: 'user', content: 'Go.' }];
    expect(await post('deleted', '/agui', { threadId, runId: 'r', messages })).toMatch(
      /"type":"RUN_ERROR","code":"RunClosed"/,
    );
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] };
    expect(await post('deleted', '', { id: threadId, message })).toMatch(
      /"type":"error","errorText":"The run has ended"/,
    );
    expect(errors).toEqual([]);
  });

  it('goes on when its run continues as new', async () => {
    const run = await longhaul.start('moving', 'Go.');
    const told: StreamEvent[] = [];
    for await (const event of run.stream()) {
      told.push(event);
      if (event.type !== 'paused') continue;
      await continueAsNew(longhaul, run);
      await run.resume('blue');
    }
    const results = told.filter(({ type }) => type === 'result');
    expect(results).toHaveLength(2);
    const late: StreamEvent[] = [];
    for await (const event of run.stream()) late.push(event);
    expect(logged(told)).toEqual(logged(late));
  });

  it('ends when somebody terminates its run', async () => {
    const threadId = randomUUID();
    const messages = [{ id: 'm1', role: 'user', content: 'Go.' }];
    const thread = longhaul.thread({ agent: 'killed', userId: 'ada', sessionId: threadId });
    const turn = await thread.send('Go.', { messageId: 'm1' });
    const told: StreamEvent[] = [];
    for await (const event of turn.stream()) {
      told.push(event);
      if (event.type === 'paused')
        await longhaul.client.workflow.getHandle(turn.workflowId).terminate('enough');
    }
    expect(told.at(-1)).toMatchObject({ type: 'end', status: 'failed' });
    expect(await post('killed', '/agui', { threadId, runId: 'r', messages })).toMatch(
      /"type":"RUN_ERROR"/,
    );
    const message = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] };
    expect(await post('killed', '', { id: threadId, message })).toMatch(/"type":"error"/);
    expect(errors).toEqual([]);
  });

  it.each(['silent', 'open'] as const)('goes on after its server was away, %s', async (mode) => {
    const proxy = await Proxy.to(`http://${devServerAddress()}`);
    const address = new URL(proxy.url).host;
    const far = await connect({ address, taskQueue: harness.taskQueue });
    const run = await longhaul.start(mode, 'Go.');
    const told: StreamEvent[] = [];
    for await (const event of far.run(run.workflowId).stream()) {
      told.push(event);
      if (event.type === 'paused') {
        proxy.mode = mode;
        proxy.cut();
        await run.resume('blue');
        if (mode === 'silent') continue;
      }
      if (event.type === 'stalled') {
        expect(event.reason).toBe('server');
        proxy.mode = 'open';
        proxy.cut();
      }
    }
    if (mode === 'silent') expect(told.some(({ type }) => type === 'stalled')).toBe(true);
    expect(told.at(-1)).toMatchObject({ type: 'end', result: { text: 'Fine.' } });
    const late: StreamEvent[] = [];
    for await (const event of run.stream()) late.push(event);
    expect(logged(told)).toEqual(logged(late));
    await far.close();
    await proxy.close();
  });
});
