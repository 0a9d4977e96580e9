// Pure: no server. The run is played by a script.
import type { AgentRunOutcome, RunEvent, RunHandle } from '../../../../src/client';
import { followRun } from '../../../../src/cli/session/follow-run';
import { commandLine } from '../../../../src/cli/render/render-parts';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { LogEvent } from '../../../../src/protocol/log';
import type { PendingInput } from '../../../../src/protocol/run';
import { userEvent } from '../../core/builders';
import { anApproval, anEvent, aQuestion, usageOf } from '../builders';
import { fakeTerminal, type FakeTerminal } from '../fake-terminal';

const turn: LogEvent = {
  kind: 'model-turn',
  content: [{ type: 'text', text: 'Warm.' }],
  usage: usageOf(15),
};
const complete: AgentRunOutcome = {
  kind: 'complete',
  result: {
    finalResponse: { text: 'Warm\u001b[2J.', content: [{ type: 'text', text: 'Warm.' }] },
    iterations: 2,
    completionReason: 'text response',
    usage: usageOf(15),
    session: {},
    warnings: ['the store was away'],
  },
};
const { kind: _kind, ...question } = aQuestion();
const paused = (...pending: PendingInput[]): AgentRunOutcome => ({
  kind: 'needs-input',
  pending,
  ...question,
});

type Step = {
  readonly events?: readonly (LogEvent | object)[];
  readonly outcome: AgentRunOutcome | Error;
};

const place = { root: 'planner-1', workflowId: 'planner-1', path: 'planner', agent: 'planner' };

const never = (): Promise<never> => new Promise(() => undefined);

/** A run that goes through the steps: to its end, or to a pause, which ends when the next step is asked for. */
function playRun(steps: readonly Step[]): { run: RunHandle; told: unknown[] } {
  const told: unknown[] = [];
  const log: RunEvent[] = [];
  let outcome: Step['outcome'] | undefined;
  const tell = (name: string) => async (value: unknown, options?: unknown) =>
    void told.push([name, value, options]);
  const run = {
    workflowId: 'planner-1',
    outcome: async () => {
      if (outcome instanceof Error) throw outcome;
      return outcome ?? (await never());
    },
    follow: async function* () {
      for (const step of steps) {
        outcome = step.outcome;
        for (const [index, event] of (step.events ?? []).entries()) {
          if ('kind' in event) log.push(anEvent(log.length, event));
          yield 'kind' in event
            ? log[log.length - 1]
            : { ...place, ...event, position: `${index}` };
        }
        const pending = 'kind' in outcome && outcome.kind === 'needs-input' ? outcome.pending : [];
        for (const input of pending) yield { ...place, type: 'input', input };
        if (pending.length > 0) yield { ...place, type: 'paused', pauseSeq: 1, pending };
        else return;
      }
      await never();
    },
    resume: tell('resume'),
    approve: async (...args: unknown[]) => {
      told.push(['approve', ...args]);
      return { missing: 0 };
    },
    reject: tell('reject'),
  };
  return { run: run as unknown as RunHandle, told };
}

const follow = (
  run: RunHandle,
  terminal: FakeTerminal,
  options: { json?: boolean; answers?: readonly string[]; isLive?: boolean } = {},
): Promise<number> =>
  followRun({
    run,
    terminal,
    json: false,
    answers: [],
    command: commandLine({}),
    opening: 'run planner-1',
    ...options,
  });

