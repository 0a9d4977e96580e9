// What comes in wrong: a clear typed error or an error result for the model, never a wedged run.

import { hasCode, ProviderError } from '../../src/protocol/errors';
import { defineAgent, defineTool, parallel, type Tool } from '../../src';
import { connect, type Longhaul, type RunHandle } from '../../src/client';
import { scriptedModel, type ScriptedStep } from '../../src/testing/scripted-model';
import { devServerAddress } from '../servers';
import { openHarness, type Harness } from './harness';

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

const results: readonly { name: string; execute: () => unknown; expected: RegExp }[] = [
  { name: 'a BigInt', execute: () => ({ n: 10n }), expected: /not JSON/ },
  { name: 'NaN', execute: () => ({ n: NaN }), expected: /not JSON/ },
  { name: 'a cycle', execute: () => cycle, expected: /not JSON/ },
  { name: 'a Map', execute: () => new Map(), expected: /not JSON/ },
  {
    name: '5 MB of text',
    execute: () => '€'.repeat(1_700_000),
    expected: /cut: the first \d+ of 5100000 bytes/,
  },
  { name: 'nothing', execute: () => undefined, expected: /null/ },
];

function toolOf(execute: () => unknown, options: object = {}): Tool {
  return defineTool({
    name: 'probe',
    description: 'x',
    inputSchema: { type: 'object', properties: {} },
    execute,
    ...options,
  });
}

