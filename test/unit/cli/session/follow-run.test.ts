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

type Step = { readonly events?: readonly LogEvent[]; readonly outcome: AgentRunOutcome | Error };

/** A run that goes through the steps; its events are told by its log alone, the outcome comes first. */
function playRun(steps: readonly Step[]): { run: RunHandle; told: unknown[] } {
  const told: unknown[] = [];
  const log: RunEvent[] = [];
  const left = [...steps];
  const tell = (name: string) => async (value: unknown, options?: unknown) =>
    void told.push([name, value, options]);
  const run = {
    workflowId: 'planner-1',
    outcome: async () => {
      const step = left.shift();
      for (const event of step?.events ?? []) log.push(anEvent(log.length, event));
      if (step === undefined) return await new Promise(() => undefined);
      if (step.outcome instanceof Error) throw step.outcome;
      return step.outcome;
    },
    events: async function* () {},
    log: async ({ from }: { from: number }) => log.slice(from).map(({ entry }) => entry),
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
  options: { json?: boolean; answers?: readonly string[] } = {},
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

  it('shows the steps before the text that follows them', async () => {
    const terminal = fakeTerminal({ typed: [] });
    const lines: string[] = [];
    const watched = { ...terminal, note: (line: string) => void lines.push(line) };
    watched.write = (text: string) => void lines.push(text);
    const calling: LogEvent = {
      kind: 'model-turn',
      content: [{ type: 'tool_call', callId: 'c', name: 'look', args: {} }],
      usage: usageOf(15),
    };
    const place = { workflowId: 'planner-1', turn: 2, position: 'p' };
    const { run } = playRun([{ events: [userEvent('Hi'), calling, turn], outcome: complete }]);
    const stream = async function* () {
      await Promise.resolve();
      yield { ...place, type: 'text', part: 0, delta: 'Warm.' };
      yield { ...place, type: 'step-end', content: [{ type: 'text', text: 'Warm.' }], usage };
    };
    const usage = usageOf(15);
    const options = { json: false, answers: [], command: commandLine({}), isLive: true };
    await followRun({ run: Object.assign(run, { stream }), terminal: watched, ...options });
    expect(lines.slice(0, 4)).toEqual([
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
