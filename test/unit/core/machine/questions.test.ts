// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import { approvalQuestion } from '../../../../src/core/machine/questions';
import type { MachineInput } from '../../../../src/core/machine/steps';
import { foldLog } from '../../../../src/core/transcript/fold-log';
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
  tool,
  user,
} from '../builders';

const ask = (callId: string, question = 'Which city?', options?: string[]) =>
  call(callId, 'ask_user', { question, ...(options && { options }) });

const asked = (
  index: number,
  part: ReturnType<typeof ask>,
  rest: Partial<MachineInput> = {},
): MachineInput => ({
  inputId: `q1.${index}`,
  kind: 'question',
  question: 'Which city?',
  call: part,
  ...rest,
});

const approval = (index: number, part: ReturnType<typeof call>): MachineInput => ({
  inputId: `a1.${index}`,
  kind: 'approval',
  question: `May ${part.name} run? ${JSON.stringify(part.args)}`,
  call: part,
});

describe('Rule 17: questions', () => {
  it('asks what a person reads of a question without end, and keeps the whole in the log', () => {
    const question = 'x'.repeat(700_000);
    const options = ['y'.repeat(60_000), 'z'.repeat(60_000)];
    const part = ask('c1', question, options);
    const run = answered({ askUser: 'tool' }, [part]);
    run.nextStep();
    const cut = { question: `${question.slice(0, 65_533)}…`, options: options.slice(0, 1) };
    expect(run.pendingInputs).toEqual([asked(0, part, cut)]);
    expect(JSON.stringify(run.log).includes(question)).toBe(true);
  });

  it('pauses for a lone question, whose answer is the result of its call', () => {
    const part = ask('c1', 'Which city?', ['Paris', 'Rome']);
    const run = answered({ askUser: 'tool', maxTurns: 2 }, [part]);

    const step = { kind: 'needs-input', inputs: [asked(0, part, { options: ['Paris', 'Rome'] })] };
    expect(run.nextStep()).toEqual(step);
    expect(run.nextStep()).toEqual(step);
    expect(stored(run).nextStep()).toEqual(step);
    expect(run.pendingInputs).toEqual(step.inputs);
    run.answer({ inputId: 'q1.0', text: 'Rome' });

    expect(run.pendingInputs).toEqual([]);
    expect(run.nextStep()).toMatchObject({
      kind: 'call-model',
      prompt: tool(result('c1', 'Rome', { name: 'ask_user' })),
      turn: 2,
    });
    expect(run.log.at(-1)).toEqual({
      kind: 'tool-result',
      result: result('c1', 'Rome', { name: 'ask_user', turn: 1, index: 0 }),
    });
  });

  it.each([
    {
      name: 'no question',
      args: {},
      problem: 'nobody was asked: "question" must be a non-empty string',
    },
    {
      name: 'a blank question',
      args: { question: ' ' },
      problem: 'nobody was asked: "question" must be a non-empty string',
    },
    {
      name: 'a number',
      args: { question: 7 },
      problem: 'nobody was asked: "question" must be a non-empty string',
    },
    {
      name: 'options that are no texts',
      args: { question: 'a', options: [1] },
      problem: 'nobody was asked: "options" must be a list of strings',
    },
    {
      name: 'options that are no list',
      args: { question: 'a', options: 'b' },
      problem: 'nobody was asked: "options" must be a list of strings',
    },
  ])('tells the model about $name and asks nobody', ({ args, problem }) => {
    const run = new AgentRun('go', { askUser: 'tool', maxTurns: 2 });

    expect(respond(run, [call('c1', 'ask_user', args)])).toMatchObject({
      kind: 'call-model',
      prompt: tool(errorResult('c1', problem, 'ask_user')),
    });
  });

  it('lists a question with malformed arguments like any malformed call', () => {
    const run = new AgentRun('go', { askUser: 'tool', maxTurns: 2 });

    expect(respond(run, [malformed('c1', 'ask_user')])).toMatchObject({
      kind: 'call-tools',
      calls: [{ kind: 'malformed', call: malformed('c1', 'ask_user') }],
      waiting: [],
    });
  });

  it('takes options of null as left out', () => {
    const run = new AgentRun('go', { askUser: 'tool' });

    expect(
      respond(run, [call('c1', 'ask_user', { question: 'Why?', options: null })]),
    ).toMatchObject({
      inputs: [{ question: 'Why?' }],
    });
  });

  it('asks what can be asked in a turn that also asks what cannot', () => {
    const run = new AgentRun('go', { askUser: 'tool', maxTurns: 2 });

    expect(respond(run, [call('c0', 'ask_user', {}), ask('c1')])).toEqual({
      kind: 'needs-input',
      inputs: [asked(1, ask('c1'))],
    });
  });

  it.each([
    { name: 'meanwhile', first: 'answer' },
    { name: 'when nothing can run any more', first: 'run' },
  ])('beside ordinary calls are answered $name', ({ first }) => {
    const run = answered({ askUser: 'tool', maxTurns: 2 }, [ask('c1'), call('c2')]);

    expect(run.nextStep()).toEqual({
      kind: 'call-tools',
      calls: [{ turn: 1, index: 1, call: call('c2'), kind: 'execute' }],
      waiting: [asked(0, ask('c1'))],
    });
    if (first === 'answer') {
      run.answer({ inputId: 'q1.0', text: 'Rome' });
      expect(run.nextStep()).toMatchObject({ kind: 'call-tools', waiting: [] });
      run.toolResults([result('c2')]);
    } else {
      run.toolResults([result('c2')]);
      expect(run.nextStep()).toEqual({ kind: 'needs-input', inputs: [asked(0, ask('c1'))] });
      run.answer({ inputId: 'q1.0', text: 'Rome' });
    }

    expect(run.fullHistory().at(-1)).toEqual(
      tool(result('c1', 'Rome', { name: 'ask_user' }), result('c2')),
    );
  });

  it('takes the marker as text where nobody is ever to be asked', () => {
    const marked = '__ask_user__: Which city?';
    const run = answered({ maxTurns: 2, askUser: 'never' }, [text(marked)]);
    expect(run.nextStep()).toMatchObject({ kind: 'done', response: { text: marked } });
  });

  it.each([' __ask_user__: Which city? ', '__ask_user__:Which city?'])(
    'pauses for the marker in "%s" whatever else is set',
    (marked) => {
      const options = {
        maxTurns: 2,
        output: { tool: 'answer' },
        criteria: [{ kind: 'keyword', keyword: 'city' }],
      } as const;
      const run = answered(options, [text(marked)]);

      const step = {
        kind: 'needs-input',
        inputs: [{ inputId: 'q1', kind: 'question', question: 'Which city?' }],
      };
      expect(run.nextStep()).toEqual(step);
      expect(run.nextStep()).toEqual(step);
      expect(run.pendingInputs).toEqual(step.inputs);
      run.answer({ inputId: 'q1', text: 'Rome' });

      expect(run.nextStep()).toMatchObject({ kind: 'call-model', prompt: user('Rome'), turn: 2 });
      expect(run.messages).toEqual([user('go'), assistant(text(marked)), user('Rome')]);
      expect(run.iterations).toBe(0);
    },
  );

  it.each([
    { name: 'another input', input: { inputId: 'q9', text: 'x' } },
    { name: 'no text', input: { inputId: 'q1', text: undefined as never } },
  ])('refuses an answer with $name', ({ input }) => {
    const run = answered({}, [text('__ask_user__: Why?')]);
    run.nextStep();
    const before = JSON.stringify(run);

    expect(thrown(() => run.answer(input))).toMatchObject({ code: 'ProtocolError' });
    expect(JSON.stringify(run)).toBe(before);
  });

  it('refuses a second answer, an approval, and a result for a question', () => {
    const run = answered({ askUser: 'tool' }, [ask('c1'), ask('c2')]);
    run.nextStep();
    run.answer({ inputId: 'q1.0', text: 'Rome' });

    expect(thrown(() => run.answer({ inputId: 'q1.0', text: 'Paris' }))).toMatchObject({
      code: 'ProtocolError',
      message: 'Nothing of this kind waits under "q1.0"; waiting: "q1.1".',
    });
    expect(thrown(() => run.approve('q1.1'))).toMatchObject({
      message: 'Nothing of this kind waits under "q1.1"; waiting: nothing.',
    });
    expect(thrown(() => run.toolResults([result('c2', 'x', { name: 'ask_user' })]))).toMatchObject({
      message: 'A result answers call 1 of turn 1, which waits for a person.',
    });
  });
});

