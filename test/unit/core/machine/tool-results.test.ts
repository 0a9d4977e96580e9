// Pure: no server.
import type { AgentRun } from '../../../../src/agent-run';
import { foldLog } from '../../../../src/core/transcript/fold-log';
import {
  answered,
  assistant,
  call,
  errorResult,
  malformed,
  result,
  stored,
  text,
  thrown,
  tool,
  user,
} from '../builders';

const two = [call('c1'), call('c2', 'add', { x: 2 })];

function executing(content = two): AgentRun {
  const run = answered({ maxTurns: 2 }, content);
  run.nextStep();
  return run;
}

const openIds = (run: AgentRun): string[] => {
  const step = run.nextStep();
  return step.kind === 'call-tools' ? step.calls.map(({ call: open }) => open.callId) : [];
};

describe('Rule 4: results of tool calls', () => {
  it.each([
    { name: 'in order', batches: [['c1', 'c2']] },
    { name: 'in reverse', batches: [['c2', 'c1']] },
    { name: 'one at a time, the last first', batches: [['c2'], ['c1']] },
  ])('enter history as one message in call order, given $name', ({ batches }) => {
    const run = executing();

    for (const batch of batches) run.toolResults(batch.map((id) => result(id, id)));

    expect(run.fullHistory()).toEqual([
      user('go'),
      assistant(...two),
      tool(result('c1', 'c1'), result('c2', 'c2')),
    ]);
    expect(run.nextStep()).toMatchObject({ kind: 'call-model', turn: 2 });
  });

  it('are logged in the order they were given, with their places', () => {
    const run = executing();
    const before = run.log.length;

    run.toolResults([result('c2'), result('c1')]);

    expect(run.log.slice(before)).toEqual([
      { kind: 'tool-result', result: result('c2', '2', { turn: 1, index: 1 }) },
      { kind: 'tool-result', result: result('c1', '2', { turn: 1, index: 0 }) },
    ]);
  });

  it('leave the other calls open, again and again, also after a restart', () => {
    const run = executing();

    run.toolResults([result('c1')]);

    expect(openIds(run)).toEqual(['c2']);
    expect(openIds(run)).toEqual(['c2']);
    expect(openIds(stored(run))).toEqual(['c2']);
  });

  it.each([
    { name: 'an unknown id', results: [result('c9')] },
    { name: 'a call that does not exist', results: [result('c1', '2', { index: 7 })] },
    { name: 'an earlier turn', results: [result('c1', '2', { turn: 0, index: 0 })] },
    { name: 'the id of another call', results: [result('c2', '2', { turn: 1, index: 0 })] },
    {
      name: 'the name of another tool',
      results: [result('c1', '2', { turn: 1, index: 0, name: 'sub' })],
    },
    { name: 'the same call twice', results: [result('c1'), result('c1')] },
    { name: 'no content', results: [{ ...result('c1'), content: undefined } as never] },
  ])('are refused whole with $name', ({ results }) => {
    const run = executing();
    const before = JSON.stringify(run);

    expect(thrown(() => run.toolResults([...results, result('c2')]))).toMatchObject({
      code: 'ProtocolError',
    });

    expect(JSON.stringify(run)).toBe(before);
    expect(openIds(run)).toEqual(['c1', 'c2']);
  });

  it.each([null, 'c1', [null], undefined])('are refused when they are %j', (results) => {
    const run = executing();

    expect(thrown(() => run.toolResults(results as never))).toMatchObject({
      message: 'toolResults takes a list of results.',
    });
  });

  it('are refused for a call that has one', () => {
    const run = executing();
    run.toolResults([result('c1')]);

    expect(thrown(() => run.toolResults([result('c1', '2', { turn: 1, index: 0 })]))).toMatchObject(
      {
        message: 'A result answers call 0 of turn 1, which has one already.',
      },
    );
    expect(thrown(() => run.toolResults([result('c1')]))).toMatchObject({
      message: 'No open call of turn 1 has the id "c1".',
    });
  });

  it('may be none', () => {
    const run = executing();
    const before = JSON.stringify(run);

    run.toolResults([]);

    expect(JSON.stringify(run)).toBe(before);
  });
});