describe('followRun', () => {
  it('shows the steps on stderr and the answer on stdout', async () => {
    const terminal = fakeTerminal();
    const { run } = playRun([{ events: [userEvent('Hi'), turn], outcome: complete }]);
    expect(await follow(run, terminal)).toBe(0);
    expect(terminal.printed).toEqual(['Warm.']);
    expect(terminal.noted).toEqual([
      'run planner-1',
      '#1  model   text · 15 tokens',
      'warning: the store was away',
      'planner-1 · text response · 2 tool rounds · 15 tokens',
    ]);
  });

  it('shows the steps between the texts of their turns', async () => {
    const terminal = fakeTerminal({ typed: [] });
    const lines: string[] = [];
    const watched = { ...terminal, note: (line: string) => void lines.push(line) };
    watched.write = (text: string) => void lines.push(text);
    const calling: LogEvent = {
      kind: 'model-turn',
      content: [{ type: 'tool_call', callId: 'c', name: 'look', args: {} }],
      usage: usageOf(15),
    };
    const said = [
      { type: 'text', turn: 2, part: 0, delta: 'Warm.' },
      { type: 'step-end', turn: 2, content: [{ type: 'text', text: 'Warm.' }], usage: usageOf(15) },
    ];
    const events = [userEvent('Hi'), calling, ...said, turn];
    const { run } = playRun([{ events, outcome: complete }]);
    await follow(run, watched, { isLive: true });
    expect(lines.slice(1, 5)).toEqual([
      '#1  call    look {}',
      'Warm.',
      '\n',
      '#2  model   text · 15 tokens',
    ]);
  });

  it('prints nothing but JSON on stdout when it is asked for that', async () => {
    const terminal = fakeTerminal();
    const { run } = playRun([{ events: [userEvent('Hi')], outcome: complete }]);
    expect(await follow(run, terminal, { json: true })).toBe(0);
    expect(terminal.printed.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        kind: 'event',
        workflowId: 'planner-1',
        index: 0,
        entry: { id: 'id/0', ...userEvent('Hi') },
      },
      { workflowId: 'planner-1', ...complete },
    ]);
    expect(terminal.noted).toEqual([]);
  });

  it('names no run at the end of a turn that nobody looks up', async () => {
    const terminal = fakeTerminal();
    const { run } = playRun([{ outcome: complete }]);
    const command = commandLine({});
    await followRun({ run, terminal, json: false, answers: [], command });
    expect(terminal.noted.at(-1)).toBe('15 tokens');
  });

  describe('while no step comes', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it('says what the run retries after the second failure, and then ever less often', async () => {
      const terminal = fakeTerminal();
      let attempt = 2;
      const why = () =>
        Promise.resolve({
          reason: `It retries model call, attempt ${attempt}.`,
          todo: 'Check the key.',
          retrying: [{ attempt }],
        });
      const { run } = playRun([]);
      void follow(Object.assign(run, { why }), terminal);

      await jest.advanceTimersByTimeAsync(3_000);
      expect(terminal.noted).toEqual(['run planner-1']);
      attempt = 4;
      await jest.advanceTimersByTimeAsync(6_000);
      const first = 'It retries model call, attempt 4. Check the key.';
      expect(terminal.noted.slice(1)).toEqual([first]);
      await jest.advanceTimersByTimeAsync(60 * 60_000);
      expect(terminal.noted.length).toBeLessThan(12);
    });

    it('says nothing of a run that works, or if nobody knows', async () => {
      const terminal = fakeTerminal();
      const whys = [{ reason: 'It works: nothing holds it up.' }];
      const why = () => {
        const known = whys.shift();
        return known ? Promise.resolve(known) : Promise.reject(new Error('away'));
      };
      void follow(Object.assign(playRun([]).run, { why }), terminal);

      await jest.advanceTimersByTimeAsync(60_000);
      expect([whys, terminal.noted]).toEqual([[], ['run planner-1']]);
    });

    it('looks for nothing any more after Ctrl-C', async () => {
      const terminal = fakeTerminal();
      const why = jest.fn(() => Promise.resolve({ reason: 'It works.' }));
      const followed = follow(Object.assign(playRun([]).run, { why }), terminal);
      terminal.interrupt();
      await expect(followed).rejects.toMatchObject({ name: 'Interrupted' });
      await jest.advanceTimersByTimeAsync(60_000);
      expect(why).not.toHaveBeenCalled();
    });
  });

  it('gives the answers to the pauses in order', async () => {
    const terminal = fakeTerminal();
    const { run, told } = playRun([
      { outcome: paused(aQuestion({ options: ['Paris', 'Rome'] }), anApproval()) },
      { events: [userEvent('Rome')], outcome: paused(anApproval({ inputId: 'a2.0' })) },
      { outcome: complete },
    ]);
    const answers = ['2', 'y', 'n: too late', 'unused'];
    expect(await follow(run, terminal, { answers })).toBe(0);
    expect(told).toEqual([
      ['resume', 'Rome', { inputId: 'q1' }],
      ['approve', 'a1.0', {}],
      ['reject', 'a2.0', 'too late'],
    ]);
  });

  it('asks the person in front of it once the answers are used up', async () => {
    const terminal = fakeTerminal({ typed: ['Oslo'] });
    const { run, told } = playRun([
      { outcome: paused(aQuestion()) },
      { outcome: paused(aQuestion({ inputId: 'q2' })) },
      { outcome: complete },
    ]);
    expect(await follow(run, terminal, { answers: ['Rome'] })).toBe(0);
    expect(told).toEqual([
      ['resume', 'Rome', { inputId: 'q1' }],
      ['resume', 'Oslo', { inputId: 'q2' }],
    ]);
  });

  it('asks at once, while other calls run, and once', async () => {
    const terminal = fakeTerminal({ typed: ['Oslo'] });
    const input = aQuestion();
    const late = { type: 'text', turn: 1, part: 0, delta: 'Meanwhile.' };
    const { run, told } = playRun([
      { events: [{ type: 'input', input }, late], outcome: paused(input) },
      { outcome: complete },
    ]);
    expect(await follow(run, terminal, { isLive: true })).toBe(0);
    expect(told).toEqual([['resume', 'Oslo', { inputId: 'q1' }]]);
    expect(terminal.asked).toHaveLength(1);
  });

  it('ends with what the server knows while no worker answers', async () => {
    const failure = new LonghaulError('NoWorker', 'nobody serves it');
    const { run } = playRun([
      { events: [{ type: 'stalled', reason: 'worker' }], outcome: failure },
    ]);
    const { follow: told } = run;
    const stalls = async function* () {
      yield* told.call(run);
      await never();
    };
    await expect(follow(Object.assign(run, { follow: stalls }), fakeTerminal())).rejects.toBe(
      failure,
    );
  });

  it('goes on after a reset, with what is new in the log', async () => {
    const terminal = fakeTerminal();
    const { run } = playRun([{ events: [userEvent('Hi'), turn], outcome: complete }]);
    const { follow: told } = run;
    const begins: unknown[] = [];
    const cut = async function* (options: { readonly log: number }) {
      begins.push(options.log);
      if (options.log === 0) {
        yield anEvent(0, userEvent('Hi'));
        throw new LonghaulError('StreamCut', 'it was reset');
      }
      yield* told.call(run);
    };
    expect(await follow(Object.assign(run, { follow: cut }), terminal)).toBe(0);
    expect(begins).toEqual([0, 1]);
    expect(terminal.printed).toEqual(['Warm.']);
  });

  it('says what is asked and how to answer when nobody is there', async () => {
    const terminal = fakeTerminal();
    const { run } = playRun([{ outcome: paused(aQuestion()) }]);
    expect(await follow(run, terminal)).toBe(3);
    expect(terminal.printed).toEqual([
      'planner asks: Which city?',
      "answer with: npx longhaul answer planner-1 'your answer'",
    ]);
  });

  it('says what is wrong with an answer, and how to answer, because the run waits', async () => {
    const terminal = fakeTerminal();
    const { run, told } = playRun([{ outcome: paused(anApproval()) }]);
    expect(await follow(run, terminal, { answers: ['maybe', 'y'] })).toBe(3);
    expect(told).toEqual([]);
    expect(terminal.noted).toContainEqual(
      expect.stringMatching(/^'maybe' does not answer the approval 'a1.0': give y, n/),
    );
    expect(terminal.printed).toContain(
      'approve with: npx longhaul answer planner-1 --approve a1.0',
    );
  });

  it('asks the person after an answer that is none', async () => {
    const terminal = fakeTerminal({ typed: ['y'] });
    const { run, told } = playRun([
      { outcome: paused(anApproval()) },
      { outcome: paused(anApproval()) },
      { outcome: complete },
    ]);
    expect(await follow(run, terminal, { answers: ['maybe'] })).toBe(0);
    expect(told).toEqual([['approve', 'a1.0', {}]]);
  });

  it('never asks when it prints JSON', async () => {
    const terminal = fakeTerminal({ typed: ['Rome'] });
    const { run } = playRun([{ outcome: paused(aQuestion()) }]);
    expect(await follow(run, terminal, { json: true })).toBe(3);
    expect(terminal.asked).toEqual([]);
    expect(JSON.parse(terminal.printed[0] ?? '')).toEqual({
      workflowId: 'planner-1',
      ...paused(aQuestion()),
    });
  });

  it('goes on when somebody else was faster', async () => {
    const terminal = fakeTerminal();
    const { run } = playRun([{ outcome: paused(aQuestion()) }, { outcome: complete }]);
    const resume = (): never => {
      throw new LonghaulError('AlreadyAnswered', 'already answered');
    };
    Object.assign(run, { resume });
    expect(await follow(run, terminal, { answers: ['Rome'] })).toBe(0);
    expect(terminal.noted).toContain('already answered');
  });

  it('shows the steps up to a failure and throws it', async () => {
    const terminal = fakeTerminal();
    const failure = new LonghaulError('ToolError', 'no network');
    const { run } = playRun([{ events: [userEvent('Hi'), turn], outcome: failure }]);
    await expect(follow(run, terminal)).rejects.toBe(failure);
    expect(terminal.noted).toEqual(['run planner-1', '#1  model   text · 15 tokens']);
  });

  it('lets go of the run on Ctrl-C', async () => {
    const terminal = fakeTerminal();
    const { run } = playRun([]);
    const followed = follow(run, terminal);
    terminal.interrupt();
    await expect(followed).rejects.toMatchObject({
      name: 'Interrupted',
      message: expect.stringContaining('npx longhaul cancel planner-1'),
    });
  });
});
