// Tools whose results come from elsewhere: from the client of the run, or from whoever has the token.

import { randomUUID } from 'node:crypto';
import { defineAgent, defineTool, type Tool } from '../../src';
import type { RunHandle } from '../../src/client';
import { keptOf, proofOf } from '../../src/core/people/result-token';
import { limits } from '../../src/protocol/limits';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { eventually } from './eventually';
import { fetchHistory } from './history';
import { openHarness, type Harness } from './harness';

const object = { type: 'object' } as const;

/** As the server numbers what a reset does not replay. */
const excludedUpdates = 2;

const seat = defineTool({
  name: 'pick_seat',
  description: 'Lets the passenger pick a seat',
  inputSchema: { type: 'object', properties: { row: { type: 'number' } } },
  result: 'client',
});

/** A tool that hands its tokens to the test. */
function exporter(tokens: string[], options: object = {}): Tool {
  return defineTool({
    name: 'export',
    description: 'Exports everything',
    inputSchema: object,
    result: 'later',
    ...options,
    execute: (_args, { resultToken }) => {
      tokens.push(resultToken);
      // It is no result, so it need not be JSON.
      return () => 'started';
    },
  });
}

const call = (name: string, args: object = {}): ScriptedStep => ({
  toolCalls: [{ name, args: args as Record<string, never> }],
});

