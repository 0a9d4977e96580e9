// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import { AgentMachine, startMachine } from '../../../../src/core/machine/agent-machine';
import type { StoredMachine } from '../../../../src/core/machine/run-state';
import { foldLog } from '../../../../src/core/transcript/fold-log';
import type { LogEntry, LogEvent } from '../../../../src/protocol/log';
import { RunLog } from '../../../../src/workflows/log/run-log';
import { call, result, text, turn } from '../builders';

const options = {
  maxTurns: 6,
  askUser: 'tool',
  approvals: ['add'],
  criteria: [{ kind: 'keyword', keyword: 'DONE' }],
} as const;

/** What a driver does with a run, an event at a time. */
const events: readonly ((run: AgentMachine) => unknown)[] = [
  (run) => run.nextStep(),
  (run) => run.modelResponse(turn([call('c1'), call('c2', 'ask_user', { question: 'Which?' })])),
  (run) => run.resolveInvalidToolCall({ kind: 'retry', feedback: 'again' }),
  (run) => run.nextStep(),
  (run) => run.answer({ inputId: 'q1.1', text: 'this' }),
  (run) => run.approve('a1.0'),
  (run) => run.nextStep(),
  (run) => run.toolResult({ kind: 'tool-result', result: result('c1') }),
  (run) => run.nextStep(),
  (run) => run.modelResponse(turn([text('almost')])),
  (run) => run.nextStep(),
  (run) => run.modelResponse(turn([text('DONE')])),
  (run) => run.nextStep(),
];

const withoutId = ({ id: _id, ...event }: LogEntry): LogEvent => event;

/** What it gives or throws, apart from the messages that only `AgentRun` adds to a step. */
function outcome(act: (run: AgentMachine) => unknown, run: AgentMachine): unknown {
  try {
    const {
      prompt: _prompt,
      history: _history,
      ...given
    } = (act(run) ?? {}) as {
      prompt?: unknown;
      history?: unknown;
    };
    return given;
  } catch (error) {
    return String(error);
  }
}

describe('AgentMachine', () => {
  let log: RunLog;

  beforeEach(() => {
    log = new RunLog({ workflowId: 'run-1', runId: 'e1' });
  });

  it('does what AgentRun does, but for what only that has', () => {
    const machine = startMachine('go', options, log);
    const run = new AgentRun('go', options);

    for (const event of events) {
      expect(outcome(event, machine)).toEqual(outcome(event, run));
      expect({ ...machine.toJSON(), log: log.entries.map(withoutId) }).toEqual(run.toJSON());
    }
    expect(machine.isDone).toBe(true);
  });

  it('writes what it is given into its log under the ids that came with it', () => {
    const machine = startMachine('go', { maxTurns: 3 }, log);
    machine.nextStep();
    machine.modelResponse({ ...turn([call('c1'), call('c2')]), id: 'the-turn' });
    machine.nextStep();
    machine.toolResult({ id: 'second', kind: 'tool-result', result: result('c2') });
    machine.toolResult({ kind: 'tool-result', result: result('c1') });
    expect(log.entries.map(({ id, kind }) => [id, kind])).toEqual([
      ['e1/1', 'user'],
      ['the-turn', 'model-turn'],
      ['second', 'tool-result'],
      ['e1/2', 'tool-result'],
    ]);
    expect(foldLog(log.entries)).toEqual(machine.fullHistory());
  });

  it('goes on with the log it is given', () => {
    const machine = startMachine('go', { maxTurns: 3 }, log);
    machine.nextStep();
    const next = new RunLog({ workflowId: 'run-1', runId: 'e2', entries: log.entries });
    const state = JSON.parse(JSON.stringify(machine)) as StoredMachine;
    const continued = AgentMachine.fromJSON(state, next);
    continued.modelResponse({ ...turn([text('hi')]), id: 'the-turn' });
    expect(continued.nextStep().kind).toBe('done');
    expect(next.entries.map(({ id }) => id)).toEqual(['e1/1', 'the-turn']);
    expect(continued.fullHistory()).toEqual(foldLog(next.entries));
  });
});
