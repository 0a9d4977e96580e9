// Pure: no server.
import { AgentRun, type AgentRunOptions } from '../../../src/agent-run';
import type { InvalidToolCallAction } from '../../../src/core/machine/steps';
import type { PartialTurn, StreamedInvalidToolCall } from '../../../src/agent-run';
import {
  assistant,
  call,
  errorResult,
  malformed,
  noUsage,
  result,
  stored,
  text,
  thrown,
  tokens,
  tool,
  turn,
  user,
} from '../core/builders';

const constant = 'not executed because another tool call of this turn was invalid';
const invalid: StreamedInvalidToolCall = {
  key: '2',
  callId: 'c2',
  name: 'nope',
  argsText: '{"y":2}',
};
const partial: PartialTurn = { content: [text('let me see'), call('c1')], tools: ['sub', 'add'] };
const called = call('c2', 'nope', { y: 2 });

function asking(options: AgentRunOptions = {}): AgentRun {
  const run = new AgentRun('go', { maxTurns: 3, maxInvalidToolCallRetries: 1, ...options });
  run.nextStep();
  return run;
}

describe('Rule 11: streamed turns', () => {
  it('are billed once, then taken like any turn', () => {
    const run = asking();

    expect(
      run.recordStreamedCompletionCall({
        usage: tokens(5, 7),
        finishReason: 'tool_calls',
        ids: { message: 'm' },
      }),
    ).toEqual({
      callIndex: 0,
      turn: 1,
      usage: tokens(5, 7),
      finishReason: 'tool_calls',
      ids: { message: 'm' },
    });
    run.streamedTurn(turn([call('c1')], { usage: tokens(100, 100) }));

    expect(run.usage).toEqual(tokens(5, 7));
    expect(run.nextStep()).toMatchObject({ kind: 'call-tools', calls: [{ call: call('c1') }] });
  });

  it.each<{ name: string; act: (run: AgentRun) => unknown; problem: string }>([
    {
      name: 'a turn whose usage was not recorded',
      act: (run) => run.streamedTurn(turn([text('hi')])),
      problem: 'recordStreamedCompletionCall first',
    },
    {
      name: 'a second record',
      act: (run) => {
        run.recordStreamedCompletionCall({ usage: noUsage });
        run.recordStreamedCompletionCall({ usage: noUsage });
      },
      problem: 'recorded already',
    },
    {
      name: 'a whole response after a record',
      act: (run) => {
        run.recordStreamedCompletionCall({ usage: noUsage });
        run.modelResponse(turn([text('hi')]));
      },
      problem: 'streamedTurn',
    },
  ])('refuse $name', ({ act, problem }) => {
    const run = asking();

    const error = thrown(() => act(run));

    expect(error).toMatchObject({ code: 'ProtocolError' });
    expect((error as Error).message).toContain(problem);
    expect(run.nextStep()).toMatchObject({ kind: 'call-model', turn: 1 });
  });

  it('keep an abandoned attempt billed when the call is given again', () => {
    const run = asking();
    run.recordStreamedCompletionCall({ usage: tokens(1, 1) });
    run.nextStep();

    run.recordStreamedCompletionCall({ usage: tokens(2, 2) });
    run.streamedTurn(turn([text('hi')]));

    expect(run.usage).toEqual(tokens(3, 3));
    expect(run.completionCalls.map(({ callIndex, turn: number }) => [callIndex, number])).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });

  it('fail on a name nobody resolved, with the turn closed in the history', () => {
    const run = asking();
    run.recordStreamedCompletionCall({ usage: noUsage });

    const error = thrown(() => run.streamedTurn(turn([call('c1', 'nope')])));

    expect(error).toMatchObject({
      code: 'InvalidToolCall',
      toolName: 'nope',
      history: [user('go'), assistant(call('c1', 'nope')), { role: 'tool' }],
    });
    expect(thrown(() => run.nextStep())).toEqual(error);
  });

  it.each([
    {
      policy: 'ignore' as const,
      step: { kind: 'call-tools', calls: [{ index: 0, call: call('c2') }] },
    },
    { policy: 'fail' as const, error: { code: 'InvalidToolCall' } },
  ])('follow the policy $policy', ({ policy, step, error }) => {
    const run = asking({ onInvalidToolCall: policy });
    run.recordStreamedCompletionCall({ usage: noUsage });
    const take = (): void => run.streamedTurn(turn([call('c1', 'nope'), call('c2')]));

    if (error) {
      expect(thrown(take)).toMatchObject(error);
      return;
    }
    take();
    expect(run.nextStep()).toMatchObject(step);
  });
});