describe('tools whose results come from elsewhere', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function start(tools: readonly Tool[], steps: readonly ScriptedStep[]): Promise<RunHandle> {
    const agent = defineAgent({ id: 'agent', model: 'scripted/one', tools });
    await harness.deploy({ runners: [agent], providers: { scripted: scriptedModel(steps) } });
    return await harness.longhaul.start('agent', 'Go.');
  }

  /** The client of an open input. */
  async function paused(run: RunHandle): Promise<string> {
    const outcome = await run.outcome();
    if (outcome.kind !== 'needs-input') throw new Error('the run does not wait');
    return outcome.inputId;
  }

  const resultsOf = async (run: RunHandle): Promise<unknown> => {
    const log = await run.log();
    return log.flatMap((entry) =>
      entry.kind === 'tool-result' ? [[entry.result.isError, entry.result.content]] : [],
    );
  };

  it('asks the client of the run, whose value is the result', async () => {
    const run = await start([seat], [call('pick_seat', { row: 3 }), 'Row 3, seat A.']);
    expect(await run.outcome()).toMatchObject({
      kind: 'needs-input',
      pending: [{ inputId: 't1.0', kind: 'tool', call: { name: 'pick_seat', args: { row: 3 } } }],
    });
    await expect(run.resume('3A')).rejects.toMatchObject({ code: 'InvalidAnswer' });
    await expect(run.approve('t1.0')).rejects.toMatchObject({ code: 'InvalidAnswer' });
    await run.complete('t1.0', { seat: '3A' });
    expect((await run.result()).finalResponse.text).toBe('Row 3, seat A.');
    expect(await resultsOf(run)).toEqual([[false, [{ type: 'json', value: { seat: '3A' } }]]]);
  });

  it('takes results and failures of its turns at the thread', async () => {
    const agent = defineAgent({ id: 'chatter', model: 'scripted/one', tools: [seat] });
    const model = scriptedModel([call('pick_seat'), call('pick_seat'), 'Seat A.']);
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const { longhaul, taskQueue } = harness;
    const thread = longhaul.thread({ agent: agent.id, sessionId: `seats-${taskQueue}` });
    const turn = await thread.send('Go.');
    const asked = async (): Promise<string> => {
      await eventually('the thread asks', async () => (await thread.pending()).length === 1);
      return (await thread.pending())[0]?.inputId ?? '';
    };
    const first = await asked();
    await thread.fail(first, 'The seats are gone.');
    await eventually('the next call', async () => (await asked()) !== first);
    await thread.complete(await asked(), { seat: 'A' });
    await turn.result();
    expect(await resultsOf(turn)).toEqual([
      [true, [{ type: 'text', text: 'The seats are gone.' }]],
      [false, [{ type: 'json', value: { seat: 'A' } }]],
    ]);
    await longhaul.client.workflow.getHandle(thread.threadId).terminate();
  });

  it('does not ask the client if the arguments do not match', async () => {
    const run = await start([seat], [call('pick_seat', { row: 'three' }), 'Sorry.']);
    expect((await run.result()).finalResponse.text).toBe('Sorry.');
    expect(await resultsOf(run)).toMatchObject([
      [true, [{ text: expect.stringContaining('row') as string }]],
    ]);
  });

  it('takes the result from whoever has the token, once, and keeps no token', async () => {
    const tokens: string[] = [];
    const { longhaul } = harness;
    const run = await start(
      [exporter(tokens), seat],
      [
        {
          toolCalls: [
            { name: 'export', args: {} },
            { name: 'pick_seat', args: {} },
          ],
        },
        'Done.',
      ],
    );
    await eventually('both wait', async () => (await run.pending()).length === 2);
    const [token = ''] = tokens;
    await longhaul.completeByToken(token, { rows: 3 });
    await longhaul.completeByToken(token, { rows: 3 });
    await expect(longhaul.completeByToken(token, { rows: 4 })).rejects.toMatchObject({
      code: 'AlreadyAnswered',
    });
    await expect(longhaul.failByToken(token, 'no')).rejects.toMatchObject({
      code: 'AlreadyAnswered',
    });
    await run.complete('t1.1', 'any');
    expect((await run.result()).finalResponse.text).toBe('Done.');
    await longhaul.completeByToken(token, { rows: 3 });
    expect(await resultsOf(run)).toMatchObject([
      [false, [{ type: 'json', value: { rows: 3 } }]],
      [false, [{ text: 'any' }]],
    ]);
    const events = await fetchHistory(longhaul, run.workflowId);
    const history = JSON.stringify(events, (key, value: unknown) =>
      key === 'data' ? Buffer.from(String(value), 'base64').toString() : value,
    );
    expect(history).toContain(keptOf(proofOf(token)));
    expect(history).not.toContain(token.split('.').at(-1));
  });

  it('tells nothing to who has no token of the call', async () => {
    const tokens: string[] = [];
    const { longhaul } = harness;
    const run = await start(
      [exporter(tokens), seat],
      [
        {
          toolCalls: [
            { name: 'export', args: {} },
            { name: 'pick_seat', args: {} },
          ],
        },
        'Done.',
      ],
    );
    await eventually('both wait', async () => (await run.pending()).length === 2);
    const [prefix, workflowId, inputId, secret] = (tokens[0] ?? '').split('.');
    const encode = (text: string): string => Buffer.from(text).toString('base64url');
    const forged = [
      '',
      'lh1',
      'x'.repeat(5_000),
      'lh1.ä.b.c',
      [prefix, workflowId, inputId, secret?.toLowerCase()].join('.'),
      [prefix, workflowId, encode('t1.1'), secret].join('.'),
      [prefix, workflowId, encode('t9.9'), secret].join('.'),
      [prefix, encode('nobody'), inputId, secret].join('.'),
      [prefix, workflowId, inputId, secret, 'more'].join('.'),
    ];
    const errors = await Promise.all(
      forged.map((token) => longhaul.completeByToken(token, 1).catch((error: unknown) => error)),
    );
    const [first] = errors;
    expect(first).toMatchObject({ code: 'TokenInvalid' });
    expect(errors.map(String)).toEqual(forged.map(() => String(first)));
    const wrong = { inputId: 't1.0', value: 1, proof: proofOf('lh1.a.b.c') };
    const handle = longhaul.client.workflow.getHandle(run.workflowId);
    await expect(handle.executeUpdate('complete', { args: [wrong] })).rejects.toMatchObject({
      cause: { type: 'TokenInvalid' },
    });
    const large = 'x'.repeat(5_000_000);
    await expect(longhaul.completeByToken(tokens[0] ?? '', large)).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
    await expect(
      handle.executeUpdate('complete', {
        args: [{ inputId: 't1.0', value: 'x'.repeat(limits.deferredResult) }],
      }),
    ).rejects.toMatchObject({ cause: { type: 'InvalidAnswer' } });
    expect((await run.pending()).map((input) => input.inputId)).toEqual(['t1.0', 't1.1']);
    await run.cancel();
    await run.result().catch(() => undefined);
    await expect(longhaul.completeByToken(tokens[0] ?? '', 1)).rejects.toMatchObject({
      code: 'TokenInvalid',
    });
  });

  it('takes a result while somebody tries the same one with a wrong token', async () => {
    const tokens: string[] = [];
    const { longhaul } = harness;
    const run = await start([exporter(tokens)], [call('export'), call('export'), 'Done.']);
    await paused(run);
    const [token = ''] = tokens;
    const forged = token.slice(0, -1) + (token.endsWith('A') ? 'E' : 'A');
    const [wrong, right] = await Promise.allSettled([
      longhaul.completeByToken(forged, true),
      longhaul.completeByToken(token, true),
    ]);
    expect(wrong).toMatchObject({ status: 'rejected', reason: { code: 'TokenInvalid' } });
    expect(right).toMatchObject({ status: 'fulfilled' });
    await eventually('the next call', () => tokens.length === 2);
    // Whoever does not know that it was taken sends it again.
    await longhaul.completeByToken(token, true);
    await longhaul.completeByToken(tokens[1] ?? '', true);
    await run.result();
    const taken = [false, [{ type: 'json', value: true }]];
    expect(await resultsOf(run)).toEqual([taken, taken]);
  });

  it('shows the model why the work failed', async () => {
    const tokens: string[] = [];
    const run = await start([exporter(tokens)], [call('export'), 'Sorry.']);
    await paused(run);
    await harness.longhaul.failByToken(tokens[0] ?? '', 'disk full');
    await run.result();
    expect(await resultsOf(run)).toEqual([[true, [{ type: 'text', text: 'disk full' }]]]);
  });

  it('waits for a run that is slower than the result', async () => {
    let sent: Promise<void> | undefined;
    const begun: Array<() => void> = [];
    const hasten = defineTool({
      name: 'export',
      description: 'Exports everything',
      inputSchema: object,
      result: 'later',
      execute: async (_args, { resultToken }) => {
        sent = harness.longhaul.completeByToken(resultToken, 'early');
        await new Promise<void>((resolve) => begun.push(resolve));
      },
    });
    const run = await start([hasten], [call('export'), 'Done.']);
    await eventually('the code runs', () => Promise.resolve(begun.length === 1));
    begun[0]?.();
    await run.result();
    await sent;
    expect(await resultsOf(run)).toEqual([[false, [{ type: 'text', text: 'early' }]]]);
  });

  it('takes the token of an attempt that failed after it had passed it on', async () => {
    const tokens: string[] = [];
    const twice = defineTool({
      name: 'export',
      description: 'Exports everything',
      inputSchema: object,
      result: 'later',
      retry: { initialInterval: 1 },
      execute: (_args, { resultToken, heartbeat }) => {
        tokens.push(resultToken);
        heartbeat({ progress: tokens.length });
        if (tokens.length === 1) throw new Error('lost');
      },
    });
    const run = await start([twice], [call('export'), 'Done.']);
    await paused(run);
    expect(new Set(tokens).size).toBe(2);
    await harness.longhaul.completeByToken(tokens[0] ?? '', 'first');
    await harness.longhaul.completeByToken(tokens[1] ?? '', 'first');
    await run.result();
    expect(await resultsOf(run)).toEqual([[false, [{ type: 'text', text: 'first' }]]]);
  });

  it('waits again, for the same token, after a reset that forgot the result', async () => {
    const tokens: string[] = [];
    const run = await start([exporter(tokens), seat], [call('export'), call('pick_seat'), 'Done.']);
    const asksFor = async (name: string): Promise<boolean> => {
      const pending = await run.pending();
      return pending.some((each) => each.call?.name === name);
    };
    await paused(run);
    const { longhaul } = harness;
    const before = await fetchHistory(longhaul, run.workflowId);
    const asked = before.findLast((event) => event.workflowTaskCompletedEventAttributes);
    const [token = ''] = tokens;
    await longhaul.completeByToken(token, 'lost');
    await eventually('the seat', () => asksFor('pick_seat'));
    await longhaul.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: run.workflowId },
      reason: 'test',
      requestId: randomUUID(),
      workflowTaskFinishEventId: asked?.eventId ?? null,
      resetReapplyExcludeTypes: [excludedUpdates],
    });
    await eventually('the result', () => asksFor('export'));
    expect(tokens).toEqual([token]);
    await longhaul.completeByToken(token, 'again');
    await run.result();
    expect(await resultsOf(run)).toEqual([[false, [{ type: 'text', text: 'again' }]]]);
  });

  it('begins after the approval, and not with an error of the code', async () => {
    const tokens: string[] = [];
    const asking = exporter(tokens, { needsApproval: true });
    const failing = defineTool({
      name: 'broken',
      description: 'Breaks',
      inputSchema: object,
      result: 'later',
      effect: 'once',
      execute: () => {
        throw new Error('no job');
      },
    });
    const run = await start(
      [asking, failing],
      [
        {
          toolCalls: [
            { name: 'export', args: {} },
            { name: 'broken', args: {} },
          ],
        },
        'Done.',
      ],
    );
    expect(await paused(run)).toBe('a1.0');
    expect(tokens).toEqual([]);
    await run.approve('a1.0');
    await eventually('the call has begun', async () => (await run.pending())[0]?.kind === 'tool');
    await harness.longhaul.completeByToken(tokens[0] ?? '', null);
    await run.result();
    expect(await resultsOf(run)).toMatchObject([
      [true, [{ text: expect.stringContaining('no job') as string }]],
      [false, [{ type: 'json', value: null }]],
    ]);
  });

  it('may stand in a spec, and a run keeps the tool as it was when it started', async () => {
    const spec = (result: string): string => `
agents:
  - { id: travel, model: scripted/one, tools: [pick_seat] }
tools:
  - name: pick_seat
    description: Lets the passenger pick a seat
    inputSchema: { type: object, properties: { row: { type: integer } }, required: [row] }
    result: client
    resultSchema: { type: object, properties: { ${result}: { type: string } }, required: [${result}] }
    needsApproval: { by: { roles: [desk] } }
`;
    const steps = [call('pick_seat', { row: 3 }), 'Seat 3A.'];
    const providers = { scripted: scriptedModel(steps) };
    await harness.deploy({ specs: { text: spec('seat') }, providers });
    const run = await harness.longhaul.start('travel', 'Go.');
    expect(await run.outcome()).toMatchObject({
      pending: [{ inputId: 'a1.0', kind: 'approval', by: { roles: ['desk'] } }],
    });
    await expect(run.approve('a1.0', { by: { id: 'eve' } })).rejects.toMatchObject({
      code: 'NotPermitted',
    });
    await harness.deploy({ specs: { text: spec('window') }, providers });
    await run.approve('a1.0', { by: { id: 'ada', roles: ['desk'] } });
    expect(await run.outcome()).toMatchObject({
      pending: [{ inputId: 't1.0', kind: 'tool', schema: { required: ['seat'] } }],
    });
    await expect(run.complete('t1.0', { window: '3A' })).rejects.toMatchObject({
      code: 'InvalidAnswer',
    });
    await run.complete('t1.0', { seat: '3A' });
    expect((await run.result()).finalResponse.text).toBe('Seat 3A.');
    expect(await resultsOf(run)).toEqual([[false, [{ type: 'json', value: { seat: '3A' } }]]]);
  });
});
