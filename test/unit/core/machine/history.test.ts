// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import { foldLog } from '../../../../src/core/transcript/fold-log';
import type { Message } from '../../../../src/protocol/message';
import {
  answered,
  assistant,
  call,
  errorResult,
  noUsage,
  result,
  text,
  thrown,
  tool,
  turn,
  user,
} from '../builders';

const interrupted = 'not answered: the run was interrupted before this call had a result';

describe('Rule 9: history can always be sent', () => {
  it('closes an open batch: answered results kept, the rest answered with an error', () => {
    const run = answered({}, [call('c1'), call('c2')]);
    run.nextStep();
    run.toolResults([result('c2')]);

    const closed = [
      user('go'),
      assistant(call('c1'), call('c2')),
      tool(errorResult('c1', interrupted), result('c2')),
    ];
    expect(run.fullHistory()).toEqual(closed);
    expect(foldLog(run.log)).toEqual(closed);
    expect(run.messages).toEqual(closed.slice(0, 2));
    expect(run.cancelError('x').history).toEqual(closed);
  });

  it('leaves a turn out until it is accepted', () => {
    const run = new AgentRun('go');
    run.nextStep();
    run.modelResponse(turn([call('c1')]));

    expect(run.fullHistory()).toEqual([user('go')]);
  });

  it('keeps the origin of a turn', () => {
    const origin = { provider: 'p', api: 'a', model: 'm' };
    const run = answered({}, [text('hi')], { origin });
    run.nextStep();

    expect(run.messages).toEqual([user('go'), { ...assistant(text('hi')), origin }]);
  });

  it('is not changed by what the caller does to its values later', () => {
    const content = [call('c1', 'add', { list: [1] })];
    const run = answered({ maxTurns: 2 }, content);
    run.nextStep();
    const before = JSON.stringify(run.fullHistory());

    (content[0]?.args?.['list'] as number[]).push(2);

    expect(JSON.stringify(run.fullHistory())).toBe(before);
  });

  it('keeps untrusted keys as plain data', () => {
    const args = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, never>;
    const run = answered({}, [call('c1', 'add', args)]);

    expect(JSON.stringify(run.nextStep())).toContain('{"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe("Rule 19: the caller's history", () => {
  it.each<{ name: string; history: Message[] }>([
    { name: 'nothing', history: [] },
    {
      name: 'system, user and assistant',
      history: [{ role: 'system', parts: [text('be kind')] }, user('a'), assistant(text('b'))],
    },
    {
      name: 'an answered batch',
      history: [user('a'), assistant(call('c'), call('c')), tool(result('c'), result('c'))],
    },
  ])('may hold $name', ({ history }) => {
    const run = new AgentRun('go', { history });

    expect(run.nextStep()).toEqual({ kind: 'call-model', prompt: user('go'), history, turn: 1 });
    expect(run.messages).toEqual([user('go')]);
    expect(run.fullHistory()).toEqual([...history, user('go')]);
  });

  it.each<{ name: string; history: Message[]; problem: string }>([
    {
      name: 'an open call',
      history: [user('a'), assistant(call('c1'))],
      problem: 'message 1 has calls without a result in the next message: c1',
    },
    {
      name: 'a result too few',
      history: [assistant(call('c'), call('c')), tool(result('c'))],
      problem: 'message 0 has calls without a result in the next message: c',
    },
    {
      name: 'a result too many',
      history: [assistant(call('c')), tool(result('c'), result('c'))],
      problem: 'message 1 has results without a call in the message before: c',
    },
    {
      name: 'results of nothing',
      history: [user('a'), tool(result('c'))],
      problem: 'message 1 has tool results, but the message before it is not an assistant message',
    },
    {
      name: 'two assistant messages in a row',
      history: [assistant(text('a')), assistant(text('b'))],
      problem: 'message 1 is the second assistant message in a row',
    },
  ])('is refused with $name', ({ history, problem }) => {
    expect(thrown(() => new AgentRun('go', { history }))).toMatchObject({
      code: 'ProtocolError',
      message: `The history cannot be sent to a provider: ${problem}. Repair it before starting a run.`,
    });
  });
});

describe('The log', () => {
  it('starts with the history and the prompt', () => {
    const prompt = {
      role: 'user',
      parts: [
        text('look'),
        { type: 'media', mediaType: 'image/png', source: { kind: 'ref', ref: 'r' } },
      ],
    } as const;

    expect(new AgentRun(prompt, { history: [user('hi')] }).log).toEqual([
      { kind: 'decision', decision: { kind: 'history', messages: [user('hi')] } },
      { kind: 'user', message: prompt },
    ]);
  });

  it('gives ids that are unique in the whole history to calls without one', () => {
    const first = answered({ maxTurns: 2 }, [call('')]);
    first.nextStep();
    first.toolResults([result('call_1_0')]);
    const second = new AgentRun('more', { history: first.fullHistory() });
    second.nextStep();
    second.modelResponse(turn([call('')]));

    expect(second.nextStep()).toMatchObject({ calls: [{ call: call('call_4_0') }] });
  });
});

describe('foldLog', () => {
  const modelTurn = { kind: 'model-turn', usage: noUsage } as const;

  it('closes a turn that the log leaves behind', () => {
    expect(
      foldLog([
        { ...modelTurn, content: [call('c1')] },
        { ...modelTurn, content: [text('done')] },
      ]),
    ).toEqual([
      assistant(call('c1')),
      tool(errorResult('c1', interrupted)),
      assistant(text('done')),
    ]);
  });

  it('passes over amendments and results of no turn', () => {
    expect(
      foldLog([
        { kind: 'decision', decision: { kind: 'ignore-call', index: 0 } },
        { kind: 'tool-result', result: result('c1', '2', { turn: 1, index: 0 }) },
        { ...modelTurn, content: [call('c1')] },
        { kind: 'tool-result', result: result('c1') },
      ]),
    ).toEqual([assistant(call('c1')), tool(errorResult('c1', interrupted))]);
  });

  it('is nothing for an empty log', () => {
    expect(foldLog([])).toEqual([]);
  });
});