describe('bad input', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  async function start(steps: readonly ScriptedStep[], tool?: Tool): Promise<RunHandle> {
    const agent = defineAgent({
      id: 'probe',
      model: 'scripted/one',
      ...(tool && { tools: [tool] }),
    });
    await harness.deploy({ runners: [agent], providers: { scripted: scriptedModel(steps) } });
    return await harness.longhaul.startSpec(agent, 'Go.');
  }

  const callProbe = { toolCalls: [{ name: 'probe', args: {} }] };

  it.each(results)(
    'gives the model a readable result when a tool returns $name',
    async ({ execute, expected }) => {
      let executions = 0;
      const counted = () => {
        executions += 1;
        return execute();
      };
      const run = await start([callProbe, 'Done.'], toolOf(counted));
      await run.result();
      expect(executions).toBe(1);
      const message = (await run.transcript())[2];
      expect(JSON.stringify(message)).toMatch(expected);
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(70_000);
    },
  );

  it.each([
    {
      name: 'an error',
      thrown: () => new TypeError('no such row') as unknown,
      expected: /no such row/,
    },
    { name: 'a string', thrown: () => 'just text', expected: /just text/ },
    {
      name: 'a message cut in the middle of a character',
      thrown: () => new Error('no city 🌍'.slice(0, -1)) as unknown,
      expected: /no city \ufffd/,
    },
    { name: 'undefined', thrown: () => undefined as unknown, expected: /failed/ },
    { name: 'a cycle', thrown: () => cycle as unknown, expected: /failed/ },
    {
      name: 'a 5 MB message',
      thrown: () => new Error('x'.repeat(5_000_000)) as unknown,
      expected: /failed/,
    },
  ])('gives the model an error result when a tool throws $name', async ({ thrown, expected }) => {
    const tool = toolOf(
      () => {
        throw thrown();
      },
      { retry: { maximumAttempts: 2, initialInterval: '10ms' } },
    );
    const run = await start([callProbe, 'Done.'], tool);
    await run.result();
    const message = (await run.transcript())[2];
    expect(message).toMatchObject({ role: 'tool', parts: [{ isError: true }] });
    expect(JSON.stringify(message)).toMatch(expected);
    expect(JSON.stringify(message).length).toBeLessThan(70_000);
  });

  it('gives the model an error result when a tool hangs', async () => {
    const tool = toolOf(() => new Promise(() => undefined), {
      timeout: '1s',
      retry: { maximumAttempts: 1 },
    });
    const run = await start([callProbe, 'Done.'], tool);
    await run.result();
    expect(JSON.stringify((await run.transcript())[2])).toContain('did not finish in time');
  });

  it('ends the run with ToolError when the tool says so', async () => {
    const tool = toolOf(
      () => {
        throw new Error('fatal');
      },
      { onError: 'fail', retry: { maximumAttempts: 1 } },
    );
    const run = await start([callProbe], tool);
    await expect(run.outcome()).rejects.toMatchObject({ code: 'ToolError' });
  });

  it.each([
    { name: 'an unknown tool', call: { name: 'nope', args: {} }, expected: /no tool 'nope'/ },
    {
      name: 'arguments that break the schema',
      call: { name: 'probe', args: { n: 'text' } },
      expected: /do not match its schema/,
    },
  ])('tells the model about $name', async ({ call, expected }) => {
    const tool = defineTool({
      name: 'probe',
      description: 'x',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      execute: () => 'ran',
    });
    const run = await start([{ toolCalls: [call] }, 'Done.'], tool);
    await run.result();
    expect(JSON.stringify((await run.transcript())[2])).toMatch(expected);
  });

  it('tells the model about malformed arguments, and fails after too many in a row', async () => {
    const malformed: ScriptedStep = {
      content: [
        {
          type: 'tool_call',
          callId: 'c',
          name: 'probe',
          args: null,
          rawArgs: '{"n":',
          argsError: 'unexpected end',
        },
      ],
    };
    const run = await start(
      [malformed, malformed, malformed, malformed],
      toolOf(() => 'ran'),
    );
    await expect(run.outcome()).rejects.toMatchObject({ code: 'InvalidToolCall' });
    expect(JSON.stringify((await run.transcript())[2])).toContain('unexpected end');
  });

  it('fails with MaxIterationsExceeded when the model never stops', async () => {
    const agent = defineAgent({
      id: 'endless',
      model: 'scripted/one',
      tools: [toolOf(() => 'x')],
      maxIterations: 2,
    });
    await harness.deploy({
      runners: [agent],
      providers: { scripted: scriptedModel([callProbe, callProbe, callProbe]) },
    });
    const run = await harness.longhaul.startSpec(agent, 'Go.');
    await expect(run.outcome()).rejects.toMatchObject({
      code: 'MaxIterationsExceeded',
      details: { limit: 2 },
    });
  });

  it('keeps the code and the kind of a provider error, and makes one call', async () => {
    const model = scriptedModel([
      { error: new ProviderError('auth', 'OPENAI_API_KEY is not set') },
    ]);
    const agent = defineAgent({ id: 'keyless', model: 'scripted/one' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const error = await (
      await harness.longhaul.startSpec(agent, 'Go.')
    )
      .outcome()
      .catch((thrown: unknown) => thrown);
    expect(hasCode(error, 'ProviderError')).toBe(true);
    expect(error).toMatchObject({ kind: 'auth', message: 'OPENAI_API_KEY is not set' });
    expect(model.requests).toHaveLength(1);
  });

  it('obeys Retry-After and goes on', async () => {
    const limited = new ProviderError('rate_limited', 'slow down', { retryAfterMs: 1_500 });
    const model = scriptedModel([{ error: limited }, 'Done.']);
    const agent = defineAgent({ id: 'limited', model: 'scripted/one' });
    await harness.deploy({ runners: [agent], providers: { scripted: model } });
    const begun = Date.now();
    await (await harness.longhaul.startSpec(agent, 'Go.')).result();
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_500);
    expect(model.requests).toHaveLength(2);
  });

  it.each([
    { name: 'no object', input: [42], code: 'InvalidInput' },
    { name: 'nothing', input: [], code: 'InvalidInput' },
    { name: 'no input', input: [{ runner: 'probe' }], code: 'InvalidInput' },
    { name: 'a bad id', input: [{ runner: '../x', input: 'a' }], code: 'InvalidInput' },
    {
      name: 'a spec that is none',
      input: [{ runner: { kind: 'agent', id: 'x' }, input: 'a' }],
      code: 'SpecError',
    },
    {
      name: 'a session that is no object',
      input: [{ runner: 'probe', input: 'a', session: [1] }],
      code: 'InvalidInput',
    },
  ])('fails a run that was started past the client with $name', async ({ input, code }) => {
    await harness.deploy({ providers: { scripted: scriptedModel([]) } });
    const { client } = harness.longhaul;
    const workflowId = `raw-${Math.random().toString(36).slice(2)}`;
    await client.workflow.start('agentWorkflow', {
      workflowId,
      taskQueue: harness.taskQueue,
      args: input,
    });
    await expect(harness.longhaul.run(workflowId).result()).rejects.toMatchObject({ code });
  });

  it('takes null for what other languages leave out', async () => {
    const seen: unknown[] = [];
    const tool = defineTool({
      name: 'probe',
      description: 'x',
      inputSchema: { type: 'object', properties: {} },
      session: ['count'],
      execute: (_args, { session, context }) => {
        seen.push(structuredClone(session), context);
        session['count'] = 1;
        return 'counted';
      },
    });
    const agent = defineAgent({ id: 'probe', model: 'scripted/one', tools: [tool] });
    const both = parallel({ id: 'both', branches: [agent] });
    const model = scriptedModel([callProbe, 'Done.']);
    await harness.deploy({ runners: [both], providers: { scripted: model } });
    const nulls = { session: null, key: null, budget: null, context: null };
    const { client } = harness.longhaul;
    const handle = await client.workflow.start('parallelWorkflow', {
      workflowId: `nulls-${Math.random().toString(36).slice(2)}`,
      taskQueue: harness.taskQueue,
      args: [{ runner: 'both', input: 'Go.', ...nulls }],
    });
    expect(await handle.result()).toMatchObject({ session: { count: 1 } });
    expect(seen).toEqual([{}, {}]);
  });

  it('refuses bad input before anything is sent', async () => {
    const { longhaul } = harness;
    await expect(longhaul.start('probe', '')).rejects.toMatchObject({ code: 'InvalidInput' });
    await expect(longhaul.start('probe', 'x'.repeat(300_000))).rejects.toMatchObject({
      code: 'PayloadTooLarge',
    });
    await expect(longhaul.start('probe', 'a', { session: { n: NaN } })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    await expect(
      longhaul.start('probe', 'a', { session: { t: 'x'.repeat(70_000) } }),
    ).rejects.toMatchObject({ code: 'SessionTooLarge' });
    await expect(longhaul.start('probe', 'a', { workflowId: 'a b' })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
  });

  it('refuses a workflow id that is taken', async () => {
    const run = await start([{ delayMs: 500, text: 'Done.' }]);
    await expect(
      harness.longhaul.start('probe', 'again', { workflowId: run.workflowId }),
    ).rejects.toMatchObject({ code: 'RunAlreadyExists' });
    await run.result();
  });

  it('says soon that the last worker has stopped, and loses nothing', async () => {
    const left = await openHarness();
    let other: Longhaul | undefined;
    const options = {
      runners: [defineAgent({ id: 'probe', model: 'scripted/one' })],
      providers: { scripted: scriptedModel(['Here I was.', 'Here I am.']) },
    };
    try {
      const { stop } = await left.worker(options);
      await (await left.longhaul.start('probe', 'Go.')).result();
      await stop();
      // A client asks anew only after some seconds. This one has not asked yet.
      other = await connect({ address: devServerAddress(), taskQueue: left.taskQueue });
      const run = await other.start('probe', 'Go on.');
      expect(run.warning).toMatchObject({ code: 'NoWorker' });
      await expect(run.outcome()).rejects.toMatchObject({ code: 'NoWorker' });
      await left.worker(options);
      expect((await run.result()).finalResponse.text).toBe('Here I am.');
    } finally {
      await other?.close();
      await left.close();
    }
  });

  it('says soon that no worker polls, and loses nothing', async () => {
    const idle = await openHarness();
    try {
      const run = await idle.longhaul.start('probe', 'Go.');
      expect(run.warning).toMatchObject({ code: 'NoWorker' });
      await expect(run.outcome()).rejects.toMatchObject({ code: 'NoWorker' });
      const agent = defineAgent({ id: 'probe', model: 'scripted/one' });
      await idle.deploy({
        runners: [agent],
        providers: { scripted: scriptedModel(['Here I am.']) },
      });
      expect(await run.result()).toMatchObject({ finalResponse: { text: 'Here I am.' } });
    } finally {
      await idle.close();
    }
  });
});
