// Pure: no server.
import { AgentRun } from '../../../../src/agent-run';
import { type AgentMachine, startMachine } from '../../../../src/core/machine/agent-machine';
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
  (run) => run.toolResults([result('c1')]),
  (run) => run.nextStep(),
  (run) => run.modelResponse(turn([text('almost')])),
  (run) => run.nextStep(),
  (run) => run.modelResponse(turn([text('DONE')])),
  (run) => run.nextStep(),
];

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
  it('does what AgentRun does, but for what only that has', () => {
    const machine = startMachine('go', options);
    const run = new AgentRun('go', options);

    for (const event of events) {
      expect(outcome(event, machine)).toEqual(outcome(event, run));
      expect(machine.toJSON()).toEqual(run.toJSON());
    }
    expect(machine.isDone).toBe(true);
  });
});
