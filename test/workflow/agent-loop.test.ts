// The loop of an agent: pauses, retries, failing tools, calls side by side, budgets, long texts.

import { ProviderError, subAgent } from '../../src';
import { askUser, aTool, callOf, resultOf, TestAgents } from './builders';
import { linesOf } from './conversation';
import { eventually } from './eventually';
import { openHarness, type Harness } from './harness';
import { fetchHistory } from './history';

const agents = new TestAgents();
const lookUp = aTool('look_up', ({ word }) => `a meaning of ${word as string}`);

describe('the loop of an agent', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
    const { runners, providers } = agents;
    await harness.worker({ runners, providers });
  });
  afterAll(() => harness.close());

  agents.agent(
    'forgetful',
    [
      callOf('look_up', { word: 'tea' }),
      askUser('With milk?'),
      callOf('look_up', { word: 'milk' }),
      'So.',
    ],
    { tools: [lookUp], askUser: 'tool' },
  );
  it('a pause keeps the prompt, the tool results and the counters', async () => {
    const run = await harness.longhaul.start('forgetful', 'Explain tea.');
    expect(await run.outcome()).toMatchObject({ kind: 'needs-input', question: 'With milk?' });
    expect(await run.state()).toMatchObject({ turn: 2, iterations: 1 });
    await run.resume('yes');
    expect(await run.result()).toEqual(resultOf('So.', { iterations: 2, calls: 4 }));
    expect(linesOf(await run.transcript())).toEqual([
      'Explain tea.',
      '→ look_up {"word":"tea"}',
      '← look_up a meaning of tea',
      '→ ask_user {"question":"With milk?"}',
      '← ask_user yes',
      '→ look_up {"word":"milk"}',
      '← look_up a meaning of milk',
      'So.',
    ]);
  });

  const asker = agents.agent('asker', [askUser('Which colour?'), 'It is blue.'], {
    askUser: 'tool',
  });
  agents.agent('boss', [callOf('choose', { input: 'A colour.' }), 'Blue it is.'], {
    tools: [subAgent(asker.agent, { name: 'choose', description: 'Chooses' })],
  });
  it('a question of a called agent makes its caller wait, not fail', async () => {
    const run = await harness.longhaul.start('boss', 'Paint it.');
    expect(await run.outcome()).toMatchObject({ agentId: 'asker', path: 'boss/choose' });
    await run.resume('blue');
    expect(await run.result()).toEqual(resultOf('Blue it is.', { iterations: 1, calls: 4 }));
    expect(linesOf(await run.transcript())).toEqual([
      'Paint it.',
      '→ choose {"input":"A colour."}',
      '← choose It is blue.',
      'Blue it is.',
    ]);
  });

  const soon = { retryAfterMs: 1 };
  const patient = agents.agent(
    'patient',
    [
      { error: new ProviderError('rate_limited', 'slow down', soon) },
      callOf('look_up', { word: 'tea' }),
      { error: new ProviderError('unavailable', 'overloaded', soon) },
      'At last.',
    ],
    { tools: [lookUp] },
  );
  const refused = agents.agent('refused', [{ error: new ProviderError('auth', 'bad key') }]);
  it('a call that may succeed later is tried again, and each kind of call has its limits', async () => {
    const run = await harness.longhaul.start('patient', 'Go.');
    expect(await run.result()).toEqual(resultOf('At last.', { iterations: 1, calls: 2 }));
    expect(patient.model.requests).toHaveLength(4);
    const scheduled = (await fetchHistory(harness.longhaul, run.workflowId)).flatMap(
      (event) => event.activityTaskScheduledEventAttributes ?? [],
    );
    const limits = scheduled.map(({ activityType, startToCloseTimeout, heartbeatTimeout }) => [
      activityType?.name,
      Number(startToCloseTimeout?.seconds),
      Number(heartbeatTimeout?.seconds),
    ]);
    expect(limits.slice(1)).toEqual([
      ['callModel', 900, 5],
      ['callTool', 120, 7],
      ['callModel', 900, 5],
    ]);
    const failing = await harness.longhaul.start('refused', 'Go.');
    await expect(failing.result()).rejects.toMatchObject({
      code: 'ProviderError',
      message: 'bad key',
      details: { kind: 'auth' },
    });
    expect(refused.model.requests).toHaveLength(1);
  });

  const breaks = (name: string, onError: 'return' | 'fail') =>
    aTool(name, () => Promise.reject(new Error('no connection')), {
      onError,
      retry: { maximumAttempts: 1 },
    });
  agents.agent('tolerant', [callOf('break'), callOf('no_such_tool'), 'I manage.'], {
    tools: [breaks('break', 'return')],
  });
  agents.agent('strict', [callOf('break_all')], { tools: [breaks('break_all', 'fail')] });
  it('a failing or unknown tool does not end the run, unless the tool says so', async () => {
    const run = await harness.longhaul.start('tolerant', 'Go.');
    expect(await run.result()).toEqual(resultOf('I manage.', { iterations: 1, calls: 3 }));
    expect(linesOf(await run.transcript())).toEqual([
      'Go.',
      '→ break {}',
      "✗ break The tool 'break' failed: no connection",
      '→ no_such_tool {}',
      "✗ no_such_tool There is no tool 'no_such_tool' to call now. Available: break.",
      'I manage.',
    ]);
    const strict = await harness.longhaul.start('strict', 'Go.');
    await expect(strict.result()).rejects.toMatchObject({
      code: 'ToolError',
      message: "The tool 'break_all' failed: no connection",
    });
  });

  const finished: string[] = [];
  const first = aTool('first', async () => {
    await eventually('the second', () => finished.length === 1);
    return finished.push('first');
  });
  const second = aTool('second', () => finished.push('second'));
  agents.agent('busy', [{ toolCalls: [{ name: 'first' }, { name: 'second' }] }, 'Both.'], {
    tools: [first, second],
  });
  it('the calls of a turn run at once, and their results stand in the order of the calls', async () => {
    const run = await harness.longhaul.start('busy', 'Go.');
    expect(await run.result()).toEqual(resultOf('Both.', { iterations: 1, calls: 2 }));
    expect(linesOf(await run.transcript())).toEqual([
      'Go.',
      '→ first {}',
      '→ second {}',
      '← first 2',
      '← second 1',
      'Both.',
    ]);
  });

  const usage = (input: number, output: number) => ({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output,
  });
  const waits: ('begun' | 'aborted')[] = [];
  const wait = aTool('wait', async (_args, { signal }) => {
    waits.push('begun');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    waits.push('aborted');
  });
  agents.agent(
    'spender',
    [
      { toolCalls: [{ name: 'look_up', args: { word: 'tea' } }], usage: usage(1_000, 20) },
      { toolCalls: [{ name: 'wait' }], usage: usage(1_200, 30) },
    ],
    { tools: [lookUp, wait] },
  );
  it('what a run does and has used can be read while it runs, and it can be cancelled', async () => {
    const run = await harness.longhaul.start('spender', 'Go.');
    await eventually('the wait', () => waits.length === 1);
    expect(await run.state()).toMatchObject({ status: 'running', turn: 2, iterations: 1 });
    expect(await run.usage()).toMatchObject(usage(2_200, 50));
    expect(linesOf(await run.transcript()).slice(0, -1)).toEqual([
      'Go.',
      '→ look_up {"word":"tea"}',
      '← look_up a meaning of tea',
      '→ wait {}',
    ]);
    await run.cancel('too expensive');
    await expect(run.result()).rejects.toMatchObject({
      code: 'RunCancelled',
      message: 'too expensive',
    });
    await eventually('the tool to be told', () => waits[1] === 'aborted');
  });

  agents.agent('frugal', [callOf('look_up', { word: 'tea' }), 'Tea.'], {
    tools: [lookUp],
    budget: { maxTokens: 10 },
  });
  agents.agent('thrifty', [callOf('look_up', { word: 'tea' })], {
    tools: [lookUp],
    budget: { maxTokens: 10, onExceeded: 'fail' },
  });
  it('a used-up budget asks for more, or ends the run', async () => {
    const run = await harness.longhaul.start('frugal', 'Go.');
    expect(await run.outcome()).toMatchObject({
      pending: [{ kind: 'budget', agentId: 'frugal', path: 'frugal', options: ['stop'] }],
    });
    await run.resume('100');
    expect(await run.result()).toEqual(resultOf('Tea.', { iterations: 1, calls: 2 }));
    const thrifty = await harness.longhaul.start('thrifty', 'Go.');
    await expect(thrifty.result()).rejects.toMatchObject({
      code: 'BudgetExceeded',
      details: { unit: 'tokens', limit: 10, spent: 15 },
    });
  });

  let reads = 0;
  const reader = agents.agent('reader', [callOf('read'), 'Read.'], {
    tools: [aTool('read', () => 'x'.repeat(100_000 + reads++), { maxResultBytes: 100 })],
  });
  it('what is too long is cut or refused before it can do harm', async () => {
    const { longhaul } = harness;
    const run = await longhaul.start('reader', 'Go.');
    await run.result();
    expect(reads).toBe(1);
    expect(linesOf(reader.model.requests[1]?.messages ?? []).at(-1)).toBe(
      `← read ${'x'.repeat(50)}\n[cut: the first 50 of 100000 bytes are shown]`,
    );
    await expect(longhaul.start('reader', 'x'.repeat(300_000))).rejects.toMatchObject({
      code: 'PayloadTooLarge',
      message: expect.stringMatching(
        /^input has 300002 bytes of JSON; the limit is 262144/,
      ) as string,
    });
  });
});
