// Pure: no server. Random scripts of events, with a fixed seed.
import fc from 'fast-check';
import { AgentRun } from '../../../../src/agent-run';
import { foldLog } from '../../../../src/core/transcript/fold-log';
import { sumUsage } from '../../../../src/core/budget/usage';
import { LonghaulError } from '../../../../src/protocol/errors';
import type { Message } from '../../../../src/protocol/message';
import { stored } from '../builders';
import type { ScriptEvent } from './scripts.ts';
import { act, runOptions, script } from './scripts.ts';

const seed = 20_261_121;
const numRuns = 100;

/** What an event gave, errors included, as plain JSON. */
function outcome(run: AgentRun, event: ScriptEvent): unknown {
  try {
    return JSON.parse(JSON.stringify({ value: act(run, event) ?? null })) as unknown;
  } catch (error) {
    if (!LonghaulError.is(error)) throw error;
    return JSON.parse(JSON.stringify({ ...error, message: error.message })) as unknown;
  }
}

/** Plays random scripts. `begin` is called before every event, and what it returns after it, with what the event gave. */
function playAround(begin: (run: AgentRun) => (given: unknown) => void, runs = numRuns): void {
  const property = fc.property(runOptions, script, (options, events) => {
    const run = new AgentRun('go', options);
    for (const event of events) {
      const check = begin(run);
      check(outcome(run, event));
    }
  });
  fc.assert(property, { seed, numRuns: runs });
}

/** Plays random scripts, calling `check` after every event. */
function play(check: (run: AgentRun, given: unknown) => void, runs = numRuns): void {
  playAround((run) => (given) => check(run, given), runs);
}

/** Equal as JSON text, which is quick; the matcher is only asked for the difference. */
function expectSame(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toStrictEqual(expected);
}

function problemsOf(history: readonly Message[]): string[] {
  return history.flatMap((message, at) => {
    const next = history[at + 1];
    if (message.role !== 'assistant') return [];
    if (next?.role === 'assistant') return [`two assistant messages at ${at}`];
    const called = message.parts.filter((part) => part.type === 'tool_call');
    const answers = next?.role === 'tool' ? next.parts : [];
    const same =
      called.length === answers.length &&
      called.every(
        ({ callId, name }, index) =>
          answers[index]?.callId === callId && answers[index]?.name === name,
      );
    return same ? [] : [`calls and results differ at ${at}`];
  });
}

describe(`AgentRun, by random scripts (seed ${seed})`, () => {
  it('continues alike whether it was stored after every event or never', () => {
    fc.assert(
      fc.property(runOptions, script, (options, events) => {
        const run = new AgentRun('go', options);
        let other = stored(run);
        for (const event of events) {
          expectSame(outcome(other, event), outcome(run, event));
          other = stored(other);
          expectSame(other.toJSON(), run.toJSON());
        }
      }),
      { seed, numRuns },
    );
  });

  it('is plain JSON when it ends', () => {
    fc.assert(
      fc.property(runOptions, script, (options, events) => {
        const run = new AgentRun('go', options);
        for (const event of events) outcome(run, event);
        expect(JSON.parse(JSON.stringify(run.toJSON()))).toStrictEqual(run.toJSON());
      }),
      { seed, numRuns },
    );
  });

  it('folds its log into its full history', () => {
    play((run) => expectSame(foldLog(run.log), run.fullHistory()));
  });

  it('has a history that can be sent, and so has every error', () => {
    play((run, given) => {
      expectSame(problemsOf(run.fullHistory()), []);
      const { history } = given as { history?: readonly Message[] };
      if (history) expectSame(history, run.fullHistory());
    });
  });

  it('offers its full history as the next request', () => {
    play((run) => {
      if (run.toJSON().state.kind !== 'awaiting-model') return;
      const step = run.nextStep();
      if (step.kind === 'call-model') expectSame([...step.history, step.prompt], run.fullHistory());
    });
  });

  it('bills the sum of its calls', () => {
    play((run) => {
      expectSame(run.usage, sumUsage(run.completionCalls));
      expectSame(
        run.completionCalls.map(({ callIndex }) => callIndex),
        [...run.completionCalls.keys()],
      );
    });
  });

  it('never goes over its budgets', () => {
    play((run) => {
      const { maxTurns = 1, maxIterations = Number.POSITIVE_INFINITY } = run.toJSON().options;
      expect(run.turn <= maxTurns && run.iterations <= maxIterations).toBe(true);
    });
  });

  it('only adds to its messages and its log', () => {
    playAround((run) => {
      const { messages, log } = run.clone();
      return () => {
        expectSame(run.messages.slice(0, messages.length), messages);
        expectSame(run.log.slice(0, log.length), log);
      };
    });
  });

  it('is not changed by a protocol error', () => {
    playAround((run) => {
      const before = JSON.stringify(run);
      return (given) => {
        const { code } = given as { code?: unknown };
        if (code === 'ProtocolError') expect(JSON.stringify(run)).toBe(before);
      };
    });
  });

  it('reaches every state, every kind of entry, and a good number of turns', () => {
    const states = new Set<string>();
    const logged = new Set<string>();
    let turns = 0;
    play((run) => {
      states.add(run.toJSON().state.kind);
      for (const event of run.log)
        logged.add(event.kind === 'decision' ? event.decision.kind : event.kind);
      turns = Math.max(turns, run.turn);
    }, 8 * numRuns);

    expect([...states].sort()).toEqual([
      'awaiting-advance',
      'awaiting-input',
      'awaiting-model',
      'done',
      'executing-tools',
      'failed',
      'preparing',
      'resolving-tool-calls',
    ]);
    expect([...logged].sort()).toEqual([
      'answer-calls',
      'clear-results',
      'edit-call',
      'feedback',
      'history',
      'ignore-call',
      'model-turn',
      'repair-call',
      'replace-turn',
      'summary',
      'tool-result',
      'user',
    ]);
    expect(turns).toBeGreaterThan(5);
  });
});
