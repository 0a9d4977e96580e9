// Pure: no server.
import { AgentRun } from '../../../src/agent-run';
import { foldLog } from '../../../src/core/transcript/fold-log';
import { assistant, call, result, text, tokens, tool, turn, user } from '../core/builders';

describe('AgentRun', () => {
  it('answers a question after one round of tools', () => {
    const run = new AgentRun('add things', {
      maxTurns: 2,
      history: [user('hi'), assistant(text('hello'))],
    });

    expect(run.nextStep()).toEqual({
      kind: 'call-model',
      prompt: user('add things'),
      history: [user('hi'), assistant(text('hello'))],
      turn: 1,
    });
    expect(run.modelResponse(turn([call('c1')]))).toEqual({
      kind: 'continue',
      hookSuppressed: false,
    });
    expect(run.nextStep()).toEqual({
      kind: 'call-tools',
      calls: [{ turn: 1, index: 0, call: call('c1'), kind: 'execute' }],
      waiting: [],
    });
    run.toolResults([result('c1', '2', { turn: 1, index: 0 })]);
    expect(run.nextStep()).toMatchObject({
      kind: 'call-model',
      prompt: tool(result('c1')),
      turn: 2,
    });
    run.modelResponse(turn([text('two')]));

    const messages = [
      user('add things'),
      assistant(call('c1')),
      tool(result('c1')),
      assistant(text('two')),
    ];
    expect(run.nextStep()).toEqual({
      kind: 'done',
      response: {
        text: 'two',
        content: [text('two')],
        usage: tokens(10, 14),
        completionCalls: [
          { callIndex: 0, turn: 1, usage: tokens(5, 7) },
          { callIndex: 1, turn: 2, usage: tokens(5, 7) },
        ],
        messages,
        iterations: 1,
        completionReason: 'text response',
      },
    });
    expect(run.fullHistory()).toEqual([user('hi'), assistant(text('hello')), ...messages]);
    expect(foldLog(run.log)).toEqual(run.fullHistory());
  });
});
