// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import type { InvalidToolCall } from '../../../../src/core/errors';
import type { AgentRunOptions } from '../../../../src/agent-run';
import type { InvalidToolCallAction } from '../../../../src/core/machine/steps';
import {
  answered,
  assistant,
  call,
  errorResult,
  malformed,
  respond,
  result,
  stored,
  text,
  thrown,
  tokens,
  tool,
  turn,
  user,
} from '../builders';

const constant = 'not executed because another tool call of this turn was invalid';
const interrupted = 'not answered: the run was interrupted before this call had a result';
const three = [call('c1'), call('c2', 'nope', { y: 2 }), call('c3')];

describe('Rule 5: invalid names', () => {
  it('parks on the call with all that is needed to decide', () => {
    const run = new AgentRun('go', { toolChoice: 'required' });
    run.nextStep();

    const context = {
      toolName: 'nope',
      callId: 'c2',
      args: '{"y":2}',
      executable: ['add', 'sub'],
      allowed: ['add', 'sub'],
      toolChoice: 'required',
      history: [user('go'), assistant(...three)],
      isStreaming: false,
      reason: 'unknown-tool',
    };
    expect(run.modelResponse(turn(three, { tools: ['sub', 'add'] }))).toEqual({
      kind: 'needs-resolution',
      context,
    });
    expect(run.pendingInvalidToolCall).toEqual(context);
    expect(stored(run).pendingInvalidToolCall).toEqual(context);
    expect(run.messages).toEqual([user('go')]);
    expect(answered({}, [text('hi')]).pendingInvalidToolCall).toBeUndefined();
  });

  it('keeps the origin of the turn in the context and in history', () => {
    const origin = { provider: 'p', api: 'a', model: 'm' };
    const run = answered({}, three, { origin });

    expect(run.pendingInvalidToolCall?.history.at(-1)).toEqual({ ...assistant(...three), origin });
    expect(thrown(() => run.resolveInvalidToolCall({ kind: 'fail' }))).toMatchObject({
      history: [user('go'), { origin }, { role: 'tool' }],
    });
  });

  it.each<{
    name: string;
    options: AgentRunOptions;
    tools: string[];
    allowed: string[];
    asks: boolean;
  }>([
    { name: 'auto', options: {}, tools: ['add'], allowed: ['add'], asks: false },
    { name: 'none', options: { toolChoice: 'none' }, tools: ['add'], allowed: [], asks: true },
    {
      name: 'only',
      options: { toolChoice: { only: ['sub'] } },
      tools: ['add', 'sub'],
      allowed: ['sub'],
      asks: true,
    },
  ])('allows the names of tool choice $name', ({ options, tools, allowed, asks }) => {
    const run = answered(options, [call('c1')], { tools });

    if (asks)
      expect(run.pendingInvalidToolCall).toMatchObject({
        allowed,
        reason: 'disallowed-by-tool-choice',
      });
    else expect(run.pendingInvalidToolCall).toBeUndefined();
  });

  it('takes the names a turn says it allows', () => {
    const run = answered({}, [call('c1')], { tools: ['add', 'sub'], allowed: ['sub'] });

    expect(run.pendingInvalidToolCall).toMatchObject({
      executable: ['add', 'sub'],
      allowed: ['sub'],
      reason: 'disallowed-by-tool-choice',
    });
  });

  it('retries: nothing runs, and every call has an answer', () => {
    const run = answered({ maxTurns: 2, maxInvalidToolCallRetries: 1 }, three);

    expect(run.resolveInvalidToolCall({ kind: 'retry', feedback: 'no such tool' })).toEqual({
      kind: 'turn-retried',
    });

    const messages = [
      user('go'),
      assistant(...three),
      tool(
        errorResult('c1', constant),
        errorResult('c2', 'no such tool', 'nope'),
        errorResult('c3', constant),
      ),
    ];
    expect(run.messages).toEqual(messages);
    expect(run.nextStep()).toEqual({
      kind: 'call-model',
      history: messages.slice(0, 2),
      prompt: messages[2],
      turn: 2,
    });
  });

  it('spends one budget of retries on the whole run', () => {
    const run = answered({ maxTurns: 9, maxInvalidToolCallRetries: 1 }, [call('c1', 'nope')]);
    run.resolveInvalidToolCall({ kind: 'retry', feedback: 'no' });
    run.nextStep();
    run.modelResponse(turn([call('c2', 'nope')]));

    expect(
      thrown(() => run.resolveInvalidToolCall({ kind: 'retry', feedback: 'no' })),
    ).toMatchObject({
      code: 'InvalidToolCall',
      toolName: 'nope',
      message: expect.stringContaining('All 1 retries of invalid calls are used.') as string,
    });
  });

  it('repairs: history records the new name only, and hooks on the response stay away', () => {
    const run = answered({ maxTurns: 2 }, three);

    expect(run.resolveInvalidToolCall({ kind: 'repair', name: 'add' })).toEqual({
      kind: 'continue',
      hookSuppressed: true,
    });

    const repaired = call('c2', 'add', { y: 2 });
    expect(run.nextStep()).toMatchObject({
      calls: [{ index: 0 }, { index: 1, call: repaired }, { index: 2 }],
    });
    expect(run.messages).toEqual([user('go'), assistant(call('c1'), repaired, call('c3'))]);
    expect(run.log.slice(1)).toMatchObject([
      { kind: 'model-turn', content: three },
      { kind: 'decision', decision: { kind: 'repair-call', index: 1, name: 'add' } },
    ]);
  });

  it('skips: no call of the turn runs', () => {
    const run = answered({ maxTurns: 2 }, three);

    expect(run.resolveInvalidToolCall({ kind: 'skip', reason: 'not today' })).toEqual({
      kind: 'continue',
      hookSuppressed: true,
    });

    const answers = tool(
      errorResult('c1', constant),
      errorResult('c2', 'not today', 'nope'),
      errorResult('c3', constant),
    );
    expect(run.nextStep()).toMatchObject({ kind: 'call-model', prompt: answers, turn: 2 });
    expect(run.messages).toEqual([user('go'), assistant(...three), answers]);
  });

  it('asks for each invalid call, left to right', () => {
    const content = [call('c1', 'a'), call('c2', 'b'), call('c3', 'c'), call('c4')];
    const run = answered({ maxTurns: 2 }, content);

    expect(run.pendingInvalidToolCall?.toolName).toBe('a');
    expect(run.resolveInvalidToolCall({ kind: 'skip', reason: 'first' })).toMatchObject({
      context: { toolName: 'b' },
    });
    expect(run.ignoreInvalidToolCall()).toMatchObject({ context: { toolName: 'c' } });
    expect(run.resolveInvalidToolCall({ kind: 'skip', reason: 'third' })).toMatchObject({
      kind: 'continue',
    });
    run.nextStep();

    expect(run.messages).toEqual([
      user('go'),
      assistant(call('c1', 'a'), call('c3', 'c'), call('c4')),
      tool(
        errorResult('c1', 'first', 'a'),
        errorResult('c3', 'third', 'c'),
        errorResult('c4', constant),
      ),
    ]);
  });

  it('keeps skipped calls without ids apart', () => {
    const run = answered({ maxTurns: 2 }, [call('', 'a'), call('')]);
    run.resolveInvalidToolCall({ kind: 'skip', reason: 'no' });
    run.nextStep();

    expect(run.messages.at(-1)).toEqual(
      tool(errorResult('call_1_0', 'no', 'a'), errorResult('call_1_1', constant)),
    );
  });

  it.each<{
    name: string;
    options?: AgentRunOptions;
    action: InvalidToolCallAction;
    error: object;
  }>([
    {
      name: 'fail',
      action: { kind: 'fail' },
      error: { code: 'InvalidToolCall', toolName: 'nope' },
    },
    {
      name: 'a retry without a budget',
      action: { kind: 'retry', feedback: 'x' },
      error: { code: 'InvalidToolCall', toolName: 'nope' },
    },
    {
      name: 'a repair to a name not allowed',
      action: { kind: 'repair', name: 'worse' },
      error: { code: 'InvalidToolCall', toolName: 'worse' },
    },
    {
      name: 'stop',
      action: { kind: 'stop', reason: 'enough!' },
      error: { code: 'RunCancelled', reason: 'enough!' },
    },
  ])('fails on $name, with the turn closed in the history', ({ action, error }) => {
    const run = answered({ maxTurns: 2 }, three);

    const failure = thrown(() => run.resolveInvalidToolCall(action));

    expect(failure).toMatchObject({
      ...error,
      history: [
        user('go'),
        assistant(...three),
        tool(
          errorResult('c1', interrupted),
          errorResult('c2', interrupted, 'nope'),
          errorResult('c3', interrupted),
        ),
      ],
    });
    expect(thrown(() => run.nextStep())).toEqual(failure);
    expect(thrown(() => stored(run).nextStep())).toEqual(failure);
    expect(run.usage).toEqual(tokens(5, 7));
  });

  it('names the tool called, the executable and the allowed names', () => {
    const run = answered({ toolChoice: { only: ['sub'] } }, [call('c1')], {
      tools: ['sub', 'add'],
    });

    expect(thrown(() => run.resolveInvalidToolCall({ kind: 'fail' }))).toMatchObject({
      toolName: 'add',
      executable: ['add', 'sub'],
      allowed: ['sub'],
      details: { toolName: 'add', executable: ['add', 'sub'], allowed: ['sub'] },
      message:
        'The tool "add" is not allowed in this turn; allowed: sub; executable: add, sub. ' +
        'Offer the tool, or handle the call in onInvalidToolCall.',
    });
  });

  it('says a list once if all executable names are allowed', () => {
    const run = answered({}, [call('c1', 'made_up')], { tools: ['sub', 'add'] });

    expect(thrown(() => run.resolveInvalidToolCall({ kind: 'fail' }))).toMatchObject({
      message:
        'The tool "made_up" is not allowed in this turn; allowed: add, sub. ' +
        'Offer the tool, or handle the call in onInvalidToolCall.',
    });
  });

  it('keeps its message short however many tools there are', () => {
    const tools = Array.from({ length: 40 }, (_tool, at) => `tool_${at}`).sort();
    const run = answered({}, [call('c1', 'x'.repeat(5_000))], { tools });

    const error = thrown(() => run.resolveInvalidToolCall({ kind: 'fail' }));

    expect(error).toMatchObject({ toolName: 'x'.repeat(5_000), executable: tools, allowed: tools });
    expect((error as Error).message.length).toBeLessThan(700);
    expect((error as Error).message).toContain('and 30 more');
    expect(JSON.stringify((error as InvalidToolCall).details).length).toBeLessThan(700);
  });

  it('refuses a skip under tool choice none', () => {
    const run = answered({ toolChoice: 'none' }, [call('c1')]);

    expect(thrown(() => run.resolveInvalidToolCall({ kind: 'skip', reason: 'x' }))).toMatchObject({
      code: 'InvalidToolCall',
      toolName: 'add',
      allowed: [],
    });
  });
});

