// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import { AgentMachine } from '../../../../src/core/machine/agent-machine';
import type { AgentRunState } from '../../../../src/core/machine/run-state';
import { answered, call, result, stored, text, thrown, turn, user } from '../builders';

type Change = (state: Record<string, unknown>) => void;

function changed(change: Change): AgentRunState {
  const run = answered({ maxTurns: 2 }, [call('c1')]);
  const state = JSON.parse(JSON.stringify(run)) as Record<string, unknown>;
  change(state);
  return state as unknown as AgentRunState;
}

type Holder = { [key: string]: unknown };

function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    [key],
    ...placesIn(part).map((path) => [key, ...path]),
  ]);
}

/** Undefined if it throws nothing. */
function thrownBy(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('Rule 10: resuming from anywhere', () => {
  it.each<{ name: string; reach: (run: AgentRun) => void }>([
    { name: 'before the first call', reach: () => undefined },
    { name: 'while the model is asked', reach: (run) => void run.nextStep() },
    {
      name: 'while an invalid call is open',
      reach: (run) => {
        run.nextStep();
        run.modelResponse(turn([call('c0'), call('c1', 'nope')]));
      },
    },
    {
      name: 'with a turn accepted after a repair',
      reach: (run) => {
        run.nextStep();
        run.modelResponse(turn([call('c1', 'nope')]));
        run.resolveInvalidToolCall({ kind: 'repair', name: 'add' });
      },
    },
    {
      name: 'with one result in',
      reach: (run) => {
        run.nextStep();
        run.modelResponse(turn([call('c1'), call('c2')]));
        run.nextStep();
        run.toolResults([result('c2')]);
      },
    },
    {
      name: 'done',
      reach: (run) => {
        run.nextStep();
        run.modelResponse(turn([]));
        run.nextStep();
      },
    },
  ])('gives an equal run $name', ({ reach }) => {
    const run = new AgentRun('go', {
      maxTurns: 3,
      history: [user('hi')],
      criteria: [],
      approvals: [],
    });
    reach(run);

    const state = run.toJSON();
    const copy = stored(run);

    expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
    expect(copy.toJSON()).toStrictEqual(state);
    expect(copy.fullHistory()).toStrictEqual(run.fullHistory());
    expect(copy.messages).toStrictEqual(run.messages);
    expect(copy.usage).toStrictEqual(run.usage);
    expect(copy.pendingInvalidToolCall).toStrictEqual(run.pendingInvalidToolCall);
  });

  it('holds no messages beside the log', () => {
    const run = answered({ maxTurns: 2 }, [call('c1')]);
    run.nextStep();

    expect(run.toJSON()).toEqual({
      format: 1,
      options: { maxTurns: 2 },
      log: run.log,
      completionCalls: run.completionCalls,
      turn: 1,
      iterations: 0,
      invalidToolCallRetries: 0,
      malformedInARow: 0,
      outputRetries: 0,
      state: { kind: 'executing-tools', slots: ['execute'] },
    });
  });

  it('drops what is undefined', () => {
    const run = new AgentRun('go', { maxTurns: 1, askUser: undefined } as never);
    run.nextStep();
    run.modelResponse(
      turn([{ ...text('hi'), sealed: undefined } as never], { ids: undefined } as never),
    );

    expect(JSON.parse(JSON.stringify(run.toJSON()))).toStrictEqual(run.toJSON());
  });

  it('does not follow the run it was taken from', () => {
    const run = new AgentRun('go');
    const state = run.toJSON();
    run.nextStep();
    run.modelResponse(turn([text('hi')]));
    run.nextStep();

    expect(state.log).toHaveLength(1);
    expect(AgentRun.fromJSON(state).nextStep()).toMatchObject({ kind: 'call-model', turn: 1 });
  });

  it.each<{ name: string; change: Change; named: string }>([
    { name: 'another format', change: (state) => (state['format'] = 2), named: 'format 2' },
    { name: 'no format', change: (state) => delete state['format'], named: 'format undefined' },
    {
      name: 'an unknown key',
      change: (state) => (state['mood'] = 'good'),
      named: 'the key "mood"',
    },
    {
      name: 'a missing key',
      change: (state) => delete state['iterations'],
      named: 'The key "iterations" of the stored run is missing',
    },
    {
      name: 'an unknown option',
      change: (state) => (state['options'] = { speed: 1 }),
      named: '"options.speed"',
    },
    { name: 'no options', change: (state) => (state['options'] = null), named: ': options must' },
    {
      name: 'an unknown state',
      change: (state) => (state['state'] = { kind: 'asleep' }),
      named: '"state.kind" of the stored run is "asleep"',
    },
    {
      name: 'an inherited name for a state',
      change: (state) => (state['state'] = { kind: 'toString' }),
      named: '"toString"',
    },
    { name: 'no state', change: (state) => (state['state'] = null), named: '"state.kind"' },
    {
      name: 'an unknown key of a state',
      change: (state) => (state['state'] = { kind: 'preparing', recordingOwed: false, x: 1 }),
      named: '"state.x"',
    },
    {
      name: 'a missing key of a state',
      change: (state) => (state['state'] = { kind: 'preparing' }),
      named: '"state.recordingOwed"',
    },
    {
      name: 'a counter that counts nothing',
      change: (state) => (state['turn'] = -1),
      named: 'damaged: turn must be a whole number',
    },
    {
      name: 'a counter of another type',
      change: (state) => (state['iterations'] = '1'),
      named: 'damaged: iterations must be a whole number',
    },
    {
      name: 'a log that is no list',
      change: (state) => (state['log'] = {}),
      named: ': log must be',
    },
    {
      name: 'calls that are no list',
      change: (state) => (state['completionCalls'] = 1),
      named: 'damaged: completionCalls must be an array',
    },
    {
      name: 'an unknown key of the output option',
      change: (state) => (state['options'] = { output: { tool: 'x', colour: 'red' } }),
      named: '"options.output.colour"',
    },
    {
      name: 'a missing key of a turn',
      change: (state) => (state['state'] = { kind: 'awaiting-advance', turn: { event: {} } }),
      named: 'damaged: state.turn.tools is required',
    },
    {
      name: 'a turn whose parts are no list',
      change: (state) => {
        const { state: variant } = state as { state: { turn: { event: Holder } } };
        variant.turn.event['content'] = 'hi';
      },
      named: "damaged: state.turn.event.content must be an array, not 'hi'",
    },
    {
      name: 'an unknown slot',
      change: (state) => (state['state'] = { kind: 'executing-tools', slots: ['execute', 'nap'] }),
      named: '"state.slots[1]" of the stored run is "nap"',
    },
    {
      name: 'slots that are no list',
      change: (state) => (state['state'] = { kind: 'executing-tools', slots: 1 }),
      named: 'damaged: state.slots must be an array',
    },
    {
      name: 'an unknown event',
      change: (state) => (state['log'] = [{ kind: 'rumour' }]),
      named: '"log[0].kind" of the stored run is "rumour"',
    },
    {
      name: 'an event that is none',
      change: (state) => (state['log'] = [null]),
      named: 'damaged: log[0] must be an object',
    },
  ])('refuses $name, naming it', ({ change, named }) => {
    const error = thrown(() => AgentRun.fromJSON(changed(change)));

    expect(error).toMatchObject({ code: 'StateError' });
    expect((error as Error).message).toContain(named);
  });

  it.each<{ name: string; reach: () => AgentRun }>([
    { name: 'a turn with a call', reach: () => answered({ maxTurns: 2 }, [call('c1')]) },
    {
      name: 'a text and criteria',
      reach: () => answered({ criteria: [{ kind: 'keyword', keyword: 'x' }] }, [text('hi')]),
    },
    {
      name: 'an invalid call',
      reach: () => answered({ maxTurns: 2, approvals: ['add'] }, [call('c0'), call('c1', 'nope')]),
    },
    {
      name: 'a question',
      reach: () => {
        const asking = call('c1', 'ask_user', { question: 'Which city?' });
        const run = answered({ maxTurns: 2, askUser: 'tool' }, [asking]);
        run.nextStep();
        return run;
      },
    },
  ])('reads an edited state of $name and goes on, or refuses it with a StateError', ({ reach }) => {
    const codes = new Set<unknown>();
    const whole = JSON.parse(JSON.stringify(reach())) as AgentRunState;
    for (const place of placesIn(whole)) {
      for (const value of [undefined, null, 7, -1, 'x', [], {}, [null], true]) {
        const edited = structuredClone(whole);
        const [key = '', ...path] = [...place].reverse();
        const holder = path.reduceRight<Holder>((at, name) => at[name] as Holder, edited as never);
        holder[key] = value;
        const error = thrownBy(() => AgentRun.fromJSON(edited).nextStep());
        codes.add((error as { code?: unknown } | undefined)?.code ?? String(error));
      }
    }
    // The last two: a call that was invalid still waits for its resolution, and a turn may be the last one.
    const allowed = ['undefined', 'StateError', 'ProtocolError', 'MaxTurnsExceeded'];
    expect(codes).toContain('StateError');
    expect([...codes].filter((code) => !allowed.includes(String(code)))).toEqual([]);
  });

  it.each([null, [], 'text', 7])('refuses %p', (state) => {
    expect(thrown(() => AgentRun.fromJSON(state as never))).toMatchObject({
      code: 'StateError',
      message: 'The stored run is not a JSON object.',
    });
  });

  it('says that a newer version can read what only that one knows', () => {
    const error = thrown(() => AgentRun.fromJSON(changed((state) => (state['format'] = 2))));

    expect(error).toMatchObject({ retryable: true });
    expect(
      thrown(() => AgentRun.fromJSON(changed((state) => (state['format'] = 0)))),
    ).toMatchObject({
      retryable: false,
    });
  });
});

describe('a state that a workflow carried', () => {
  const run = answered({ maxTurns: 2 }, [call('c1')]);
  const { log, ...state } = JSON.parse(JSON.stringify(run)) as AgentRunState;
  const aLog = { entries: log, add: () => undefined };
  const read = (other: object): AgentMachine => AgentMachine.fromJSON({ ...state, ...other }, aLog);

  it('may have keys that this version does not know', () => {
    const options = { ...state.options, speed: 1 };

    expect(read({ mood: 'good', options }).nextStep()).toEqual(run.nextStep());
  });

  it('may lack what an older version did not count', () => {
    const older = { ...state } as Partial<typeof state>;
    delete older.malformedInARow;

    expect(AgentMachine.fromJSON(older as never, aLog).toJSON()).toEqual(state);
  });

  it.each<[string, object, boolean]>([
    ['a newer format', { format: 2 }, true],
    ['a state that only a newer version has', { state: { kind: 'asleep' } }, true],
    ['a state that is none', { state: 7 }, false],
    ['a counter that counts nothing', { turn: -1 }, false],
  ])('is refused with %s', (_, other, retryable) => {
    expect(thrown(() => read(other))).toMatchObject({ code: 'StateError', retryable });
  });
});
