// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import { addUsage, emptyUsage, sumUsage, toUsage } from '../../../../src/core/budget/usage';
import { answered, call, malformed, noUsage, text, thrown, tokens, turn } from '../builders';

describe('Rule 2: accounting', () => {
  it.each([
    { name: 'a failed turn', content: [], rest: { finishReason: 'length' as const } },
    { name: 'an invalid call', content: [call('c1', 'nope')], rest: {} },
    { name: 'a malformed call', content: [malformed('c1')], rest: {} },
    { name: 'an aborted turn', content: [text('hi')], rest: { checks: { abort: 'no' } } },
  ])('bills $name', ({ content, rest }) => {
    const run = answered({ maxConsecutiveMalformedToolCalls: 0 }, content, rest);

    expect(run.usage).toEqual(tokens(5, 7));
    expect(run.completionCalls).toEqual([
      { callIndex: 0, turn: 1, usage: tokens(5, 7), ...('finishReason' in rest && rest) },
    ]);
    expect(() => run.nextStep()).toThrow();
    expect(run.usage).toEqual(tokens(5, 7));
  });

  it('bills a retried turn and its retry', () => {
    const run = answered({ maxTurns: 2 }, [text('bad')]);
    run.retryModelTurn({ kind: 'repeat' });
    run.nextStep();
    run.modelResponse(
      turn([text('good')], { usage: { ...noUsage, reasoningTokens: 3 }, ids: { response: 'r2' } }),
    );

    expect(run.usage).toEqual({ ...tokens(5, 7), reasoningTokens: 3 });
    expect(
      run.completionCalls.map(({ callIndex, turn: number, ids }) => [callIndex, number, ids]),
    ).toEqual([
      [0, 1, undefined],
      [1, 2, { response: 'r2' }],
    ]);
  });

  it('keeps "not reported" apart from 0', () => {
    const zero = { ...noUsage, inputTokens: 0 };

    expect(addUsage(emptyUsage, emptyUsage)).toEqual(noUsage);
    expect(addUsage(emptyUsage, zero)).toEqual(zero);
    expect(addUsage(zero, tokens(2, 3))).toEqual(tokens(2, 3));
    expect(sumUsage([])).toEqual(noUsage);
  });

  it('takes what is not a finite number for not reported', () => {
    expect(toUsage({ inputTokens: Number.NaN, outputTokens: 3 })).toEqual({
      ...noUsage,
      outputTokens: 3,
    });
    expect(toUsage(undefined)).toEqual(noUsage);
  });

  it('refuses a turn without content before anything is billed', () => {
    const run = new AgentRun('go');
    run.nextStep();

    expect(thrown(() => run.modelResponse({} as never))).toMatchObject({ code: 'ProtocolError' });
    expect(run.completionCalls).toEqual([]);
  });
});
