// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import { MaxIterationsExceeded, MaxTurnsExceeded } from '../../../../src/core/errors';
import {
  answered,
  assistant,
  call,
  errorResult,
  malformed,
  respond,
  result,
  text,
  thrown,
  tool,
  turn,
  user,
} from '../builders';

const interrupted = 'not answered: the run was interrupted before this call had a result';

describe('Rule 1: the budget', () => {
  it('asks no model with a budget of 0, and the error carries what could not be sent', () => {
    const run = new AgentRun('go', { maxTurns: 0, history: [user('hi')] });

    const error = thrown(() => run.nextStep());

    expect(error).toBeInstanceOf(MaxTurnsExceeded);
    expect(error).toMatchObject({
      code: 'MaxTurnsExceeded',
      retryable: false,
      limit: 0,
      unsent: user('go'),
      history: [user('hi'), user('go')],
    });
    expect(run.turn).toBe(0);
  });

  it('allows one model call unless told otherwise', () => {
    const run = answered({}, [call('c1')]);
    run.nextStep();
    run.toolResults([result('c1')]);

    expect(thrown(() => run.nextStep())).toMatchObject({
      limit: 1,
      unsent: tool(result('c1')),
      history: [user('go'), assistant(call('c1')), tool(result('c1'))],
    });
  });

  it.each([
    {
      name: 'retries of invalid calls',
      spend: (run: AgentRun) => {
        run.nextStep();
        run.modelResponse(turn([call('c1', 'nope')]));
        run.resolveInvalidToolCall({ kind: 'retry', feedback: 'no such tool' });
      },
    },
    {
      name: 'repeated turns',
      spend: (run: AgentRun) => {
        run.nextStep();
        run.modelResponse(turn([text('bad')]));
        run.retryModelTurn({ kind: 'repeat' });
      },
    },
    {
      name: 'criteria re-prompts',
      spend: (run: AgentRun) => void respond(run, [text('not yet')]),
    },
  ])('counts $name', ({ spend }) => {
    const run = new AgentRun('go', {
      maxTurns: 2,
      maxInvalidToolCallRetries: 9,
      criteria: [{ kind: 'keyword', keyword: 'DONE' }],
    });
    spend(run);
    try {
      spend(run);
    } catch {
      // A re-prompt already asks for the third call.
    }

    expect(run.turn).toBe(2);
    expect(thrown(() => run.nextStep())).toMatchObject({ code: 'MaxTurnsExceeded', limit: 2 });
    expect(run.turn).toBe(2);
  });

  it('does not count a call that is given again', () => {
    const run = new AgentRun('go', { maxTurns: 1 });

    const first = run.nextStep();

    expect(run.nextStep()).toEqual(first);
    expect(first).toEqual({ kind: 'call-model', prompt: user('go'), history: [], turn: 1 });
    expect(run.turn).toBe(1);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses a budget of %p', (maxTurns) => {
    expect(thrown(() => new AgentRun('go', { maxTurns }))).toMatchObject({
      code: 'ProtocolError',
      message: `The option maxTurns is ${maxTurns}; give a whole number from 0, or leave it out.`,
    });
  });
});

describe('Rule 16: iterations', () => {
  it.each([
    { name: 'ordinary calls', content: [call('c1'), call('c2')], iterations: 1 },
    { name: 'only malformed calls', content: [malformed('c1')], iterations: 1 },
    {
      name: 'a lone question',
      content: [call('c1', 'ask_user', { question: 'why?' })],
      iterations: 0,
    },
    {
      name: 'a question nobody can be asked',
      content: [call('c1', 'ask_user', {})],
      iterations: 0,
    },
    {
      name: 'a question beside a call',
      content: [call('c1', 'ask_user', { question: 'why?' }), call('c2')],
      iterations: 1,
    },
  ])('counts $name as $iterations', ({ content, iterations }) => {
    const run = answered({ maxTurns: 3, askUser: 'tool' }, content);
    const step = run.nextStep();
    expect(run.iterations).toBe(0);

    if (step.kind === 'call-tools')
      run.toolResults(
        step.calls.map(({ call: open, kind }) =>
          result(open.callId, 'x', { name: open.name, isError: kind === 'malformed' }),
        ),
      );
    for (const { inputId } of run.pendingInputs) run.answer({ inputId, text: 'because' });

    expect(run.iterations).toBe(iterations);
    expect(run.nextStep()).toMatchObject({ kind: 'call-model', turn: 2 });
  });

  it.each([
    {
      name: 'a retried turn',
      act: (run: AgentRun) => run.resolveInvalidToolCall({ kind: 'retry', feedback: 'x' }),
    },
    {
      name: 'a skipped turn',
      act: (run: AgentRun) => run.resolveInvalidToolCall({ kind: 'skip', reason: 'x' }),
    },
  ])('does not count $name', ({ act }) => {
    const run = answered({ maxTurns: 3, maxInvalidToolCallRetries: 1 }, [
      call('c1', 'nope'),
      call('c2'),
    ]);
    act(run);
    run.nextStep();

    expect(run.iterations).toBe(0);
  });

  it('lets N rounds run and one more model call, then fails with the turn closed', () => {
    const run = answered({ maxTurns: 5, maxIterations: 1 }, [call('c1')]);
    run.nextStep();
    run.toolResults([result('c1')]);

    const error = thrown(() => respond(run, [call('c2')]));

    expect(error).toBeInstanceOf(MaxIterationsExceeded);
    expect(error).toMatchObject({
      limit: 1,
      history: [
        user('go'),
        assistant(call('c1')),
        tool(result('c1')),
        assistant(call('c2')),
        tool(errorResult('c2', interrupted)),
      ],
    });
    expect(thrown(() => run.nextStep())).toEqual(error);
  });

  it('allows no round with a limit of 0, but a final text and a lone question', () => {
    const options = { maxTurns: 2, maxIterations: 0, askUser: 'tool' } as const;

    expect(respond(new AgentRun('go', options), [text('hi')]).kind).toBe('done');
    const question = [call('c1', 'ask_user', { question: 'why?' })];
    expect(respond(new AgentRun('go', options), question).kind).toBe('needs-input');
    expect(thrown(() => respond(new AgentRun('go', options), [call('c1')]))).toMatchObject({
      limit: 0,
    });
  });
});