describe('Rule 13: who decides on invalid names', () => {
  it('fails by itself', () => {
    const run = new AgentRun('go', { onInvalidToolCall: 'fail' });
    run.nextStep();

    const error = thrown(() => run.modelResponse(turn(three)));

    expect(error).toMatchObject({ code: 'InvalidToolCall', toolName: 'nope' });
    expect(run.usage).toEqual(tokens(5, 7));
    expect(thrown(() => run.nextStep())).toEqual(error);
  });

  it('ignores by itself, and hooks see the turn', () => {
    const run = new AgentRun('go', { onInvalidToolCall: 'ignore', maxTurns: 2 });
    run.nextStep();

    expect(run.modelResponse(turn([call('c0', 'a'), ...three]))).toEqual({
      kind: 'continue',
      hookSuppressed: false,
    });

    expect(run.nextStep()).toMatchObject({
      calls: [
        { index: 0, call: call('c1') },
        { index: 1, call: call('c3') },
      ],
    });
    expect(run.messages).toEqual([user('go'), assistant(call('c1'), call('c3'))]);
  });

  it('takes a turn left without parts for an empty one', () => {
    const run = new AgentRun('go', { onInvalidToolCall: 'ignore' });

    expect(respond(run, [call('c1', 'nope')])).toMatchObject({
      kind: 'done',
      response: { text: '', content: [], messages: [user('go')] },
    });
  });

  it.each([
    { name: 'the output tool', options: { output: { tool: 'answer' } }, called: 'answer' },
    { name: 'ask_user', options: { askUser: 'tool' as const }, called: 'ask_user' },
  ])('allows $name under any choice but none', ({ options, called }) => {
    const only = { ...options, toolChoice: { only: ['add'] } };
    const content = [call('c1', called, { question: 'why?' })];

    expect(answered(only, content).pendingInvalidToolCall).toBeUndefined();
    expect(
      answered({ ...options, toolChoice: 'none' }, content).pendingInvalidToolCall,
    ).toMatchObject({
      toolName: called,
      allowed: [],
      reason: 'disallowed-by-tool-choice',
    });
    expect(answered({}, content).pendingInvalidToolCall).toMatchObject({ reason: 'unknown-tool' });
  });

  it("runs a tool of one's own called ask_user", () => {
    const run = answered({}, [call('c1', 'ask_user', {})], { tools: ['ask_user'] });

    expect(run.nextStep()).toMatchObject({ kind: 'call-tools', calls: [{ kind: 'execute' }] });
  });

  it('leaves nothing to decide when a callback took the turn over', () => {
    const run = answered({ onInvalidToolCall: 'fail' }, three, {
      checks: { override: 'never mind' },
    });

    expect(run.nextStep()).toMatchObject({ kind: 'done', response: { text: 'never mind' } });
  });

  it('shows malformed arguments as the model wrote them, and none as an empty text', () => {
    expect(answered({}, [malformed('c1', 'nope', '[1]')]).pendingInvalidToolCall?.args).toBe('[1]');
    const { rawArgs: _rawArgs, ...bare } = malformed('c1', 'nope');
    expect(answered({}, [bare]).pendingInvalidToolCall?.args).toBe('');
  });

  it('goes on after a repair like after any turn', () => {
    const run = answered({ maxTurns: 2 }, [call('c1', 'plus')]);
    run.resolveInvalidToolCall({ kind: 'repair', name: 'add' });
    run.nextStep();
    run.toolResults([result('c1')]);

    expect(respond(run, [text('two')])).toMatchObject({
      kind: 'done',
      response: { iterations: 1 },
    });
  });
});
