// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import type { RunStateKind } from '../../../../src/core/machine/run-state';
import { checkMove, transitions } from '../../../../src/core/machine/transitions';
import type { MachineEvent } from '../../../../src/core/machine/transitions';
import { answered, call, malformed, noUsage, result, text, thrown, turn } from '../builders';

const partial = { content: [] };
const invalid = { key: 'k', callId: 'c', name: 'nope', argsText: '' };

const events: { readonly [event in MachineEvent]: (run: AgentRun) => unknown } = {
  nextStep: (run) => run.nextStep(),
  compact: (run) => run.compact({ kind: 'clear-results', through: 0, over: 0 }),
  modelResponse: (run) => run.modelResponse(turn([text('hi')])),
  resolveInvalidToolCall: (run) => run.resolveInvalidToolCall({ kind: 'skip', reason: 'x' }),
  ignoreInvalidToolCall: (run) => run.ignoreInvalidToolCall(),
  toolResults: (run) => run.toolResults([result('c1')]),
  answer: (run) => run.answer({ inputId: 'q1', text: 'x' }),
  approve: (run) => run.approve('a1.0'),
  reject: (run) => run.reject('a1.0', 'no'),
  edit: (run) => run.edit('a1.0', {}),
  defer: (run) => run.defer({ turn: 1, index: 0 }),
  complete: (run) => run.complete('t1.0', { value: 'x', isError: false }),
  note: (run) => run.note({ kind: 'preview', turn: 1, index: 0, text: 'x' }),
  steer: (run) => run.steer([]),
  retryModelTurn: (run) => run.retryModelTurn({ kind: 'repeat' }),
  recordStreamedCompletionCall: (run) => run.recordStreamedCompletionCall({ usage: noUsage }),
  resolveStreamedInvalidToolCall: (run) =>
    run.resolveStreamedInvalidToolCall(partial, invalid, { kind: 'skip', reason: 'x' }),
  streamedTurn: (run) => run.streamedTurn(turn([text('hi')])),
};

function advanced(run: AgentRun): AgentRun {
  run.nextStep();
  return run;
}

function failed(): AgentRun {
  const run = new AgentRun('go', { maxTurns: 0 });
  thrown(() => run.nextStep());
  return run;
}

const states: { readonly [kind in RunStateKind]: () => AgentRun } = {
  preparing: () => new AgentRun('go'),
  'awaiting-model': () => advanced(new AgentRun('go')),
  'resolving-tool-calls': () => answered({}, [call('c1', 'nope')]),
  'awaiting-advance': () => answered({}, [text('hi')]),
  'executing-tools': () => advanced(answered({}, [call('c1')])),
  'awaiting-input': () => advanced(answered({}, [text('__ask_user__: why?')])),
  done: () => advanced(answered({}, [text('hi')])),
  failed,
};

const kinds = Object.keys(states) as RunStateKind[];
const names = Object.keys(events) as MachineEvent[];
const unexpected = kinds.flatMap((kind) =>
  names.filter((event) => !transitions[kind][event]).map((event) => ({ kind, event })),
);

describe('Rule 3: protocol errors', () => {
  it.each(kinds)('reaches the state %s', (kind) => {
    expect(states[kind]().toJSON().state.kind).toBe(kind);
  });

  it.each(unexpected)('refuses $event while $kind, and changes nothing', ({ kind, event }) => {
    const run = states[kind]();
    const before = JSON.stringify(run);

    expect(thrown(() => events[event](run))).toMatchObject({
      code: 'ProtocolError',
      retryable: false,
    });

    expect(JSON.stringify(run)).toBe(before);
  });

  it.each<{ name: string; act: (run: AgentRun) => unknown }>([
    { name: 'a usage record with no call abandoned', act: events.recordStreamedCompletionCall },
    {
      name: 'a streamed turn that was not billed',
      act: (run) => advanced(run).streamedTurn(turn([text('hi')])),
    },
  ])('refuses $name', ({ act }) => {
    expect(thrown(() => act(new AgentRun('go')))).toMatchObject({ code: 'ProtocolError' });
  });

  it('refuses an action nobody defined', () => {
    const run = answered({}, [call('c1', 'nope')]);
    const before = JSON.stringify(run);

    expect(thrown(() => run.resolveInvalidToolCall({ kind: 'shrug' } as never))).toMatchObject({
      code: 'ProtocolError',
    });
    expect(JSON.stringify(run)).toBe(before);
  });

  it('treats a move that is not in the table as a bug', () => {
    expect(thrown(() => checkMove('done', 'nextStep', 'preparing'))).toMatchObject({
      code: 'InternalError',
    });
  });

  it('refuses a retry of a turn with tool calls', () => {
    const run = answered({ maxTurns: 2 }, [text('let me see'), malformed('c1')]);

    expect(thrown(() => run.retryModelTurn({ kind: 'feedback', text: 'no' }))).toMatchObject({
      code: 'ProtocolError',
    });
    expect(run.nextStep().kind).toBe('call-tools');
  });
});