describe('Rule 17: approvals', () => {
  const options = { maxTurns: 2, approvals: ['add'] };

  it('waits, runs the call once approved, and keeps the others going', () => {
    const run = answered(options, [call('c1'), call('c2', 'look')], { tools: ['add', 'look'] });

    expect(run.nextStep()).toEqual({
      kind: 'call-tools',
      calls: [{ turn: 1, index: 1, call: call('c2', 'look'), kind: 'execute' }],
      waiting: [approval(0, call('c1'))],
    });
    run.toolResults([result('c2', 'seen', { name: 'look' })]);
    expect(run.nextStep()).toEqual({ kind: 'needs-input', inputs: [approval(0, call('c1'))] });
    run.approve('a1.0');
    expect(stored(run).nextStep()).toEqual({
      kind: 'call-tools',
      calls: [{ turn: 1, index: 0, call: call('c1'), kind: 'execute' }],
      waiting: [],
    });
    run.toolResults([result('c1')]);

    expect(run.fullHistory().at(-1)).toEqual(
      tool(result('c1'), result('c2', 'seen', { name: 'look' })),
    );
    expect(run.iterations).toBe(1);
  });

  it('runs edited arguments, and the result says that a person changed them', () => {
    const run = answered(options, [{ ...call('c1'), rawArgs: '{"x":1}' }]);
    run.nextStep();

    run.approve('a1.0', { args: { x: 5 } });

    expect(run.nextStep()).toMatchObject({ calls: [{ call: call('c1', 'add', { x: 5 }) }] });
    expect(stored(run).nextStep()).toEqual(run.nextStep());
    expect(run.log.at(-1)).toEqual({
      kind: 'decision',
      decision: { kind: 'edit-call', turn: 1, index: 0, args: { x: 5 } },
    });
    run.toolResults([result('c1', '10')]);
    const note = text('A person changed the arguments of this call before it ran, to: {"x":5}');
    expect(run.fullHistory().slice(1)).toEqual([
      assistant({ ...call('c1'), rawArgs: '{"x":1}' }),
      tool(result('c1', '', { content: [note, text('10')] })),
    ]);
    expect(foldLog(run.log)).toEqual(run.fullHistory());
  });

  it('answers a rejected call with the reason', () => {
    const run = answered(options, [call('c1')]);
    run.nextStep();

    run.reject('a1.0', 'too expensive');

    expect(run.nextStep()).toMatchObject({
      kind: 'call-model',
      prompt: tool(errorResult('c1', 'too expensive')),
    });
    expect(run.iterations).toBe(1);
  });

  it('answers a call that was changed and then rejected with what happened', () => {
    const run = answered(options, [call('c1')]);
    run.nextStep();

    run.reject(run.edit('a1.0', { x: 5 }), 'too expensive');

    const note = text(
      'This call did not run. A person changed its arguments to: {"x":5}. Then it was rejected:',
    );
    expect(run.fullHistory().at(-1)).toEqual(
      tool({ ...errorResult('c1', ''), content: [note, text('too expensive')] }),
    );
    expect(foldLog(run.log)).toEqual(run.fullHistory());
    expect(stored(run).fullHistory()).toEqual(run.fullHistory());
  });

  it('tells the model about a rejection without a reason', () => {
    const run = answered(options, [call('c1')]);
    run.nextStep();
    run.reject('a1.0', '');

    expect(run.fullHistory().at(-1)).toEqual(
      tool(errorResult('c1', 'A person rejected this call.')),
    );
  });

  it('lists questions and approvals together', () => {
    const run = new AgentRun('go', { ...options, askUser: 'tool' });

    expect(respond(run, [call('c1'), ask('c2')])).toEqual({
      kind: 'needs-input',
      inputs: [approval(0, call('c1')), asked(1, ask('c2'))],
    });
  });

  it('follows the worker, which counted the calls before any was ignored', () => {
    const run = answered(
      { onInvalidToolCall: 'ignore' },
      [call('c0', 'nope'), call('c1'), call('c2')],
      {
        checks: { approvals: [2] },
      },
    );

    expect(run.nextStep()).toMatchObject({
      calls: [{ call: call('c1') }],
      waiting: [approval(1, call('c2'))],
    });
  });

  it.each([
    { name: 'another input', act: (run: AgentRun) => run.approve('a9.9') },
    {
      name: 'arguments that are no object',
      act: (run: AgentRun) => run.approve('a1.0', { args: [] as never }),
    },
    {
      name: 'arguments that are no JSON',
      act: (run: AgentRun) => run.approve('a1.0', { args: { at: new Date(0) as never } }),
    },
    { name: 'no reason', act: (run: AgentRun) => run.reject('a1.0', undefined as never) },
    { name: 'an answer', act: (run: AgentRun) => run.answer({ inputId: 'a1.0', text: 'yes' }) },
    { name: 'a result', act: (run: AgentRun) => run.toolResults([result('c1')]) },
  ])('refuses $name', ({ act }) => {
    const run = answered(options, [call('c1')]);
    run.nextStep();
    const before = JSON.stringify(run);

    expect(thrown(() => act(run))).toMatchObject({ code: 'ProtocolError' });
    expect(JSON.stringify(run)).toBe(before);
  });

  it('refuses a second decision', () => {
    const run = answered(options, [call('c1')]);
    run.nextStep();
    run.approve('a1.0');

    expect(thrown(() => run.reject('a1.0', 'wait'))).toMatchObject({ code: 'ProtocolError' });
    expect(thrown(() => run.approve('a1.0'))).toMatchObject({ code: 'ProtocolError' });
  });
});

describe('the question of an approval', () => {
  it.each([
    { name: 'the arguments', args: { to: 'Ann', euros: 7 }, shown: '{"to":"Ann","euros":7}' },
    {
      name: '200 bytes of them, no character in parts',
      args: { to: '€'.repeat(90) },
      shown: `{"to":"${'€'.repeat(63)}…`,
    },
    { name: 'one line', args: { to: 'Ann  \u2028 Lee' }, shown: '{"to":"Ann Lee"}' },
  ])('shows $name', ({ args, shown }) => {
    expect(approvalQuestion({ ...call('c1', 'pay', args) }, JSON.stringify(args))).toBe(
      `May pay run? ${shown}`,
    );
  });
});