describe('Rule 11: invalid calls of a stream', () => {
  it('have a context that says so', () => {
    const run = asking();

    expect(run.streamedInvalidToolCallContext(partial, invalid)).toEqual({
      toolName: 'nope',
      callId: 'c2',
      args: '{"y":2}',
      executable: ['add', 'sub'],
      allowed: ['add', 'sub'],
      toolChoice: 'auto',
      history: [user('go'), assistant(text('let me see'), call('c1'), called)],
      isStreaming: true,
      reason: 'unknown-tool',
    });
    expect(run.messages).toEqual([user('go')]);
  });

  it('get an id if the provider gave none', () => {
    expect(
      asking().streamedInvalidToolCallContext(partial, { ...invalid, callId: '' }),
    ).toMatchObject({ callId: 'call_1_1' });
  });

  it.each<{ name: string; action: InvalidToolCallAction; own: string; retries: number }>([
    {
      name: 'retry',
      action: { kind: 'retry', feedback: 'no such tool' },
      own: 'no such tool',
      retries: 1,
    },
    { name: 'skip', action: { kind: 'skip', reason: 'not today' }, own: 'not today', retries: 0 },
  ])('abandon the turn by $name: its answers stand in call order', ({ action, own, retries }) => {
    const run = asking();

    expect(run.resolveStreamedInvalidToolCall(partial, invalid, action)).toEqual({
      kind: 'abandoned',
    });

    const messages = [
      user('go'),
      assistant(text('let me see'), call('c1'), called),
      tool(errorResult('c1', constant), errorResult('c2', own, 'nope')),
    ];
    expect(run.messages).toEqual(messages);
    expect(run.toJSON().invalidToolCallRetries).toBe(retries);
    const resumed = stored(run);
    resumed.recordStreamedCompletionCall({ usage: tokens(5, 7) });
    expect(thrown(() => resumed.recordStreamedCompletionCall({ usage: noUsage }))).toMatchObject({
      code: 'ProtocolError',
    });
    expect(resumed.nextStep()).toMatchObject({ kind: 'call-model', prompt: messages[2], turn: 2 });
    expect(resumed.completionCalls).toEqual([{ callIndex: 0, turn: 1, usage: tokens(5, 7) }]);
  });

  it('need no record after one that was recorded before', () => {
    const run = asking();
    run.recordStreamedCompletionCall({ usage: noUsage });
    run.resolveStreamedInvalidToolCall(partial, invalid, { kind: 'skip', reason: 'x' });

    expect(thrown(() => run.recordStreamedCompletionCall({ usage: noUsage }))).toMatchObject({
      code: 'ProtocolError',
    });
  });

  it('keep arguments that had not come in whole as malformed ones', () => {
    const run = asking();
    run.resolveStreamedInvalidToolCall(
      { content: [] },
      { ...invalid, argsText: '{"y":' },
      { kind: 'skip', reason: 'x' },
    );

    expect(run.messages[1]).toEqual(
      assistant({
        ...malformed('c2', 'nope', '{"y":'),
        argsError: 'the arguments are not a JSON object',
      }),
    );
    const other = asking();
    other.resolveStreamedInvalidToolCall(
      { content: [] },
      { ...invalid, argsText: '' },
      { kind: 'skip', reason: 'x' },
    );
    expect(other.messages[1]).toEqual(assistant(call('c2', 'nope', {})));
  });

  it.each<{ name: string; options?: AgentRunOptions; known: PartialTurn; to: string; ok: boolean }>(
    [
      { name: 'a tool of the turn', known: partial, to: 'add', ok: true },
      { name: 'no tool of the turn', known: partial, to: 'worse', ok: false },
      { name: 'an allowed name', known: { content: [], allowed: ['add'] }, to: 'add', ok: true },
      { name: 'any other name where none are known', known: { content: [] }, to: 'add', ok: true },
      { name: 'the same name', known: { content: [] }, to: 'nope', ok: false },
      {
        name: 'a name the tool choice leaves out',
        options: { toolChoice: { only: ['sub'] } },
        known: { content: [] },
        to: 'add',
        ok: false,
      },
      {
        name: 'anything under none',
        options: { toolChoice: 'none' },
        known: { content: [] },
        to: 'add',
        ok: false,
      },
    ],
  )('may be repaired to $name: $ok', ({ options, known, to, ok }) => {
    const run = asking(options);
    const repair = (): unknown =>
      run.resolveStreamedInvalidToolCall(known, invalid, { kind: 'repair', name: to });

    if (ok) {
      expect(repair()).toEqual({ kind: 'repaired', name: to });
      expect(run.toJSON().state).toEqual({ kind: 'awaiting-model', recorded: false });
    } else expect(thrown(repair)).toMatchObject({ code: 'InvalidToolCall', toolName: to });
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
      name: 'stop',
      action: { kind: 'stop', reason: 'enough' },
      error: { code: 'RunCancelled', reason: 'enough' },
    },
    {
      name: 'a retry without a budget',
      options: { maxInvalidToolCallRetries: 0 },
      action: { kind: 'retry', feedback: 'x' },
      error: { code: 'InvalidToolCall' },
    },
    {
      name: 'a skip under tool choice none',
      options: { toolChoice: 'none' },
      action: { kind: 'skip', reason: 'x' },
      error: { code: 'InvalidToolCall' },
    },
    {
      name: 'the policy fail, whatever is said',
      options: { onInvalidToolCall: 'fail' },
      action: { kind: 'skip', reason: 'x' },
      error: { code: 'InvalidToolCall' },
    },
  ])('end the run by $name', ({ options, action, error }) => {
    const run = asking(options);

    const failure = thrown(() => run.resolveStreamedInvalidToolCall(partial, invalid, action));

    expect(failure).toMatchObject({
      ...error,
      history: [user('go'), assistant(text('let me see'), call('c1'), called), { role: 'tool' }],
    });
    expect(thrown(() => run.nextStep())).toEqual(failure);
  });

  it('are dropped under the policy ignore', () => {
    const run = asking({ onInvalidToolCall: 'ignore' });

    expect(run.resolveStreamedInvalidToolCall(partial, invalid, { kind: 'fail' })).toEqual({
      kind: 'ignored',
    });
    expect(run.messages).toEqual([user('go')]);
  });

  it('refuse an action nobody defined', () => {
    const run = asking();
    const before = JSON.stringify(run);

    expect(
      thrown(() =>
        run.resolveStreamedInvalidToolCall(partial, invalid, { kind: 'shrug' } as never),
      ),
    ).toMatchObject({
      code: 'ProtocolError',
    });
    expect(JSON.stringify(run)).toBe(before);
  });

  it('do not stop the run from going on with tools', () => {
    const run = asking();
    run.resolveStreamedInvalidToolCall(partial, invalid, { kind: 'skip', reason: 'x' });
    run.nextStep();
    run.recordStreamedCompletionCall({ usage: noUsage });
    run.streamedTurn(turn([call('c9')]));
    run.nextStep();
    run.toolResults([result('c9')]);

    expect(run.nextStep()).toMatchObject({ kind: 'call-model', turn: 3 });
  });
});
