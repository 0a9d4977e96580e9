// Pure: no server.
import type { AgentRun } from '../../../../src/agent-run';
import type { Verdict } from '../../../../src/protocol/people';
import { foldLog } from '../../../../src/core/transcript/fold-log';
import {
  answered,
  assistant,
  call,
  respond,
  result,
  stored,
  text,
  thrown,
  tool,
  user,
} from '../builders';

const message = (value: string) => ({ role: 'user', parts: [text(value)] }) as const;

const verdict: Verdict = {
  kind: 'verdict',
  inputId: 'a1.0',
  verdict: 'approve',
  at: '2026-01-01T00:00:00.000Z',
  by: { id: 'ada' },
};

function waiting(): AgentRun {
  const run = answered({ approvals: ['add'], maxTurns: 2 }, [call('c1')]);
  run.nextStep();
  return run;
}

describe('A call that a person changes', () => {
  it('waits on under a new id, with the new arguments', () => {
    const run = waiting();
    expect(run.edit('a1.0', { x: 2 })).toBe('a1.0-1');
    expect(stored(run).pendingInputs).toMatchObject([
      { inputId: 'a1.0-1', call: { args: { x: 2 } } },
    ]);
    expect(thrown(() => run.approve('a1.0'))).toMatchObject({ code: 'ProtocolError' });
    expect(run.edit('a1.0-1', { x: 3 })).toBe('a1.0-2');
    run.approve('a1.0-2');
    expect(run.nextStep()).toMatchObject({
      kind: 'call-tools',
      calls: [{ call: { args: { x: 3 } } }],
    });
  });
});

describe('A call whose result comes from elsewhere', () => {
  it('is an input once it has begun, and other calls go on', () => {
    const run = answered({ maxTurns: 2 }, [call('c1', 'seat'), call('c2')], {
      tools: ['seat', 'add'],
    });
    run.nextStep();
    expect(run.defer({ turn: 1, index: 0 })).toBe('t1.0');
    expect(run.nextStep()).toMatchObject({
      kind: 'call-tools',
      calls: [{ index: 1 }],
      waiting: [{ inputId: 't1.0', kind: 'tool', call: { callId: 'c1' } }],
    });
    run.toolResults([result('c2')]);
    expect(stored(run).nextStep()).toMatchObject({
      kind: 'needs-input',
      inputs: [{ inputId: 't1.0' }],
    });
    run.complete('t1.0', { value: '12A', isError: false });
    expect(run.nextStep()).toMatchObject({
      kind: 'call-model',
      prompt: tool(result('c1', '12A', { name: 'seat' }), result('c2')),
    });
    expect(run.iterations).toBe(1);
    expect(foldLog(run.log)).toEqual(run.fullHistory());
  });

  it('waits for the approval first', () => {
    const run = answered({ approvals: ['add'], maxTurns: 2 }, [call('c1')]);
    run.nextStep();
    expect(thrown(() => run.defer({ turn: 1, index: 0 }))).toMatchObject({ code: 'ProtocolError' });
    run.approve('a1.0');
    run.defer({ turn: 1, index: 0 });
    expect(run.nextStep()).toMatchObject({ kind: 'needs-input', inputs: [{ inputId: 't1.0' }] });
  });

  it('begins once, and takes one result', () => {
    const run = answered({ maxTurns: 2 }, [call('c1')]);
    run.nextStep();
    run.defer({ turn: 1, index: 0 });
    expect(thrown(() => run.defer({ turn: 1, index: 0 }))).toMatchObject({ code: 'ProtocolError' });
    expect(thrown(() => run.toolResults([result('c1')]))).toMatchObject({ code: 'ProtocolError' });
    const nothing = { value: undefined as unknown as null, isError: false };
    expect(thrown(() => run.complete('t1.0', nothing))).toMatchObject({ code: 'ProtocolError' });
    run.complete('t1.0', { value: 'sold out', isError: true });
    expect(run.nextStep()).toMatchObject({
      kind: 'call-model',
      prompt: tool(result('c1', 'sold out', { isError: true })),
    });
  });
});

it('A result from elsewhere stays the JSON that was given', () => {
  const run = answered({ maxTurns: 2 }, [call('c1')]);
  run.nextStep();
  run.defer({ turn: 1, index: 0 });
  run.complete('t1.0', { value: { seat: '12A' }, isError: false });
  expect(run.log.at(-1)).toMatchObject({
    result: { content: [{ type: 'json', value: { seat: '12A' } }] },
  });
});

describe('Notes of what people decided', () => {
  it('stay in the log, and change no message and no step', () => {
    const run = waiting();
    const before = run.nextStep();
    run.note(verdict);
    run.note({ kind: 'preview', turn: 1, index: 0, text: 'x = 1' });
    expect(run.nextStep()).toEqual(before);
    expect(run.log.slice(-2)).toEqual([
      { kind: 'decision', decision: verdict },
      { kind: 'decision', decision: { kind: 'preview', turn: 1, index: 0, text: 'x = 1' } },
    ]);
    expect(foldLog(stored(run).log)).toEqual(run.fullHistory());
  });
});

describe('Messages to a run that works', () => {
  it('reach the model after the results, before its next call', () => {
    const run = answered({ maxTurns: 2 }, [call('c1')]);
    run.nextStep();
    expect(thrown(() => run.steer([{ message: message('stop') }]))).toMatchObject({
      code: 'ProtocolError',
    });
    run.toolResults([result('c1')]);
    run.nextStep();
    expect(run.steer([{ message: message('in metres') }, { message: message('please') }])).toBe(
      true,
    );
    expect(run.nextStep()).toMatchObject({ kind: 'call-model', turn: 2, prompt: user('please') });
    expect(run.fullHistory().slice(-3)).toEqual([
      tool(result('c1')),
      user('in metres'),
      user('please'),
    ]);
  });

  it('wait until the provider has gone on with a turn that it paused', () => {
    const run = answered({ maxTurns: 3 }, [text('Searching')], { finishReason: 'pause' });
    run.nextStep();
    const before = run.log.length;
    expect(run.steer([{ message: message('stop') }])).toBe(false);
    expect(run.log).toHaveLength(before);
    expect(stored(run).steer([{ message: message('stop') }])).toBe(false);
    respond(run, [call('c1')]);
    run.toolResults([result('c1')]);
    run.nextStep();
    expect(run.steer([{ message: message('stop') }])).toBe(true);
  });

  it('make one more turn of a finished run, as long as a turn is left', () => {
    const run = answered({ maxTurns: 2 }, [text('Done.')]);
    expect(run.nextStep()).toMatchObject({ kind: 'done' });
    expect(run.steer([{ message: message('And Rome?') }])).toBe(true);
    expect(stored(run).nextStep()).toMatchObject({ kind: 'call-model', turn: 2 });
    respond(run, [text('Rome, too.')]);
    expect(run.nextStep()).toMatchObject({ kind: 'done', response: { text: 'Rome, too.' } });
    expect(run.steer([{ message: message('And Oslo?') }])).toBe(false);
    expect(run.nextStep()).toMatchObject({ kind: 'done', response: { text: 'Rome, too.' } });
    expect(run.fullHistory().at(-1)).toEqual(assistant(text('Rome, too.')));
  });
});