describe('Rule 15: addresses', () => {
  it('makes up ids for calls without one, the same every time', () => {
    const run = executing([call(''), call('')]);

    const step = run.nextStep();

    expect(step).toEqual({
      kind: 'call-tools',
      calls: [
        { turn: 1, index: 0, call: call('call_1_0'), kind: 'execute' },
        { turn: 1, index: 1, call: call('call_1_1'), kind: 'execute' },
      ],
      waiting: [],
    });
    expect(stored(run).nextStep()).toEqual(step);
    run.toolResults([result('call_1_1', 'b'), result('call_1_0', 'a')]);
    expect(run.fullHistory()).toEqual([
      user('go'),
      assistant(call('call_1_0'), call('call_1_1')),
      tool(result('call_1_0', 'a'), result('call_1_1', 'b')),
    ]);
  });

  it('logs the turn as the provider gave it', () => {
    const run = executing([call('')]);

    expect(run.log[1]).toMatchObject({ kind: 'model-turn', content: [call('')] });
    expect(foldLog(run.log)).toEqual(run.fullHistory());
  });

  it('asks for the place when ids repeat', () => {
    const run = executing([call('c'), call('c')]);

    expect(thrown(() => run.toolResults([result('c')]))).toMatchObject({
      message: '2 open calls of turn 1 have the id "c"; give turn and index.',
    });
    run.toolResults([result('c', 'b', { turn: 1, index: 1 })]);
    run.toolResults([result('c', 'a')]);

    expect(run.fullHistory().at(-1)).toEqual(tool(result('c', 'a'), result('c', 'b')));
  });

  it('counts the calls that are left after ignored ones', () => {
    const run = answered({ maxTurns: 2 }, [call('c0', 'nope'), call('c1'), call('c2')]);
    run.ignoreInvalidToolCall();

    expect(run.nextStep()).toMatchObject({
      calls: [
        { index: 0, call: call('c1') },
        { index: 1, call: call('c2') },
      ],
    });
    run.toolResults([
      result('c2', 'b', { turn: 1, index: 1 }),
      result('c1', 'a', { turn: 1, index: 0 }),
    ]);

    expect(run.fullHistory()).toEqual([
      user('go'),
      assistant(call('c1'), call('c2')),
      tool(result('c1', 'a'), result('c2', 'b')),
    ]);
  });
});

describe('Rules 6 and 14: malformed calls', () => {
  it('are listed as such, and answered with an error only', () => {
    const run = executing([malformed('c1'), call('c2')]);

    expect(run.nextStep()).toMatchObject({
      calls: [
        { index: 0, kind: 'malformed', call: malformed('c1') },
        { index: 1, kind: 'execute' },
      ],
    });
    expect(thrown(() => run.toolResults([result('c1')]))).toMatchObject({
      message: 'The arguments of call 0 of turn 1 are malformed: answer it with isError: true.',
    });
    run.toolResults([errorResult('c1', 'not JSON'), result('c2')]);

    expect(run.fullHistory().at(-1)).toEqual(tool(errorResult('c1', 'not JSON'), result('c2')));
  });

  it('ask for a resolution when their name is not allowed', () => {
    const run = answered({}, [malformed('c1', 'nope')]);

    expect(run.pendingInvalidToolCall).toMatchObject({ toolName: 'nope', args: '{"x":' });
  });

  it.each([
    { name: 'without a limit', limit: undefined, steps: 3, fails: false },
    { name: 'up to the limit', limit: 2, steps: 2, fails: false },
    { name: 'over the limit', limit: 2, steps: 3, fails: true },
    { name: 'with a limit of 0', limit: 0, steps: 1, fails: true },
  ])('may come in $steps steps in a row $name: fails $fails', ({ limit, steps, fails }) => {
    const run = answered(
      { maxTurns: 9, ...(limit !== undefined && { maxConsecutiveMalformedToolCalls: limit }) },
      [malformed('c1')],
    );
    const drive = (): void => {
      for (let step = 1; step <= steps; step += 1) {
        run.nextStep();
        run.toolResults([errorResult('c1', 'no')]);
        run.nextStep();
        run.modelResponse({
          content: [step < steps ? malformed('c1') : text('ok')],
          usage: run.usage,
          tools: ['add'],
        });
      }
    };

    if (fails) expect(thrown(drive)).toMatchObject({ code: 'InvalidToolCall', toolName: 'add' });
    else expect(drive).not.toThrow();
  });

  it('fail before the turn enters history, and start anew after a well-formed step', () => {
    const options = { maxTurns: 9, maxConsecutiveMalformedToolCalls: 1 };
    const run = answered(options, [malformed('c1')]);
    const respondWith = (content: Parameters<typeof answered>[1]): void => {
      const step = run.nextStep();
      if (step.kind === 'call-tools')
        run.toolResults(
          step.calls.map(({ call: open, kind }) =>
            result(open.callId, 'x', { isError: kind === 'malformed' }),
          ),
        );
      run.nextStep();
      run.modelResponse({ content, usage: run.usage, tools: ['add'] });
    };
    respondWith([call('c2')]);
    respondWith([malformed('c3')]);
    respondWith([malformed('c4')]);
    const before = run.fullHistory();

    const error = thrown(() => run.nextStep());

    expect(error).toMatchObject({
      code: 'InvalidToolCall',
      message:
        'The arguments of the call of "add" are not a JSON object (unexpected end of JSON). ' +
        'This was tool step 2 in a row with such a call, of 1 allowed.',
      history: before,
    });
    expect(run.fullHistory()).toEqual(before);
  });
});
